// The server is away for a while: callers learn it in time, nothing piles up, all recovers alone.

#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include "load.h"
#include "support/valkey_server.h"

namespace ff::testing {
namespace {

using std::chrono::steady_clock;

/// Longer in a soak.
milliseconds outage() {
    return std::getenv("FF_SOAK") != nullptr ? milliseconds(10'000) : milliseconds(2'500);
}

std::size_t resident_bytes() {
    std::ifstream file("/proc/self/statm");
    std::size_t total = 0;
    std::size_t resident = 0;
    file >> total >> resident;
    return resident * 4096;
}

TEST(Outage, CallersGetRetryableErrorsInTimeAndEverythingComesBack) {
    ValkeyServer server = ValkeyServer::start();
    LoadOptions options{.client = quick({local(server.port())}), .workers = 64};
    options.make = [](std::uint64_t number) {
        return words({"SET", "k" + std::to_string(number % 100), std::string(1'000, 'x')},
                     milliseconds(500));
    };
    options.pause = milliseconds(5);
    Load load(std::move(options));
    ASSERT_TRUE(wait_until([&] { return load.succeeded() >= 500; }));
    const std::size_t before = resident_bytes();
    server.kill();
    wait_until([] { return false; }, outage());
    const std::uint64_t away = load.answered();
    EXPECT_GT(away, 500U + 64U) << "they go on asking, and get answers";
    EXPECT_LT(resident_bytes(), before + (std::size_t{32} << 20));
    server.restart();
    const std::uint64_t goal = load.succeeded() + 500;
    EXPECT_TRUE(wait_until([&] { return load.succeeded() >= goal; }, milliseconds(3'000)))
        << "without help";
    load.stop();
    EXPECT_LT(load.slowest(), milliseconds(1'500));
    for (const auto& [kind, count] : load.failures())
        EXPECT_TRUE(kind == "io_error" || (kind == "fatal_receive" && count <= 64)) << kind;
    EXPECT_GT(load.failures()["io_error"], 0);
}

TEST(Outage, ASilentServerIsNoticedAndForgiven) {
    const ValkeyServer server = ValkeyServer::start();
    valkey::Options client = quick({local(server.port())});
    client.silence_max = milliseconds(400);
    client.session.connect_timeout = milliseconds(400);
    LoadOptions options{.client = client, .workers = 16};
    options.make = [](std::uint64_t number) {
        return words({"GET", "k" + std::to_string(number % 100)}, milliseconds(300));
    };
    Load load(std::move(options));
    ASSERT_TRUE(wait_until([&] { return load.succeeded() >= 200; }));
    server.pause();
    wait_until([] { return false; }, milliseconds(1'500));
    server.resume();
    const std::uint64_t goal = load.succeeded() + 500;
    EXPECT_TRUE(wait_until([&] { return load.succeeded() >= goal; }, milliseconds(3'000)));
    load.stop();
    EXPECT_LT(load.slowest(), milliseconds(1'000));
    EXPECT_GE(load.probe().losses, 1);
}

}  // namespace
}  // namespace ff::testing
