#include "api/error_reply.h"

#include <utility>

#include "api/fields.h"
#include "base/json.h"
#include "base/numbers.h"
#include "model/error_catalogue.h"
#include "model/error_sentences.h"

namespace ff::api {
namespace {

constexpr unsigned kUnauthenticated = 401;
constexpr unsigned kTooManyRequests = 429;
constexpr unsigned kUnavailable = 503;

/// Whoever made the error may not have known the class; that of a storage failure depends on its
/// transport kind, which only its maker knows.
void take_class_of_catalogue(Error& error) {
    if (error.code == "storage_error" || error.code == "library_load") return;
    const model::ErrorInfo info = model::lookup_error(error.code);
    error.cls = info.cls;
}

/// As the last member of the body.
void add_fields(const std::vector<std::pair<std::string_view, std::string>>& fields,
                std::string& body) {
    std::string text;
    json::Writer out(text);
    out.begin_object();
    for (const auto& [name, value] : fields) write_bytes(out, name, value);
    out.end_object();
    body.pop_back();
    body += ",\"fields\":" + text + "}";
}

/// When to come again, in whole seconds, where the refusal says so.
std::string seconds_until_retry(const Error& error) {
    const bool told = error.code == "rate_limit_exceeded" && !error.detail.empty();
    const auto ms = told ? parse_u64(error.detail.front()) : std::optional<std::uint64_t>();
    return std::to_string(ms && *ms > 0 ? (*ms + 999) / 1000 : 1);
}

}  // namespace

http::Response error_reply(Error error) {
    const auto status = static_cast<unsigned>(model::http_status_of(error));
    return error_reply(status, std::move(error));
}

http::Response error_reply(unsigned status, Error error) {
    take_class_of_catalogue(error);
    const auto fields = model::named_details(error);
    error.message = model::sentence_of(error);
    http::Response response = http::error_response(status, error);
    add_fields(fields, response.body);
    if (status == kTooManyRequests || status == kUnavailable)
        response.headers.push_back({.name = "Retry-After", .value = seconds_until_retry(error)});
    if (status == kUnauthenticated)
        response.headers.push_back({.name = "WWW-Authenticate", .value = "Bearer"});
    return response;
}

}  // namespace ff::api
