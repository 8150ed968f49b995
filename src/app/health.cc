#include "app/health.h"

#include <string>

namespace ff::app {
namespace {

constexpr std::size_t kBodyBytesMax = std::size_t{64} << 10;

}  // namespace

http::Admission Health::admit(const http::Request& head) {
    return {.body_bytes_max = kBodyBytesMax, .route = std::string(head.path())};
}

boost::asio::awaitable<http::Response> Health::handle(http::Request request, http::Peer&) {
    co_return answer(request);
}

http::Response Health::answer(const http::Request& request) const {
    const bool health = request.path() == "/healthz";
    if (!health && request.path() != "/readyz")
        return http::error_response(404, {.code = "not_found", .message = "no such route"});
    if (request.method != "GET" && request.method != "HEAD") {
        auto response = http::error_response(405, invalid_input("method", "use GET"));
        response.headers.push_back({.name = "Allow", .value = "GET, HEAD"});
        return response;
    }
    if (!health && shutting_down_) {
        auto response = http::error_response(503, {.code = "shutting_down",
                                                   .cls = ErrorClass::Retryable,
                                                   .message = "the server is shutting down"});
        response.headers.push_back({.name = "Retry-After", .value = "1"});
        return response;
    }
    return {.body = R"({"status":"ok"})"};
}

}  // namespace ff::app
