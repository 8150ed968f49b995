#include "http/server.h"

#include <algorithm>
#include <list>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/free_memory.h"
#include "base/log.h"
#include "base/task_group.h"
#include "http/endpoint_text.h"
#include "http/listen_address.h"
#include "http/session.h"
#include "http/unix_path.h"

namespace ff::http {
namespace asio = boost::asio;
using Protocol = asio::generic::stream_protocol;

namespace {

constexpr auto kAsTuple = asio::as_tuple(asio::use_awaitable);
constexpr std::chrono::milliseconds kAcceptPause{100};
/// At the limit, sessions are looked at this often though none has ended: a request that waited
/// for its handler may have become one whose client does not read.
constexpr std::chrono::milliseconds kLookAgain{1000};
/// How long after the end of a connection free memory is given back, and how much of it is kept.
constexpr std::chrono::milliseconds kTrimPause{2000};
constexpr std::size_t kFreeBytesKept = std::size_t{32} << 20;

using Acceptor = asio::basic_socket_acceptor<Protocol>;

/// Refuses with code `config`, naming the address.
Error cannot_listen(const ServerOptions& options, const std::string& why) {
    const ListenAddress address{.host = options.host, .port = options.port};
    const std::string where = options.unix_path.empty() ? address.to_text() : options.unix_path;
    return Error{
        .code = "config", .detail = {where}, .message = "cannot listen on " + where + ": " + why};
}

Result<Protocol::endpoint> endpoint_of(const ServerOptions& options) {
    if (!options.unix_path.empty())
        return Protocol::endpoint(asio::local::stream_protocol::endpoint(options.unix_path));
    boost::system::error_code failure;
    const auto address =
        asio::ip::make_address(options.host == "localhost" ? "127.0.0.1" : options.host, failure);
    if (failure) return cannot_listen(options, "not an IP address");
    return Protocol::endpoint(asio::ip::tcp::endpoint(address, options.port));
}

}  // namespace

class Server::Impl {
  public:
    Impl(const asio::any_io_executor& loop, ServerOptions options, Handler& handler)
        : context_{.options = std::move(options), .handler = handler},
          loop_(loop),
          acceptor_(loop),
          room_for_more_(loop),
          accepting_(loop, "http accept"),
          sessions_(loop, "http sessions") {}

    Result<Done> bind() {
        const bool local = !context_.options.unix_path.empty();
        if (local) {
            const auto why = clear_unix_path(context_.options.unix_path);
            if (why) return cannot_listen(context_.options, *why);
        }
        FF_TRY(const Protocol::endpoint endpoint, endpoint_of(context_.options));
        boost::system::error_code failure;
        acceptor_.open(endpoint.protocol(), failure);
        if (!failure && !local)
            acceptor_.set_option(asio::socket_base::reuse_address(true), failure);
        if (!failure) acceptor_.bind(endpoint, failure);
        if (!failure) acceptor_.listen(asio::socket_base::max_listen_connections, failure);
        if (failure) return cannot_listen(context_.options, failure.message());
        port_ = port_of(acceptor_.local_endpoint());
        accepting_.spawn(accept_all());
        return Done{};
    }

    std::uint16_t port() const { return port_; }
    std::size_t connections() const { return live_.size(); }

    void drain() {
        if (context_.draining) return;
        context_.draining = true;
        boost::system::error_code ignored;
        acceptor_.close(ignored);
        // Unless somebody took it away, and another process serves one of that name by now.
        if (!context_.options.unix_path.empty()) clear_unix_path(context_.options.unix_path);
        accepting_.cancel();
        for (Session* session : live_)
            if (session != nullptr) session->interrupt_idle();
    }

    asio::awaitable<void> stop(Deadline grace) {
        drain();
        co_await accepting_.join();
        TaskGroup cutter(loop_, "http drain");
        cutter.spawn(cut_at(grace));
        co_await sessions_.join();
        cutter.cancel();
        co_await cutter.join();
    }

  private:
    asio::awaitable<void> accept_all() {
        while (!context_.draining) {
            if (live_.size() >= context_.options.connections_max) {
                co_await make_room();
                continue;
            }
            auto [failure, socket] = co_await acceptor_.async_accept(kAsTuple);
            if (context_.draining) co_return;
            if (failure) {
                // Out of file descriptors, most likely: accepting again at once would spin.
                log::warn("http", "accept_failed", {{"why", failure.message()}});
                room_for_more_.expires_after(kAcceptPause);
                co_await room_for_more_.async_wait(kAsTuple);
                continue;
            }
            boost::system::error_code ignored;
            socket.set_option(asio::ip::tcp::no_delay(true), ignored);
            live_.push_back(nullptr);
            sessions_.spawn(serve(std::move(socket), std::prev(live_.end())));
        }
    }

    asio::awaitable<void> make_room() {
        co_await acceptor_.async_wait(Acceptor::wait_read, kAsTuple);
        context_.crowded = true;
        while (!context_.draining && live_.size() >= context_.options.connections_max) {
            room_for_more_.expires_at(end_most_dispensable());
            co_await room_for_more_.async_wait(kAsTuple);
        }
        context_.crowded = false;
    }

    asio::awaitable<void> serve(Protocol::socket socket, std::list<Session*>::iterator place) {
        Session session(std::move(socket), context_);
        *place = &session;
        co_await session.run();
        live_.erase(place);
        room_for_more_.cancel();
        if (!trimming_ && !context_.draining) accepting_.spawn(give_memory_back());
    }

    /// What many connections held at once is not needed for long after they have gone.
    asio::awaitable<void> give_memory_back() {
        trimming_ = true;
        asio::steady_timer timer(loop_, kTrimPause);
        const auto [cancelled] = co_await timer.async_wait(kAsTuple);
        trimming_ = false;
        if (!cancelled) give_back_free_memory(kFreeBytesKept);
    }

    /// Ends the session that can be spared best, if there is one. When to look again, unless a
    /// session ends before.
    Session::IdleClock::time_point end_most_dispensable() {
        const auto now = Session::IdleClock::now();
        Session* chosen = nullptr;
        auto earliest = Session::IdleClock::time_point::max();
        for (Session* session : live_) {
            const auto from = session == nullptr ? now + kLookAgain : session->dispensable_from();
            if (from >= earliest) continue;
            earliest = from;
            chosen = session;
        }
        if (chosen == nullptr || earliest > now) return std::min(earliest, now + kLookAgain);
        if (chosen->idle()) {
            chosen->interrupt_idle();
        } else {
            chosen->cut();
        }
        return now + kLookAgain;
    }

    asio::awaitable<void> cut_at(Deadline grace) {
        asio::steady_timer timer(loop_, grace.at());
        const auto [cancelled] = co_await timer.async_wait(kAsTuple);
        if (cancelled) co_return;
        log::warn("http", "requests_cut", {{"connections", live_.size()}});
        for (Session* session : live_)
            if (session != nullptr) session->cut();
        sessions_.cancel();
    }

    SessionContext context_;
    asio::any_io_executor loop_;
    Acceptor acceptor_;
    asio::steady_timer room_for_more_;
    std::uint16_t port_ = 0;
    bool trimming_ = false;       // a task will give memory back
    std::list<Session*> live_{};  // null until the session's task has begun
    TaskGroup accepting_;
    TaskGroup sessions_;
};

Result<std::unique_ptr<Server>> Server::listen(const asio::any_io_executor& loop,
                                               ServerOptions options, Handler& handler) {
    auto impl = std::make_unique<Impl>(loop, std::move(options), handler);
    FF_CHECK(impl->bind());
    return std::unique_ptr<Server>(new Server(std::move(impl)));
}

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() = default;

std::uint16_t Server::port() const {
    return impl_->port();
}

std::size_t Server::connections() const {
    return impl_->connections();
}

void Server::drain() {
    impl_->drain();
}

asio::awaitable<void> Server::stop(Deadline grace) {
    return impl_->stop(grace);
}

}  // namespace ff::http
