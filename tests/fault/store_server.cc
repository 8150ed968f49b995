#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/log.h"
#include "base/task_group.h"
#include "host/embedded_store.h"
#include "host/resp_door.h"

// An embedded store behind a RESP door, for tests that kill it.
//     store_server <folder> [shards=N] [fsync=always|off] [snapshot=BYTES] [password=TEXT] [repair]
// Says `ready <port>` when it serves, and ends with 0 on SIGTERM, with 3 when the folder is
// refused.

namespace {

namespace asio = boost::asio;

struct Settings {
    ff::host::EmbeddedOptions store{};
    ff::host::RespDoorOptions door{.port = 0};
};

Settings read_settings(int argc, char** argv) {
    Settings settings;
    if (argc > 1) settings.store.folder = argv[1];
    for (int i = 2; i < argc; ++i) {
        const std::string_view word = argv[i];
        const std::string value(word.substr(std::min(word.size(), word.find('=') + 1)));
        if (word.starts_with("shards=")) {
            settings.store.shards = static_cast<std::uint32_t>(std::stoul(value));
        }
        if (word == "fsync=off") settings.store.fsync = ff::journal::Fsync::Off;
        if (word.starts_with("snapshot=")) {
            settings.store.shard.snapshot_log_bytes = std::stoull(value);
        }
        if (word.starts_with("password=")) settings.door.password = value;
        if (word == "repair") settings.store.repair = true;
    }
    settings.store.on_fatal = [](const ff::Error&) { std::_Exit(4); };
    return settings;
}

asio::awaitable<void> serve(ff::host::EmbeddedStore& store, ff::host::RespDoorOptions options) {
    const auto loop = co_await asio::this_coro::executor;
    auto door = ff::host::RespDoor::open(loop, store, store, std::move(options));
    if (!door) {
        std::cerr << door.error().text() << std::endl;
        std::_Exit(2);
    }
    std::cout << "ready " << (*door)->port() << std::endl;
    asio::signal_set stop(loop, SIGTERM, SIGINT);
    boost::system::error_code ignored;
    co_await stop.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    co_await (*door)->stop();
    co_await store.stop();
}

}  // namespace

int main(int argc, char** argv) {
    Settings settings = read_settings(argc, argv);
    ff::log::set_level(ff::log::Level::Warn);
    auto store = ff::host::EmbeddedStore::open(std::move(settings.store));
    if (!store) {
        std::cerr << store.error().text() << std::endl;
        return 3;
    }
    asio::io_context loop(1);
    auto rethrow = [](const std::exception_ptr& failure) {
        if (failure) std::rethrow_exception(failure);
    };
    asio::co_spawn(loop, serve(**store, std::move(settings.door)), rethrow);
    loop.run();
    return 0;
}
