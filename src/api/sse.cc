#include "api/sse.h"

#include <memory>
#include <utility>

#include "api/error_reply.h"
#include "api/while_connected.h"
#include "base/log.h"

namespace ff::api {
namespace asio = boost::asio;
namespace {

/// A client that does not take so much within the server's patience is too slow.
constexpr std::size_t kPieceBytesMax = std::size_t{64} << 10;

/// What is shared by the parts of one response, as long as any of them lives.
struct Connection {
    Pool::Permit permit;
    SseSource source;
    http::Peer& peer;
};

asio::awaitable<void> serve(std::shared_ptr<Connection> connection, http::BodyWriter& body) {
    SseStream stream(body);
    const Result<Done> greeted = co_await body.write("retry: 2000\n\n");
    if (!greeted.has_value()) co_return;
    co_await while_connected(connection->peer, connection->source(stream));
}

}  // namespace

SseText& SseText::event(std::string_view name, std::string_view id, std::string_view data) {
    text_.append("event: ").append(name).append("\n");
    if (!id.empty()) text_.append("id: ").append(id).append("\n");
    text_.append("data: ").append(data).append("\n\n");
    return *this;
}

SseText& SseText::heartbeat() {
    text_.append(": hb\n\n");
    return *this;
}

asio::awaitable<bool> SseStream::send(SseText text) {
    const std::string bytes = text.take();
    for (std::size_t at = 0; at < bytes.size(); at += kPieceBytesMax) {
        std::string piece = bytes.substr(at, kPieceBytesMax);
        const Result<Done> written = co_await body_.write(std::move(piece));
        if (!written.has_value()) co_return false;
    }
    const bool gone = co_await client_gone();
    co_return !gone;
}

asio::awaitable<void> SseStream::fail(Error error) {
    SseText text;
    if (error.code == "shutting_down") {
        text.event("shutdown", "", "{}");
    } else {
        const http::Response reply = error_reply(std::move(error));
        text.event("error", "", reply.body);
    }
    const bool sent = co_await send(std::move(text));
    if (!sent) log::debug("api", "sse_client_gone");
}

bool wants_events(const Call& call) {
    const auto accept = call.request().header("Accept");
    return accept && accept->find("text/event-stream") != std::string_view::npos;
}

http::Response sse_response(Call& call, Pool::Permit permit, SseSource source) {
    auto connection =
        std::make_shared<Connection>(std::move(permit), std::move(source), call.peer());
    return {.content_type = "text/event-stream",
            .headers = {{.name = "Cache-Control", .value = "no-cache, no-transform"},
                        {.name = "X-Accel-Buffering", .value = "no"}},
            .stream = [connection](http::BodyWriter& body) { return serve(connection, body); }};
}

http::Response no_more_events() {
    return {.status = 204};
}

}  // namespace ff::api
