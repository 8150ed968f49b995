#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <boost/asio/async_result.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/basic_stream.hpp>

#include "http/tls_native.h"

namespace ff::http {

/// The bytes of one connection, over TCP or a unix socket, in TLS or not: an AsyncStream for Beast.
/// Without TLS it costs one comparison a call.
class WireStream {
  public:
    using Protocol = boost::asio::generic::stream_protocol;
    using Plain = boost::beast::basic_stream<Protocol>;
    using executor_type = Plain::executor_type;

    WireStream(Protocol::socket socket, std::shared_ptr<TlsKeys::Native> keys)
        : keys_(std::move(keys)), plain_(std::move(socket)) {
        if (keys_) tls_.emplace(plain_, keys_->context);
    }

    executor_type get_executor() { return plain_.get_executor(); }
    Plain::socket_type& socket() { return plain_.socket(); }
    const Plain::socket_type& socket() const { return plain_.socket(); }
    bool encrypted() const { return tls_.has_value(); }

    void expires_after(std::chrono::milliseconds span) { plain_.expires_after(span); }
    void cancel() { plain_.cancel(); }
    void close() { plain_.close(); }

    template <class Buffers, class Token>
    auto async_read_some(const Buffers& buffers, Token&& token) {
        return boost::asio::async_initiate<Token, void(boost::system::error_code, std::size_t)>(
            [this](auto handler, const Buffers& into) {
                if (tls_) {
                    tls_->async_read_some(into, std::move(handler));
                } else {
                    plain_.async_read_some(into, std::move(handler));
                }
            },
            token, buffers);
    }

    template <class Buffers, class Token>
    auto async_write_some(const Buffers& buffers, Token&& token) {
        return boost::asio::async_initiate<Token, void(boost::system::error_code, std::size_t)>(
            [this](auto handler, const Buffers& from) {
                if (tls_) {
                    tls_->async_write_some(from, std::move(handler));
                } else {
                    plain_.async_write_some(from, std::move(handler));
                }
            },
            token, buffers);
    }

    /// Only of an encrypted one.
    template <class Token>
    auto async_handshake(Token&& token) {
        return tls_->async_handshake(boost::asio::ssl::stream_base::server,
                                     std::forward<Token>(token));
    }
    template <class Token>
    auto async_goodbye(Token&& token) {
        return tls_->async_shutdown(std::forward<Token>(token));
    }

  private:
    std::shared_ptr<TlsKeys::Native> keys_;
    Plain plain_;
    std::optional<boost::asio::ssl::stream<Plain&>> tls_{};
};

}  // namespace ff::http
