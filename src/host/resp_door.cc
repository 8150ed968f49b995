#include "host/resp_door.h"

#include <list>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/log.h"
#include "base/task_group.h"
#include "host/resp_door_session.h"

namespace ff::host {
namespace asio = boost::asio;
using asio::ip::tcp;
namespace {

/// When accepting fails, for want of descriptors for example, it is tried again after this long.
constexpr std::chrono::milliseconds kAcceptPause{100};
constexpr std::string_view kFullReply = "-ERR max number of clients reached\r\n";

}  // namespace

class RespDoor::Impl {
  public:
    Impl(asio::any_io_executor loop, store::Store& store, ShardWorkTaker& shards,
         RespDoorOptions options)
        : store_(store),
          shards_(shards),
          options_(std::move(options)),
          acceptor_(loop),
          accepting_(loop, "resp accept"),
          sessions_(loop, "resp sessions") {}

    Result<Done> listen() {
        boost::system::error_code failure;
        const auto address = asio::ip::make_address(options_.host, failure);
        if (failure) return invalid_input("host", "not an IP address: " + options_.host);
        if (!address.is_loopback() && options_.password.empty()) {
            return invalid_input("password", "needed to listen on " + options_.host);
        }
        const tcp::endpoint endpoint(address, options_.port);
        acceptor_.open(endpoint.protocol(), failure);
        if (!failure) acceptor_.set_option(asio::socket_base::reuse_address(true), failure);
        if (!failure) acceptor_.bind(endpoint, failure);
        if (!failure) acceptor_.listen(asio::socket_base::max_listen_connections, failure);
        if (failure) {
            return invalid_input("port", "cannot listen on " + options_.host + ":" +
                                             std::to_string(options_.port) + ": " +
                                             failure.message());
        }
        port_ = acceptor_.local_endpoint().port();
        accepting_.spawn(accept_all());
        return Done{};
    }

    std::uint16_t port() const { return port_; }
    std::size_t connections() const { return sessions_.size(); }

    asio::awaitable<void> stop() {
        stopping_ = true;
        boost::system::error_code ignored;
        acceptor_.close(ignored);
        accepting_.cancel();
        co_await accepting_.join();
        sessions_.cancel();
        co_await sessions_.join();
    }

  private:
    asio::awaitable<void> accept_all() {
        co_await asio::this_coro::throw_if_cancelled(false);
        while (!stopping_) {
            auto [failure, socket] =
                co_await acceptor_.async_accept(asio::as_tuple(asio::use_awaitable));
            if (stopping_) break;
            if (failure) {
                log::warn("host", "resp_accept_failed", {{"why", failure.message()}});
                asio::steady_timer pause(acceptor_.get_executor(), kAcceptPause);
                boost::system::error_code cancelled;
                co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
                continue;
            }
            welcome(std::move(socket));
        }
    }

    void welcome(tcp::socket socket) {
        boost::system::error_code ignored;
        if (sessions_.size() >= options_.connections_max) {
            socket.non_blocking(true, ignored);
            socket.write_some(asio::buffer(kFullReply), ignored);
            return;
        }
        socket.set_option(tcp::no_delay(true), ignored);
        auto session =
            std::make_unique<DoorSession>(std::move(socket), store_, shards_, options_, ++last_id_);
        sessions_.spawn(serve(std::move(session)));
    }

    static asio::awaitable<void> serve(std::unique_ptr<DoorSession> session) {
        co_await session->run();
    }

    store::Store& store_;
    ShardWorkTaker& shards_;
    const RespDoorOptions options_;
    tcp::acceptor acceptor_;
    std::uint16_t port_ = 0;
    std::uint64_t last_id_ = 0;
    bool stopping_ = false;
    TaskGroup accepting_;
    TaskGroup sessions_;
};

RespDoor::RespDoor(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RespDoor::~RespDoor() = default;

Result<std::unique_ptr<RespDoor>> RespDoor::open(asio::any_io_executor loop, store::Store& store,
                                                 ShardWorkTaker& shards, RespDoorOptions options) {
    auto impl = std::make_unique<Impl>(std::move(loop), store, shards, std::move(options));
    FF_CHECK(impl->listen());
    return std::unique_ptr<RespDoor>(new RespDoor(std::move(impl)));
}

std::uint16_t RespDoor::port() const {
    return impl_->port();
}

std::size_t RespDoor::connections() const {
    return impl_->connections();
}

asio::awaitable<void> RespDoor::stop() {
    co_await impl_->stop();
}

}  // namespace ff::host
