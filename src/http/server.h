#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "base/deadline.h"
#include "base/result.h"
#include "http/handler.h"
#include "http/tls_keys.h"

namespace ff::http {

struct ServerOptions {
    std::string host = "127.0.0.1";  // an IP address, or `localhost`
    std::uint16_t port = 0;          // 0 = any free one
    /// Instead of host and port: the path of a unix socket, for whoever may open it.
    std::string unix_path{};
    /// Null: plain HTTP.
    std::shared_ptr<TlsKeys> tls{};
    std::size_t target_bytes_max = 8 * 1024;
    std::size_t header_bytes_max = 16 * 1024;
    std::size_t connections_max = 4096;
    /// How long a connection may sit between two requests, and a client may take to accept what
    /// is written to it.
    std::chrono::milliseconds idle_max{60'000};
    /// From the first byte of a request to the end of its head; also for a TLS handshake.
    std::chrono::milliseconds head_max{10'000};
    /// A body has `body_grace`, and longer only as long as it comes at this rate from its start.
    std::chrono::milliseconds body_grace{10'000};
    std::size_t body_bytes_per_second_min = std::size_t{16} << 10;
    /// How long a client may take to accept one piece of a streamed body.
    std::chrono::milliseconds piece_max{30'000};
};

/// An HTTP/1.1 listener and its sessions. Lives on one single-threaded loop, as its handler does.
///
/// At `connections_max` the connection that has been idle for longest makes room for a new one.
/// When none is idle, it is the one whose request has been arriving for longest, once that took
/// longer than a fast client needs, or whose client has not read its answer for longest. While all
/// wait for their answers, new ones wait in the kernel's queue.
class Server {
  public:
    /// Binds and starts accepting. Refuses with code `config` when the address cannot be had.
    /// `handler` outlives the server.
    static Result<std::unique_ptr<Server>> listen(const boost::asio::any_io_executor& loop,
                                                  ServerOptions options, Handler& handler);
    /// Only after stop().
    ~Server();

    /// 0 of a unix socket.
    std::uint16_t port() const;
    std::size_t connections() const;

    /// Stops accepting and closes idle connections. Requests in flight go on; each is the last of
    /// its connection.
    void drain();
    /// Drains, waits for the requests in flight until the deadline and cuts the rest.
    boost::asio::awaitable<void> stop(Deadline grace);

  private:
    class Impl;
    explicit Server(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace ff::http
