#include "net/connect.h"

#include <cerrno>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <sys/socket.h>

#include "net/tls_native.h"

namespace ff::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Local = asio::local::stream_protocol;
using boost::system::error_code;
constexpr auto kAwait = asio::as_tuple(asio::use_awaitable);

Error io_error(std::string_view what, const error_code& failure) {
    return Error{.code = "io_error",
                 .cls = ErrorClass::Retryable,
                 .message = std::string(what) + ": " + failure.message()};
}

template <class Socket>
class PlainStream final : public Stream {
  public:
    explicit PlainStream(Socket socket) : socket_(std::move(socket)) {}

    Task<std::size_t> read_some(std::span<char> into) override {
        const auto room = asio::buffer(into.data(), into.size());
        const auto [failure, count] = co_await socket_.async_read_some(room, kAwait);
        if (failure) co_return io_error("read", failure);
        co_return count;
    }

    Task<Done> write_all(std::string_view bytes) override {
        const auto all = asio::buffer(bytes.data(), bytes.size());
        const auto [failure, count] = co_await asio::async_write(socket_, all, kAwait);
        if (failure) co_return io_error("write", failure);
        co_return Done{};
    }

    Result<std::size_t> try_write(std::string_view bytes) override {
        const ssize_t count = ::send(socket_.native_handle(), bytes.data(), bytes.size(),
                                     MSG_DONTWAIT | MSG_NOSIGNAL);
        if (count >= 0) return static_cast<std::size_t>(count);
        if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return std::size_t{0};
        return io_error("write", error_code(errno, boost::system::system_category()));
    }

    void close() override {
        error_code ignored;
        socket_.close(ignored);
    }

  private:
    Socket socket_;
};

class TlsStream final : public Stream {
  public:
    TlsStream(tcp::socket socket, std::shared_ptr<const TlsContext> context)
        : context_(std::move(context)), stream_(std::move(socket), context_->native().context) {}

    Task<Done> shake_hands(std::string name) {
        stream_.set_verify_callback(asio::ssl::host_name_verification(name));
        error_code is_name;
        asio::ip::make_address(name, is_name);
        // What the macro SSL_set_tlsext_host_name does, without its old-style casts.
        if (is_name)
            SSL_ctrl(stream_.native_handle(), SSL_CTRL_SET_TLSEXT_HOSTNAME,
                     TLSEXT_NAMETYPE_host_name, name.data());
        const auto [failure] = co_await stream_.async_handshake(Tls::client, kAwait);
        if (!failure) co_return Done{};
        Error error = io_error("TLS with " + name, failure);
        if (SSL_get_verify_result(stream_.native_handle()) != X509_V_OK) {
            error.code = "invalid_client_config";
            error.cls = ErrorClass::Terminal;
        }
        co_return error;
    }

    Task<std::size_t> read_some(std::span<char> into) override {
        const auto room = asio::buffer(into.data(), into.size());
        const auto [failure, count] = co_await stream_.async_read_some(room, kAwait);
        if (failure) co_return io_error("read", failure);
        co_return count;
    }

    Task<Done> write_all(std::string_view bytes) override {
        const auto all = asio::buffer(bytes.data(), bytes.size());
        const auto [failure, count] = co_await asio::async_write(stream_, all, kAwait);
        if (failure) co_return io_error("write", failure);
        co_return Done{};
    }

    // A record that left half-written could not be taken back.
    Result<std::size_t> try_write(std::string_view) override { return std::size_t{0}; }

    void close() override {
        error_code ignored;
        stream_.lowest_layer().close(ignored);
    }

  private:
    using Tls = asio::ssl::stream<tcp::socket>;
    std::shared_ptr<const TlsContext> context_;
    Tls stream_;
};

/// What a timer may close while the coroutine that uses it waits.
template <class Socket>
struct Attempt {
    explicit Attempt(const asio::any_io_executor& loop) : socket(loop), timer(loop) {}
    Socket socket;
    asio::steady_timer timer;

    static std::shared_ptr<Attempt> start(const asio::any_io_executor& loop, Deadline deadline) {
        auto attempt = std::make_shared<Attempt>(loop);
        attempt->timer.expires_at(deadline.at());
        std::weak_ptr<Attempt> weak = attempt;
        attempt->timer.async_wait([weak](const error_code& cancelled) {
            const std::shared_ptr<Attempt> live = weak.lock();
            if (cancelled || !live) return;
            error_code ignored;
            live->socket.close(ignored);
        });
        return attempt;
    }
};

Task<std::shared_ptr<Stream>> connect_unix(asio::any_io_executor loop, std::string path,
                                           Deadline deadline) {
    const auto attempt = Attempt<Local::socket>::start(loop, deadline);
    if (path.size() >= sizeof(sockaddr_un::sun_path)) {
        co_return Error{.code = "invalid_client_config",
                        .message = "unix:" + path + ": the path is too long"};
    }
    const Local::endpoint endpoint(path);
    const auto [failure] = co_await attempt->socket.async_connect(endpoint, kAwait);
    if (failure) co_return io_error("connect unix:" + path, failure);
    co_return std::make_shared<PlainStream<Local::socket>>(std::move(attempt->socket));
}

Task<tcp::resolver::results_type> resolve(asio::any_io_executor loop, Address address) {
    error_code no_number;
    const auto number = asio::ip::make_address(address.host, no_number);
    if (!no_number) {
        const tcp::endpoint endpoint(number, address.port);
        co_return tcp::resolver::results_type::create(endpoint, address.host, "");
    }
    tcp::resolver resolver(loop);
    const std::string port = std::to_string(address.port);
    const auto [failure, found] = co_await resolver.async_resolve(address.host, port, kAwait);
    if (failure) co_return io_error("resolve " + address.host, failure);
    co_return found;
}

Task<std::shared_ptr<Stream>> connect_tcp(asio::any_io_executor loop, Target target,
                                          Deadline deadline) {
    FF_CO_TRY(const tcp::resolver::results_type endpoints, co_await resolve(loop, target.address));
    const auto attempt = Attempt<tcp::socket>::start(loop, deadline);
    const auto [failure, chosen] = co_await asio::async_connect(attempt->socket, endpoints, kAwait);
    if (failure) co_return io_error("connect " + target.address.text(), failure);
    error_code ignored;
    attempt->socket.set_option(tcp::no_delay(true), ignored);
    attempt->socket.set_option(asio::socket_base::keep_alive(true), ignored);
    if (!target.tls)
        co_return std::make_shared<PlainStream<tcp::socket>>(std::move(attempt->socket));
    auto stream = std::make_shared<TlsStream>(std::move(attempt->socket), target.tls);
    const CloseAt guard(loop, stream, deadline);
    const std::string& proven = target.tls->server_name();
    std::string name = proven.empty() ? target.address.host : proven;
    FF_CO_CHECK(co_await stream->shake_hands(std::move(name)));
    co_return stream;
}

}  // namespace

Task<std::shared_ptr<Stream>> connect(asio::any_io_executor loop, Target target,
                                      Deadline deadline) {
    if (!target.address.is_unix()) return connect_tcp(std::move(loop), std::move(target), deadline);
    return connect_unix(std::move(loop), std::move(target.address.unix_path), deadline);
}

struct CloseAt::Timer {
    asio::steady_timer timer;
    /// Gone with the guard, so that an expiry already on its way finds nothing to do.
    std::shared_ptr<Stream> stream;
};

CloseAt::CloseAt(asio::any_io_executor loop, const std::shared_ptr<Stream>& stream,
                 Deadline deadline) {
    if (deadline.is_never()) return;
    timer_ =
        std::make_shared<Timer>(Timer{asio::steady_timer(std::move(loop), deadline.at()), stream});
    timer_->timer.async_wait([weak = std::weak_ptr(timer_)](const error_code& cancelled) {
        const std::shared_ptr<Timer> live = weak.lock();
        if (!cancelled && live) live->stream->close();
    });
}

CloseAt::~CloseAt() = default;

}  // namespace ff::net
