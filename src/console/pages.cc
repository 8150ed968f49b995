#include "console/pages.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace ff::console {
namespace {

constexpr unsigned kFound = 302;
constexpr unsigned kNotModified = 304;
constexpr unsigned kNotFound = 404;
constexpr std::string_view kFolder = "/console/";

/// Only what came with the page runs, and it talks to nobody but this server. Styles that scripts
/// set on single elements are no inline styles to a browser.
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'";

void add(http::Response& response, std::string name, std::string_view value) {
    response.headers.push_back({.name = std::move(name), .value = std::string(value)});
}

void secure(http::Response& response) {
    add(response, "Content-Security-Policy", kPolicy);
    add(response, "X-Content-Type-Options", "nosniff");
    add(response, "Referrer-Policy", "no-referrer");
    add(response, "Cross-Origin-Opener-Policy", "same-origin");
}

/// Relative, so that it leads to the right place behind a proxy that serves us below a path.
http::Response redirect(std::string_view to) {
    http::Response response{.status = kFound, .content_type = "text/plain"};
    add(response, "Location", to);
    add(response, "Cache-Control", "no-cache");
    return response;
}

/// Several tags may be given, and weak ones compare like strong ones here.
bool knows(std::string_view if_none_match, std::string_view etag) {
    return if_none_match == "*" || if_none_match.find(etag) != std::string_view::npos;
}

http::Response file(const Asset& asset, const http::Request& request) {
    http::Response response{.content_type = std::string(asset.content_type)};
    add(response, "ETag", asset.etag);
    add(response, "Cache-Control",
        asset.immutable ? "public, max-age=31536000, immutable" : "no-cache");
    secure(response);
    const auto known = request.header("If-None-Match");
    if (known && knows(*known, asset.etag)) {
        response.status = kNotModified;
        return response;
    }
    add(response, "Content-Encoding", "gzip");
    response.body = asset.body;
    return response;
}

http::Response no_such_file() {
    http::Response response{.status = kNotFound,
                            .content_type = "text/plain; charset=utf-8",
                            .body = "The console has no such file. It is at /console/.\n"};
    secure(response);
    return response;
}

}  // namespace

http::Admission Pages::admit(const http::Request& head, http::Peer& peer) {
    return inside_.admit(head, peer);
}

std::optional<http::Response> Pages::answer(const http::Request& request) const {
    if (request.method != "GET" && request.method != "HEAD") return std::nullopt;
    const std::string_view path = request.path();
    if (path == "/" || path == "/console") return redirect("console/");
    if (!path.starts_with(kFolder)) return std::nullopt;
    const auto asset = std::ranges::find(assets_, path.substr(kFolder.size()), &Asset::path);
    return asset == assets_.end() ? no_such_file() : file(*asset, request);
}

boost::asio::awaitable<http::Response> Pages::handle(http::Request request, http::Peer& peer) {
    std::optional<http::Response> own = answer(request);
    if (own) co_return *std::move(own);
    http::Response response = co_await inside_.handle(std::move(request), peer);
    co_return response;
}

}  // namespace ff::console
