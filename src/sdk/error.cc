#include <array>

#include "flowfabric/result.h"
#include "sdk/door.h"
#include "sdk/public_error.h"

namespace flowfabric {
namespace {

constexpr std::array<std::string_view, 7> kClassNames{
    "terminal", "retryable", "cooperative", "informational", "expected", "soft_error", "bug"};

}  // namespace

std::string_view to_string(ErrorClass cls) {
    return kClassNames.at(static_cast<std::size_t>(cls));
}

bool Error::answered() const {
    return code != "http" && code != "storage_error" && code != "library_load" &&
           code != "shutting_down" && code != "malformed_response" && code != "internal" &&
           code != "too_many_requests";
}

std::string Error::text() const {
    std::string line = message.empty() ? code : message;
    if (message.empty()) {
        for (std::size_t i = 0; i < detail.size(); ++i) line += (i == 0 ? ": " : ", ") + detail[i];
    } else if (line.find(code) == std::string::npos) {
        line += " (" + code + ")";
    }
    return line;
}

Error config_error(std::string message) {
    return {.code = "config", .kind = "config", .message = std::move(message)};
}

}  // namespace flowfabric

namespace ff::sdk {
namespace {

using flowfabric::Error;
using flowfabric::ErrorClass;
using flowfabric::Json;

bool retryable_status(unsigned status) {
    return status == 429 || status == 502 || status == 503 || status == 504;
}

ErrorClass class_of(const Json& body, unsigned status) {
    if (const auto named = class_named(body["class"].text())) return *named;
    const bool retryable =
        body.has("retryable") ? body["retryable"].boolean() : retryable_status(status);
    return retryable ? ErrorClass::Retryable : ErrorClass::Terminal;
}

}  // namespace

std::optional<ErrorClass> class_named(std::string_view name) {
    for (std::size_t i = 0; i < flowfabric::kClassNames.size(); ++i) {
        if (flowfabric::kClassNames.at(i) == name) return static_cast<ErrorClass>(i);
    }
    return std::nullopt;
}

Error error_of_item(const Json& item) {
    Error error{.code = item["code"].text(), .cls = class_of(item, 0)};
    error.kind = item["kind"].is_string() ? item["kind"].text() : error.code;
    error.message = item["message"].text();
    // Servers of before have no other sentence.
    if (error.message.empty()) error.message = item["error"].text();
    error.detail = item["detail"].text_items();
    return error;
}

Error error_of_reply(const DoorReply& reply) {
    const auto parsed = Json::parse(reply.body);
    const Json body = parsed ? *parsed : Json();
    Error error = error_of_item(body);
    error.cls = class_of(body, reply.status);
    error.status = reply.status;
    error.body = reply.body;
    if (error.code.empty()) error.code = "api";
    if (error.kind.empty()) error.kind = error.code;
    if (error.message.empty()) error.message = "status " + std::to_string(reply.status);
    return error;
}

Error malformed_response(std::string_view operation, std::string_view why) {
    return {.code = "malformed_response",
            .kind = "malformed_response",
            .message = std::string(operation) + ": " + std::string(why)};
}

flowfabric::Result<DoorReply> success_of(flowfabric::Result<DoorReply> reply) {
    if (!reply) return reply;
    if (reply->status < 200 || reply->status > 299) return error_of_reply(*reply);
    return reply;
}

Error to_public(const ff::Error& error) {
    return {.code = error.code,
            .cls = class_named(ff::to_string(error.cls)).value_or(ErrorClass::Terminal),
            .kind = error.kind.empty() ? error.code : error.kind,
            .detail = error.detail,
            .message = error.message};
}

}  // namespace ff::sdk
