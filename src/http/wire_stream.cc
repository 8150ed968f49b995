#include "http/wire_stream.h"

#include <optional>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>

#include "http/tls_native.h"

namespace ff::http {
namespace asio = boost::asio;
namespace beast = boost::beast;

namespace {

constexpr auto kAsTuple = asio::as_tuple(asio::use_awaitable);

}  // namespace

struct WireStream::Layers {
    using Plain = beast::basic_stream<asio::generic::stream_protocol>;

    Layers(Socket socket, std::shared_ptr<TlsKeys::Native> with)
        : keys(std::move(with)), plain(std::move(socket)) {
        if (keys) tls.emplace(plain, keys->context);
    }

    std::shared_ptr<TlsKeys::Native> keys;  // shared with the connections made with it
    Plain plain;
    std::optional<asio::ssl::stream<Plain&>> tls{};
    beast::flat_buffer buffer{};
};

WireStream::WireStream(Socket socket, std::shared_ptr<TlsKeys::Native> keys)
    : layers_(std::make_unique<Layers>(std::move(socket), std::move(keys))) {}

WireStream::~WireStream() = default;

WireStream::Socket& WireStream::socket() {
    return layers_->plain.socket();
}

bool WireStream::encrypted() const {
    return layers_->tls.has_value();
}

void WireStream::expires_after(std::chrono::milliseconds span) {
    layers_->plain.expires_after(span);
}

void WireStream::cancel() {
    layers_->plain.cancel();
}

void WireStream::close() {
    layers_->plain.close();
}

asio::awaitable<WireStream::Failure> WireStream::handshake() {
    const auto [failure] =
        co_await layers_->tls->async_handshake(asio::ssl::stream_base::server, kAsTuple);
    co_return failure;
}

asio::awaitable<WireStream::Failure> WireStream::goodbye() {
    const auto [failure] = co_await layers_->tls->async_shutdown(kAsTuple);
    co_return failure;
}

std::string_view WireStream::received() const {
    const auto data = layers_->buffer.cdata();
    return {static_cast<const char*>(data.data()), data.size()};
}

void WireStream::consume(std::size_t count) {
    layers_->buffer.consume(count);
}

void WireStream::shrink() {
    beast::flat_buffer& buffer = layers_->buffer;
    if (buffer.size() == 0 && buffer.capacity() > kReadBytes) buffer = beast::flat_buffer();
}

asio::awaitable<WireStream::Failure> WireStream::receive(std::size_t most) {
    beast::flat_buffer& buffer = layers_->buffer;
    const asio::mutable_buffer into = buffer.prepare(most);
    if (layers_->tls) {
        const auto [failure, count] = co_await layers_->tls->async_read_some(into, kAsTuple);
        buffer.commit(count);
        co_return failure;
    }
    const auto [failure, count] = co_await layers_->plain.async_read_some(into, kAsTuple);
    buffer.commit(count);
    co_return failure;
}

asio::awaitable<WireStream::Failure> WireStream::write(Pieces pieces) {
    writing_since_ = std::chrono::steady_clock::now();
    if (layers_->tls) {
        const auto [failure, count] = co_await asio::async_write(*layers_->tls, pieces, kAsTuple);
        writing_since_.reset();
        co_return failure;
    }
    const auto [failure, count] = co_await asio::async_write(layers_->plain, pieces, kAsTuple);
    writing_since_.reset();
    co_return failure;
}

}  // namespace ff::http
