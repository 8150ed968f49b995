#include "sdk/words.h"

#include "base/bytes.h"
#include "base/random.h"
#include "model/uuid.h"
#include "sdk/public_error.h"

namespace ff::sdk {

using flowfabric::Bytes;
using flowfabric::Json;
using flowfabric::Result;

std::string percent(std::string_view text) {
    constexpr std::string_view kHex = "0123456789ABCDEF";
    std::string out;
    for (const char c : text) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' || c == '~';
        if (plain) {
            out += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        out += '%';
        out += kHex[byte >> 4U];
        out += kHex[byte & 15U];
    }
    return out;
}

std::string query_of(const std::map<std::string, std::string>& parameters) {
    std::string out;
    for (const auto& [name, value] : parameters) {
        if (value.empty()) continue;
        out += (out.empty() ? "?" : "&") + name + "=" + percent(value);
    }
    return out;
}

std::string execution_path(const std::string& id, std::string_view rest) {
    return "/v1/executions/" + percent(id) + std::string(rest);
}

std::string flow_path(const std::string& id, std::string_view rest) {
    return "/v1/flows/" + percent(id) + std::string(rest);
}

void set_bytes(Json& object, const std::string& name, std::string_view bytes) {
    if (is_utf8(bytes)) {
        object.set(name, Json(bytes));
    } else {
        object.set(name + "_base64", Json(to_base64(bytes)));
    }
}

void write_bytes(json::Writer& out, std::string_view name, std::string_view bytes) {
    if (is_utf8(bytes)) {
        out.key(name).string(bytes);
    } else {
        out.key(std::string(name) + "_base64").string(to_base64(bytes));
    }
}

std::optional<Bytes> bytes_of(const Json& object, const std::string& name) {
    if (object[name].is_string()) return object[name].text();
    const Json& encoded = object[name + "_base64"];
    if (!encoded.is_string()) return std::nullopt;
    return from_base64(encoded.text());
}

Result<Json> ask(Door& door, const DoorRequest& request) {
    FF_SDK_TRY(const DoorReply reply, success_of(door.send(request)));
    if (reply.body.empty()) return Json();
    Result<Json> body = Json::parse(reply.body);
    if (!body) return malformed_response(request.operation, body.error().text());
    return body;
}

Result<Json> get_json(Door& door, std::string_view operation, std::string target) {
    return ask(door, {.operation = operation, .target = std::move(target), .repeatable = true});
}

Result<Json> post_json(Door& door, std::string_view operation, std::string target,
                       const Json& body) {
    return ask(door, {.operation = operation,
                      .method = "POST",
                      .target = std::move(target),
                      .body = body.is_null() ? "{}" : body.dump()});
}

Json lease_json(const HeldLease& lease) {
    return Json::object({{"lease_id", lease.lease_id},
                         {"lease_epoch", lease.lease_epoch},
                         {"attempt_id", lease.attempt_id},
                         {"attempt_index", lease.attempt_index}});
}

std::string mint_uuid() {
    SecureRandom random;
    return model::Uuid::mint_v4(random).to_string();
}

}  // namespace ff::sdk
