#pragma once

#include "http/handler.h"

namespace ff::app {

/// The routes that tell whether the process lives and takes work: /healthz and /readyz.
class Health final : public http::Handler {
  public:
    /// From now on /readyz refuses.
    void begin_shutdown() { shutting_down_ = true; }

    http::Admission admit(const http::Request& head) override;
    boost::asio::awaitable<http::Response> handle(http::Request request, http::Peer& peer) override;

  private:
    http::Response answer(const http::Request& request) const;

    bool shutting_down_ = false;
};

}  // namespace ff::app
