#pragma once

#include <functional>

#include "http/handler.h"

namespace ff::app {

/// Stands at the listener from the first moment of a start: answers everything with the reason why
/// it is too early, until the server is inside.
class FrontDoor final : public http::Handler {
  public:
    using Early = std::function<http::Response()>;

    explicit FrontDoor(Early early) : early_(std::move(early)) {}
    /// From now on `inside` answers; it outlives the door.
    void open(http::Handler& inside) { inside_ = &inside; }

    http::Admission admit(const http::Request& head, http::Peer& peer) override;
    boost::asio::awaitable<http::Response> handle(http::Request request, http::Peer& peer) override;

  private:
    Early early_;
    http::Handler* inside_ = nullptr;
};

/// 503 with the usual error body and how far loading the data has come.
http::Response still_loading(unsigned percent);

}  // namespace ff::app
