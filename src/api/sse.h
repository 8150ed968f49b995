#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>

#include "api/call.h"
#include "api/pool.h"
#include "base/task.h"
#include "base/time.h"
#include "http/message.h"

namespace ff::api {

/// How long a stream of events may be silent.
constexpr Millis kHeartbeat{10'000};

/// Some server-sent events as text.
class SseText {
  public:
    /// `id` may be empty; `data` is one line.
    SseText& event(std::string_view name, std::string_view id, std::string_view data);
    SseText& heartbeat();

    bool empty() const { return text_.empty(); }
    std::string take() { return std::move(text_); }

  private:
    std::string text_{};
};

/// Where a stream of events goes.
class SseStream {
  public:
    explicit SseStream(http::BodyWriter& body) : body_(body) {}

    /// Waits for a slow client. False when it has gone: leave.
    boost::asio::awaitable<bool> send(SseText text);
    /// `event: error` with the error body, or `event: shutdown` if it says so. The stream ends.
    boost::asio::awaitable<void> fail(Error error);

  private:
    http::BodyWriter& body_;
};

/// Sends events until it returns. Lives as long as the connection; asks nothing of the call.
using SseSource = std::function<boost::asio::awaitable<void>(SseStream&)>;

/// Whether the client asks for events rather than for JSON.
bool wants_events(const Call& call);

/// A response of events. The source stops when the client has gone; the permit is held until then.
http::Response sse_response(Call& call, Pool::Permit permit, SseSource source);

/// The answer to a client that comes back after the end: stop coming.
http::Response no_more_events();

}  // namespace ff::api
