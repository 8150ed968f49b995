#include "api/guard.h"

#include <algorithm>
#include <utility>

#include "api/error_reply.h"
#include "api/percent.h"
#include "base/bytes.h"
#include "base/digest.h"
#include "base/log.h"
#include "http/listen_address.h"
#include "model/error_catalogue.h"

namespace ff::api {
namespace {

constexpr std::string_view kBearer = "Bearer ";
constexpr unsigned kUnauthenticated = 401;
constexpr unsigned kServerError = 500;

/// The scheme is compared in any case.
std::string_view bearer_token(std::string_view authorization) {
    if (authorization.size() < kBearer.size() ||
        !http::same_name(authorization.substr(0, kBearer.size()), kBearer))
        return {};
    return authorization.substr(kBearer.size());
}

/// Without the port.
std::string_view host_name(std::string_view host) {
    if (host.starts_with('[')) return host.substr(1, host.find(']') - 1);
    return host.substr(0, host.find(':'));
}

/// A page that this server itself served, by the name that the page has it under.
bool is_same_origin(const http::Request& request, std::string_view origin) {
    const auto host = request.header("Host");
    const auto scheme = origin.find("://");
    return host && scheme != std::string_view::npos &&
           http::same_name(origin.substr(scheme + 3), *host);
}

bool reads(const http::Request& request) {
    return request.method == "GET" || request.method == "HEAD";
}

http::Response unauthorized() {
    Error error{.code = "unauthorized", .message = "this server asks for its API token"};
    return error_reply(kUnauthenticated, std::move(error));
}

}  // namespace

std::string actor_of(std::string_view authorization) {
    constexpr std::size_t kDigits = 8;
    const std::string_view token = bearer_token(authorization);
    return token.empty() ? "anonymous" : "token:" + sha256_hex(token).substr(0, kDigits);
}

Guard::Guard(GuardOptions options, RequestProbe& probe, Guests& guests)
    : options_(std::move(options)), probe_(probe), guests_(guests) {}

/// A wrong token makes no guest: its sender believes to be somebody.
bool Guard::is_guest(const http::Request& request, const Route* route) const {
    return !options_.token.empty() && route != nullptr && route->own_credential &&
           !request.header("Authorization");
}

bool Guard::knows_token(const http::Request& request, const Route* route) const {
    const auto header = request.header("Authorization");
    if (header) return constant_time_equal(bearer_token(*header), options_.token);
    if (!options_.query_token || route == nullptr || !route->streams) return false;
    const auto query = parse_query(request.query());
    if (!query.has_value()) return false;
    const auto given = query->find("access_token");
    return given != query->end() && constant_time_equal(given->second, options_.token);
}

bool Guard::host_allowed(const http::Request& request) const {
    // Only requests of this process and of HTTP/1.0 come without.
    const auto given = request.header("Host");
    if (options_.any_host || !given) return true;
    const std::string_view host = host_name(*given);
    return http::same_name(host, "localhost") || http::is_ip_address(host) ||
           std::ranges::any_of(options_.hosts, [host](const std::string& name) {
               return http::same_name(host, name);
           });
}

std::optional<http::Response> Guard::refuse_host(const http::Request& request) const {
    if (host_allowed(request)) return std::nullopt;
    Error error = model::make_error("foreign_host", {std::string(*request.header("Host"))});
    error.message = "this server is not called " + error.detail.front() +
                    "; if it is, add the name to FF_ALLOWED_HOSTS";
    return error_reply(std::move(error));
}

bool Guard::is_own_origin(const http::Request& request, std::string_view origin) const {
    return origin == options_.own_origin || is_same_origin(request, origin);
}

std::optional<http::Response> Guard::refuse_origin(const http::Request& request) const {
    const auto origin = request.header("Origin");
    if (!origin || reads(request) || origin_allowed(*origin) || is_own_origin(request, *origin))
        return std::nullopt;
    Error error = model::make_error("foreign_origin", {std::string(*origin)});
    error.message = "pages of " + error.detail.front() +
                    " may not use this server; if they may, add it to FF_CORS_ORIGINS";
    return error_reply(std::move(error));
}

/// A form of a page that sends no referrer is sent with `Origin: null`, which any page can have:
/// then `Sec-Fetch-Site` decides, where the browser says it, and the token of the page in any case.
std::optional<http::Response> Guard::before_page(const http::Request& request) {
    std::optional<http::Response> foreign = refuse_host(request);
    if (foreign || reads(request)) return foreign;
    const auto origin = request.header("Origin");
    const auto site = request.header("Sec-Fetch-Site");
    const bool told = origin.has_value() || site.has_value();
    const bool same_site = !site || *site == "same-origin";
    const bool same_origin = !origin || *origin == "null" || is_own_origin(request, *origin);
    if (told && same_site && same_origin) return std::nullopt;
    return error_reply(
        model::make_error("foreign_origin", {std::string(origin.value_or("nowhere"))}));
}

std::optional<http::Response> Guard::before(const http::Request& request, const Route* route) {
    std::optional<http::Response> foreign = refuse_host(request);
    if (foreign) return foreign;
    if (request.method == "OPTIONS" && request.header("Origin") &&
        request.header("Access-Control-Request-Method"))
        return preflight(request);
    foreign = refuse_origin(request);
    if (foreign) return foreign;
    const bool open = options_.token.empty() || (route != nullptr && route->open);
    if (open || is_guest(request, route) || knows_token(request, route)) return std::nullopt;
    return unauthorized();
}

bool Guard::origin_allowed(std::string_view origin) const {
    return options_.any_origin ||
           std::ranges::find(options_.origins, origin) != options_.origins.end();
}

http::Response Guard::preflight(const http::Request& request) const {
    http::Response response{.status = 204};
    const auto add = [&response](std::string name, std::string value) {
        response.headers.push_back({.name = std::move(name), .value = std::move(value)});
    };
    if (!origin_allowed(*request.header("Origin"))) return response;
    // A star stands for every header but this one.
    const std::string with_token = options_.token.empty() ? "" : ", Authorization";
    if (options_.any_origin) {
        add("Access-Control-Allow-Methods", "*");
        add("Access-Control-Allow-Headers", "*" + with_token);
    } else {
        add("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE");
        add("Access-Control-Allow-Headers",
            "Content-Type, FF-Task-Token, Last-Event-ID" + with_token);
    }
    add("Access-Control-Max-Age", "600");
    return response;
}

void Guard::add_origin(const http::Request& request, http::Response& response) const {
    const auto origin = request.header("Origin");
    if (!options_.any_origin) response.headers.push_back({.name = "Vary", .value = "Origin"});
    if (!origin || !origin_allowed(*origin)) return;
    response.headers.push_back({.name = "Access-Control-Allow-Origin",
                                .value = options_.any_origin ? "*" : std::string(*origin)});
    response.headers.push_back(
        {.name = "Access-Control-Expose-Headers", .value = "X-Request-Id, Retry-After"});
}

void Guard::after(const Answered& answered, http::Response& response) {
    add_origin(answered.head, response);
    probe_.answered(answered.head.method, answered.pattern, answered.status, answered.took);
    if (!answered.store_failure.empty()) probe_.store_failed(answered.store_failure);
    const bool failed = answered.status >= kServerError;
    if (options_.log == GuardOptions::Log::All ||
        (failed && options_.log == GuardOptions::Log::Errors))
        write_line(answered);
}

/// The target is left out: its query may hold a token.
void Guard::write_line(const Answered& answered) const {
    const auto us = std::chrono::duration_cast<std::chrono::microseconds>(answered.took).count();
    log::write(answered.status >= kServerError ? log::Level::Warn : log::Level::Info, "access",
               "request",
               {{"method", answered.head.method},
                {"route", answered.pattern},
                {"status", answered.status},
                {"us", us},
                {"request_id", answered.head.id},
                {"client", answered.peer.address()}});
}

}  // namespace ff::api
