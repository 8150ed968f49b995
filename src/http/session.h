#pragma once

#include <memory>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "http/server.h"

namespace ff::http {

/// What a session shares with its server; owned by the server, which outlives its sessions.
struct SessionContext {
    ServerOptions options{};
    Handler handler{};
    bool draining = false;  // no further request is read once this is set
};

/// One connection. `interrupt_idle` wakes it when it is waiting for a request.
class Session {
  public:
    Session(boost::asio::ip::tcp::socket socket, const SessionContext& context);
    ~Session();

    boost::asio::awaitable<void> run();
    void interrupt_idle();

  private:
    struct Stream;
    boost::asio::awaitable<bool> serve_one();

    std::unique_ptr<Stream> stream_;
    const SessionContext& context_;
    bool idle_ = true;
};

}  // namespace ff::http
