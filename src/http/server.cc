#include "http/server.h"

#include <list>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/log.h"
#include "base/task_group.h"
#include "http/session.h"

namespace ff::http {
namespace asio = boost::asio;
using asio::ip::tcp;

class Server::Impl {
  public:
    Impl(asio::any_io_executor loop, ServerOptions options, Handler handler)
        : context_{.options = std::move(options), .handler = std::move(handler)},
          loop_(loop),
          acceptor_(loop),
          room_for_more_(loop),
          accepting_(loop, "http accept"),
          sessions_(loop, "http sessions") {}

    Result<Done> bind() {
        boost::system::error_code failure;
        const auto address = asio::ip::make_address(context_.options.host, failure);
        if (failure) return refuse("not an IP address");
        const tcp::endpoint endpoint(address, context_.options.port);
        acceptor_.open(endpoint.protocol(), failure);
        if (!failure) acceptor_.set_option(asio::socket_base::reuse_address(true), failure);
        if (!failure) acceptor_.bind(endpoint, failure);
        if (!failure) acceptor_.listen(asio::socket_base::max_listen_connections, failure);
        if (failure) return refuse(failure.message());
        port_ = acceptor_.local_endpoint().port();
        accepting_.spawn(accept_all());
        return Done{};
    }

    std::uint16_t port() const { return port_; }

    asio::awaitable<void> stop(Deadline grace) {
        context_.draining = true;
        accepting_.cancel();
        co_await accepting_.join();
        boost::system::error_code ignored;
        acceptor_.close(ignored);
        for (Session* session : live_) session->interrupt_idle();
        TaskGroup cutter(loop_, "http drain");
        cutter.spawn(cut_at(grace));
        co_await sessions_.join();
        cutter.cancel();
        co_await cutter.join();
    }

  private:
    Error refuse(const std::string& why) const {
        const std::string where =
            context_.options.host + ":" + std::to_string(context_.options.port);
        return Error{.code = "config",
                     .detail = {where},
                     .message = "cannot listen on " + where + ": " + why};
    }

    asio::awaitable<void> accept_all() {
        while (acceptor_.is_open() && !context_.draining) {
            if (live_.size() >= context_.options.connections_max) {
                boost::system::error_code woken;
                room_for_more_.expires_at(asio::steady_timer::time_point::max());
                co_await room_for_more_.async_wait(
                    asio::redirect_error(asio::use_awaitable, woken));
                continue;
            }
            auto [failure, socket] =
                co_await acceptor_.async_accept(asio::as_tuple(asio::use_awaitable));
            if (failure == asio::error::operation_aborted) co_return;
            if (failure) {
                // Out of file descriptors, most likely: accepting again at once would spin.
                log::warn("http", "accept_failed", {{"why", failure.message()}});
                asio::steady_timer pause(loop_, std::chrono::milliseconds(100));
                boost::system::error_code woken;
                co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, woken));
                continue;
            }
            boost::system::error_code ignored;
            socket.set_option(tcp::no_delay(true), ignored);
            sessions_.spawn(serve(std::move(socket)));
        }
    }

    asio::awaitable<void> serve(tcp::socket socket) {
        Session session(std::move(socket), context_);
        const auto place = live_.insert(live_.end(), &session);
        co_await session.run();
        live_.erase(place);
        room_for_more_.cancel();
    }

    asio::awaitable<void> cut_at(Deadline grace) {
        asio::steady_timer timer(loop_, grace.at());
        boost::system::error_code cancelled;
        co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
        if (!cancelled) sessions_.cancel();
    }

    SessionContext context_;
    asio::any_io_executor loop_;
    tcp::acceptor acceptor_;
    asio::steady_timer room_for_more_;
    std::uint16_t port_ = 0;
    std::list<Session*> live_{};
    TaskGroup accepting_;
    TaskGroup sessions_;
};

Result<std::unique_ptr<Server>> Server::listen(asio::any_io_executor loop, ServerOptions options,
                                               Handler handler) {
    auto impl = std::make_unique<Impl>(std::move(loop), std::move(options), std::move(handler));
    FF_CHECK(impl->bind());
    return std::unique_ptr<Server>(new Server(std::move(impl)));
}

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() = default;

std::uint16_t Server::port() const {
    return impl_->port();
}

asio::awaitable<void> Server::stop(Deadline grace) {
    return impl_->stop(grace);
}

}  // namespace ff::http
