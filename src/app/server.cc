#include "app/server.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "app/health.h"
#include "base/log.h"
#include "base/task_group.h"
#include "http/server.h"

namespace ff::app {
namespace asio = boost::asio;

namespace {

constexpr int kInterruptedExitCode = 130;

/// Where a client on this machine reaches a server that listens on every address.
std::string url_of(http::ListenAddress address, std::uint16_t port) {
    if (address.host == "0.0.0.0") address.host = "127.0.0.1";
    if (address.host == "::") address.host = "::1";
    address.port = port;
    return "http://" + address.to_text();
}

/// Everything a serving process owns, and the order in which it goes.
class ServerProcess {
  public:
    ServerProcess(asio::io_context& loop, const Settings& settings)
        : settings_(settings),
          signals_(loop, SIGINT, SIGTERM),
          tasks_(loop.get_executor(), "server process"),
          loop_(loop) {}

    Result<Done> start() {
        FF_TRY(http_, http::Server::listen(
                          loop_.get_executor(),
                          {.host = settings_.listen.host, .port = settings_.listen.port}, health_));
        const std::string url = url_of(settings_.listen, http_->port());
        std::printf("flowfabric: serving %s\n", url.c_str());
        std::fflush(stdout);
        log::info("app", "serving", {{"url", url}});
        tasks_.spawn(stop_at_signal());
        return Done{};
    }

  private:
    asio::awaitable<void> stop_at_signal() {
        const auto [failure, number] =
            co_await signals_.async_wait(asio::as_tuple(asio::use_awaitable));
        log::info("app", "stopping", {{"signal", number}});
        signals_.async_wait([](const boost::system::error_code& cancelled, int) {
            if (!cancelled) std::_Exit(kInterruptedExitCode);
        });
        health_.begin_shutdown();
        const Deadline grace = Deadline::after(settings_.shutdown_grace);
        co_await http_->stop(grace);
        signals_.cancel();
        log::info("app", "stopped");
    }

    const Settings& settings_;
    Health health_;
    asio::signal_set signals_;
    std::unique_ptr<http::Server> http_;
    TaskGroup tasks_;
    asio::io_context& loop_;
};

}  // namespace

int run_server(const Settings& settings) {
    log::set_level(settings.log_level);
    // A closed pipe behind standard output is no reason to die.
    std::signal(SIGPIPE, SIG_IGN);
    asio::io_context loop(1);
    ServerProcess process(loop, settings);
    const Result<Done> started = process.start();
    if (!started.has_value()) {
        std::fprintf(stderr, "flowfabric: %s\n", started.error().text().c_str());
        return 1;
    }
    loop.run();
    return 0;
}

}  // namespace ff::app
