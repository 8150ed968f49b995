#include "app/server.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <sys/resource.h>

#include "app/instance.h"
#include "base/log.h"
#include "base/task_group.h"
#include "journal/file_system.h"

namespace ff::app {
namespace asio = boost::asio;

namespace {

constexpr int kFailedExitCode = 1;
constexpr int kInterruptedExitCode = 130;

/// Every connection takes a file: as many as the system lets us have.
void raise_file_limit() {
    rlimit files{};
    if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
    files.rlim_cur = files.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &files) != 0) log::warn("app", "file_limit_not_raised");
}

/// A server whose disk has failed acknowledges nothing any more; another may take its place. Where
/// the files are gone, that one would find an empty folder and begin anew: this one stays, refuses
/// everything, and says so in its health.
void end_or_stay(const Error& error) {
    log::error("app", "store_failed", {{"error", error.text()}});
    if (journal::category_of(error) != journal::FileError::Lost) std::_Exit(kFailedExitCode);
}

/// An instance and the signals that end it.
class ServerProcess {
  public:
    ServerProcess(asio::io_context& loop, const Settings& settings, const Ready& ready)
        : ready_(ready),
          instance_(loop.get_executor(), settings, end_or_stay),
          on_valkey_(settings.backend == Backend::Valkey),
          signals_(loop, SIGINT, SIGTERM),
          hangups_(loop, SIGHUP),
          tasks_(loop.get_executor(), "server process") {}

    void start() { tasks_.spawn(run()); }
    int exit_code() const { return exit_code_; }

  private:
    asio::awaitable<void> run() {
        // Also while it starts, which takes long where there is much to load.
        signals_.async_wait([this](const boost::system::error_code& cancelled, int number) {
            if (!cancelled) begin_stop(number);
        });
        const Result<Done> started = co_await instance_.start();
        if (!started.has_value() && stopping_) {
            signals_.cancel();
            log::info("app", "stopped");
            co_return;
        }
        if (!started.has_value()) {
            signals_.cancel();
            std::fprintf(stderr, "flowfabric: %s\n", started.error().text().c_str());
            exit_code_ = kFailedExitCode;
            co_return;
        }
        std::printf("flowfabric: serving %s\n", instance_.url().c_str());
        if (instance_.serves_console())
            std::printf("flowfabric: console %s/console/\n", instance_.url().c_str());
        std::fflush(stdout);
        started_ = true;
        if (ready_) ready_(instance_.url());
        tasks_.spawn(reload_at_hangups());
        if (!stopping_) co_await signals_.async_wait(asio::as_tuple(asio::use_awaitable));
        hangups_.cancel();
        co_await instance_.stop();
        signals_.cancel();
        log::info("app", "stopped");
    }

    void begin_stop(int number) {
        log::info("app", "stopping", {{"signal", number}});
        stopping_ = true;
        // A Valkey may not answer for long, and keeps what it was told: the next boot repeats the
        // steps of this one.
        if (on_valkey_ && !started_) {
            log::info("app", "stopped");
            std::_Exit(0);
        }
        instance_.give_up_start();
        signals_.async_wait([](const boost::system::error_code& cancelled, int) {
            if (!cancelled) std::_Exit(kInterruptedExitCode);
        });
    }

    asio::awaitable<void> reload_at_hangups() {
        for (;;) {
            const auto [cancelled, number] =
                co_await hangups_.async_wait(asio::as_tuple(asio::use_awaitable));
            if (cancelled) co_return;
            instance_.reload_tls();
        }
    }

    const Ready& ready_;
    Instance instance_;
    bool on_valkey_;
    asio::signal_set signals_;
    asio::signal_set hangups_;
    TaskGroup tasks_;
    bool started_ = false;
    bool stopping_ = false;
    int exit_code_ = 0;
};

}  // namespace

int run_server(const Settings& settings, const Ready& ready) {
    log::set_level(settings.log_level);
    // A closed pipe behind standard output is no reason to die.
    std::signal(SIGPIPE, SIG_IGN);
    raise_file_limit();
    asio::io_context loop(1);
    ServerProcess process(loop, settings, ready);
    process.start();
    loop.run();
    return process.exit_code();
}

}  // namespace ff::app
