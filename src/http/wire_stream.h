#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/system/error_code.hpp>

#include "http/tls_keys.h"

namespace ff::http {

/// The bytes of one connection, over TCP or a unix socket, in TLS or not. Asio's and Beast's
/// operations on streams are compiled in its source file and nowhere else.
class WireStream {
  public:
    using Socket = boost::asio::generic::stream_protocol::socket;
    using Failure = boost::system::error_code;
    /// Written in one go; empty ones are allowed.
    using Pieces = std::array<boost::asio::const_buffer, 3>;

    /// Without `keys` nothing is encrypted.
    WireStream(Socket socket, std::shared_ptr<TlsKeys::Native> keys);
    ~WireStream();

    Socket& socket();
    bool encrypted() const;

    /// Bounds each operation that starts after it.
    void expires_after(std::chrono::milliseconds span);
    void cancel();
    void close();

    /// Only of an encrypted one.
    boost::asio::awaitable<Failure> handshake();
    boost::asio::awaitable<Failure> goodbye();

    /// What has arrived and was not consumed.
    std::string_view received() const;
    void consume(std::size_t count);
    /// Waits for at least one more byte.
    boost::asio::awaitable<Failure> receive() { return receive(kReadBytes); }
    /// At most so many bytes at once.
    boost::asio::awaitable<Failure> receive(std::size_t most);
    static constexpr std::size_t kReadBytes = std::size_t{16} << 10;
    /// Gives memory back that a long body needed, if nothing is left in it.
    void shrink();

    /// Since when the client has not taken what is being written; nothing while nothing is.
    std::optional<std::chrono::steady_clock::time_point> writing_since() const {
        return writing_since_;
    }
    /// The bytes stay where they are until it returns.
    boost::asio::awaitable<Failure> write(Pieces pieces);

  private:
    struct Layers;
    std::unique_ptr<Layers> layers_;
    std::optional<std::chrono::steady_clock::time_point> writing_since_{};
};

}  // namespace ff::http
