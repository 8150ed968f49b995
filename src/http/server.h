#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "base/deadline.h"
#include "base/result.h"
#include "http/message.h"

namespace ff::http {

struct ServerOptions {
    std::string host = "127.0.0.1";
    std::uint16_t port = 0;  // 0 = any free one
    std::size_t header_bytes_max = 16 * 1024;
    std::size_t body_bytes_max = 1024 * 1024;
    std::size_t connections_max = 4096;
    /// How long a connection may sit between two requests or in the middle of one.
    std::chrono::seconds idle_max{60};
};

using Handler = std::function<boost::asio::awaitable<Response>(Request)>;

/// An HTTP/1.1 listener and its sessions. Lives on one single-threaded loop.
class Server {
  public:
    /// Binds and starts accepting. Refuses with code `config` when the address cannot be had.
    static Result<std::unique_ptr<Server>> listen(boost::asio::any_io_executor loop,
                                                  ServerOptions options, Handler handler);
    ~Server();

    std::uint16_t port() const;
    /// Stops accepting, lets requests in flight finish until the deadline, then cuts the rest.
    boost::asio::awaitable<void> stop(Deadline grace);

  private:
    class Impl;
    explicit Server(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace ff::http
