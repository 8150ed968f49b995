#include "api/call.h"

#include <utility>

#include "base/assert.h"
#include "base/numbers.h"

namespace ff::api {
namespace {

/// The type without parameters such as `charset`.
std::string_view media_type(std::string_view header) {
    const std::string_view type = header.substr(0, header.find(';'));
    const auto last = type.find_last_not_of(" \t");
    return last == std::string_view::npos ? std::string_view() : type.substr(0, last + 1);
}

}  // namespace

Call::Call(http::Request request, std::map<std::string, std::string> parameters,
           std::map<std::string, std::string> query, http::Peer& peer)
    : request_(std::move(request)),
      parameters_(std::move(parameters)),
      query_(std::move(query)),
      peer_(peer) {}

const std::string& Call::path(std::string_view name) const {
    const auto found = parameters_.find(std::string(name));
    FF_ASSERT(found != parameters_.end());
    return found->second;
}

std::string Call::subject() const {
    std::string out;
    for (const auto& [name, value] : parameters_) out += (out.empty() ? "" : "/") + value;
    return out;
}

std::optional<std::string> Call::query(std::string_view name) const {
    const auto found = query_.find(std::string(name));
    if (found == query_.end()) return std::nullopt;
    return found->second;
}

Result<std::optional<std::int64_t>> Call::query_integer(std::string_view name, std::int64_t least,
                                                        std::int64_t most) const {
    const auto text = query(name);
    if (!text) return std::optional<std::int64_t>();
    const auto value = parse_i64(*text);
    if (!value) return invalid_input(name, "not_integer");
    if (*value < least || *value > most) return invalid_input(name, "out_of_range");
    return value;
}

Result<bool> Call::query_flag(std::string_view name) const {
    const auto text = query(name);
    if (!text) return false;
    if (*text == "true" || *text == "1") return true;
    if (*text == "false" || *text == "0") return false;
    return invalid_input(name, "not_boolean");
}

std::string_view Call::media_type() const {
    return api::media_type(request_.header("Content-Type").value_or(""));
}

bool Call::is_octets() const {
    return http::same_name(media_type(), "application/octet-stream");
}

bool Call::is_json() const {
    return http::same_name(media_type(), "application/json");
}

Result<json::Value> Call::object() {
    if (!document_) {
        const bool empty = request_.body.empty() || is_octets();
        FF_TRY(document_, json::Document::parse(empty ? "{}" : request_.body));
    }
    const json::Value root = document_->root();
    if (!root.is_object()) return invalid_input("body", "not_object");
    return root;
}

}  // namespace ff::api
