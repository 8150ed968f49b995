// Blocking reads and subscriptions on one server.

#include <gtest/gtest.h>

#include "client.h"
#include "support/valkey_server.h"

namespace ff::testing {
namespace {

using std::chrono::steady_clock;
using store::Notice;

store::Call tail(const std::string& key, int block_ms) {
    return words({"XREAD", "BLOCK", std::to_string(block_ms), "STREAMS", key, "0-0"},
                 milliseconds(block_ms + 5'000));
}

int blocked_clients(RespConnection& admin) {
    const std::string info = admin("INFO", "clients").text;
    constexpr std::string_view kField = "blocked_clients:";
    return std::stoi(info.substr(info.find(kField) + kField.size()));
}

TEST(Ch01, S40_NoCallWaitsForATail) {
    const ValkeyServer server = ValkeyServer::start();
    Client client(quick({local(server.port())}));
    auto admin = server.connect();
    Background tails(client);
    for (int i = 0; i < 64; ++i) tails.start(tail("s" + std::to_string(i), 30'000), true);
    ASSERT_TRUE(client.turn_until([&] { return blocked_clients(admin) == 64; }));
    const auto start = steady_clock::now();
    Background creates(client);
    for (int i = 0; i < 1'000; ++i) creates.start(words({"SET", "k" + std::to_string(i), "v"}));
    creates.join();
    EXPECT_EQ(creates.count("OK"), 1'000U);
    EXPECT_LT(steady_clock::now() - start, milliseconds(3'000));
    EXPECT_EQ(tails.finished(), 0U);
    run(client.loop(), client.store().stop());
    tails.join();
    EXPECT_EQ(tails.count("shutting_down"), 64U);
}

TEST(Ch01, S41_TwoTailsOnIdleStreamsBlockSideBySide) {
    const ValkeyServer server = ValkeyServer::start();
    for (const std::size_t connections : {std::size_t{2}, std::size_t{1}}) {
        valkey::Options options = quick({local(server.port())});
        options.blocking_max = connections;
        Client client(options);
        Background tails(client);
        const auto start = steady_clock::now();
        tails.start(tail("a", 1'500), true);
        tails.start(tail("b", 1'500), true);
        tails.join();
        const auto elapsed = steady_clock::now() - start;
        EXPECT_GE(elapsed, milliseconds(1'490));
        EXPECT_LT(elapsed, milliseconds(2'500)) << "not one after the other";
        EXPECT_EQ(tails.count("null"), 2U);
    }
}

TEST(BlockingPool, MoreTailsThanConnectionsAllSeeTheirEntries) {
    const ValkeyServer server = ValkeyServer::start();
    valkey::Options options = quick({local(server.port())});
    options.blocking_max = 2;
    Client client(options);
    auto admin = server.connect();
    Background tails(client);
    for (int i = 0; i < 8; ++i) tails.start(tail("s" + std::to_string(i), 20'000), true);
    EXPECT_TRUE(client.turn_until([&] { return blocked_clients(admin) == 2; }));
    for (int i = 7; i >= 0; --i) admin("XADD", "s" + std::to_string(i), "1-1", "f", "v");
    const auto start = steady_clock::now();
    tails.join();
    EXPECT_LT(steady_clock::now() - start, milliseconds(5'000));
    for (std::size_t i = 0; i < 8; ++i)
        EXPECT_NE(tails.answers()[i]->find("1-1"), std::string::npos) << *tails.answers()[i];
    const int clients = static_cast<int>(admin("CLIENT", "LIST").text.find("cmd=xread"));
    EXPECT_NE(clients, -1) << "idle ones stay for a while";
}

TEST(BlockingPool, StopDoesNotWaitForAConnectionThatNeverComes) {
    const ValkeyServer server = ValkeyServer::start();
    valkey::Options options = quick({local(server.port())});
    options.session.connect_timeout = milliseconds(15'000);
    Client client(options);
    server.pause();
    Background tails(client);
    tails.start(tail("s", 20'000), true);
    EXPECT_EQ(client.call({"PING"}, milliseconds(200)), "fatal_receive");
    const auto start = steady_clock::now();
    run(client.loop(), client.store().stop());
    tails.join();
    server.resume();
    EXPECT_EQ(tails.answers()[0], "shutting_down");
    EXPECT_LT(steady_clock::now() - start, milliseconds(2'000));
}

TEST(BlockingPool, AReadSurvivesARestartOfTheServer) {
    ValkeyServer server = ValkeyServer::start();
    Client client(quick({local(server.port())}));
    Background tails(client);
    tails.start(tail("s", 20'000), true);
    {
        auto admin = server.connect();
        EXPECT_TRUE(client.turn_until([&] { return blocked_clients(admin) == 1; }));
    }
    server.restart();
    auto admin = server.connect();
    EXPECT_TRUE(client.turn_until([&] { return blocked_clients(admin) == 1; }));
    admin("XADD", "s", "1-1", "f", "v");
    tails.join();
    EXPECT_NE(tails.answers()[0]->find("1-1"), std::string::npos);
}

TEST(BlockingPool, UnusedConnectionsAreClosed) {
    const ValkeyServer server = ValkeyServer::start();
    valkey::Options options = quick({local(server.port())});
    options.blocking_idle = milliseconds(100);
    Client client(options);
    auto admin = server.connect();
    Background tails(client);
    tails.start(tail("s", 50), true);
    tails.join();
    const auto clients = [&] {
        const std::string list = admin("CLIENT", "LIST").text;
        return std::count(list.begin(), list.end(), '\n');
    };
    EXPECT_EQ(clients(), 3) << "ours, the calls', the tail's";
    EXPECT_TRUE(client.turn_until([&] { return clients() == 2; }));
}

/// The next notice; throws when none comes in time.
Notice next(Client& client, store::Subscription& subscription) {
    auto notice = run(client.loop(), subscription.next(Deadline::after(milliseconds(10'000))));
    if (!notice.has_value() || !notice->has_value()) throw std::runtime_error("no notice");
    return **std::move(notice);
}

TEST(Subscriber, ComesBackAfterARestartAndLeavesAGap) {
    ValkeyServer server = ValkeyServer::start();
    Client client(quick({local(server.port())}));
    auto one = run(client.loop(), client.store().subscribe({.names = {"a"}, .patterns = {"w:*"}}));
    ASSERT_TRUE(one.has_value());
    server.connect()("PUBLISH", "w:1", "before");
    EXPECT_EQ(next(client, **one).message, "before");
    server.restart();
    EXPECT_EQ(next(client, **one).kind, Notice::Kind::Gap);
    server.connect()("PUBLISH", "a", "after");
    const Notice after = next(client, **one);
    EXPECT_EQ(after.channel, "a");
    EXPECT_EQ(after.message, "after");
}

TEST(Subscriber, ManyListenOnOneConnectionAndLeaveAlone) {
    const ValkeyServer server = ValkeyServer::start();
    Client client(quick({local(server.port())}));
    auto one = run(client.loop(), client.store().subscribe({.names = {"a"}}));
    auto two = run(client.loop(), client.store().subscribe({.names = {"a", "b"}}));
    ASSERT_TRUE(one.has_value() && two.has_value());
    auto admin = server.connect();
    admin("PUBLISH", "a", "1");
    EXPECT_EQ(next(client, **one).message, "1");
    EXPECT_EQ(next(client, **two).message, "1");
    one->reset();
    admin("PUBLISH", "b", "2");
    EXPECT_EQ(next(client, **two).message, "2");
    two->reset();
    const auto subscribers = [&] { return admin("PUBSUB", "NUMSUB", "a").items[1].integer; };
    EXPECT_TRUE(client.turn_until([&] { return subscribers() == 0; }));
}

TEST(Subscriber, ASlowReaderFindsAGap) {
    const ValkeyServer server = ValkeyServer::start();
    valkey::Options options = quick({local(server.port())});
    options.subscription_max = 4;
    Client client(options);
    auto slow = run(client.loop(), client.store().subscribe({.names = {"a"}}));
    ASSERT_TRUE(slow.has_value());
    auto admin = server.connect();
    for (int i = 0; i < 10; ++i) admin("PUBLISH", "a", std::to_string(i));
    EXPECT_EQ(client.call({"PING"}), "PONG");
    std::vector<Notice::Kind> kinds;
    for (int i = 0; i < 5; ++i) kinds.push_back(next(client, **slow).kind);
    EXPECT_EQ(std::count(kinds.begin(), kinds.end(), Notice::Kind::Message), 4);
    EXPECT_EQ(kinds.back(), Notice::Kind::Gap);
}

}  // namespace
}  // namespace ff::testing
