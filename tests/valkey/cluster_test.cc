// A cluster that changes under load.

#include <gtest/gtest.h>

#include "client.h"
#include "load.h"
#include "model/slot.h"
#include "store_suite/hosts.h"
#include "support/ports.h"
#include "support/valkey_server.h"

namespace ff::testing {
namespace {

using std::chrono::steady_clock;

valkey::Options cluster_options(ValkeyCluster& cluster) {
    valkey::Options options = quick({local(cluster.ports().at(0)), local(cluster.ports().at(1))});
    options.cluster = true;
    options.library = valkey::Library{.source = suite_library(kSuiteVersion),
                                      .version = kSuiteVersion,
                                      .digest = suite_digest(kSuiteVersion)};
    return options;
}

store::Call incr(const std::string& key, milliseconds patience = milliseconds(5'000)) {
    store::Call call;
    const std::vector<std::string_view> keys = {key};
    call.command = store::function_command("t_incr", keys, {});
    call.deadline = Deadline::after(patience);
    return call;
}

/// Moves one slot with its keys from one primary to another, as an operator's tool does.
void migrate(ValkeyCluster& cluster, std::uint16_t slot, std::size_t from, std::size_t to,
             const std::function<void()>& half_way) {
    auto source = cluster.node(from).connect();
    auto target = cluster.node(to).connect();
    const std::string number = std::to_string(slot);
    const std::string port = std::to_string(cluster.node(to).port());
    target("CLUSTER", "SETSLOT", number, "IMPORTING", cluster.id(from));
    source("CLUSTER", "SETSLOT", number, "MIGRATING", cluster.id(to));
    half_way();
    while (true) {
        const RespValue keys = source("CLUSTER", "GETKEYSINSLOT", number, "5");
        if (keys.items.empty()) break;
        for (const RespValue& key : keys.items)
            source("MIGRATE", "127.0.0.1", port, key.text, "0", "5000");
    }
    half_way();
    target("CLUSTER", "SETSLOT", number, "NODE", cluster.id(to));
    source("CLUSTER", "SETSLOT", number, "NODE", cluster.id(to));
}

TEST(Cluster, ASlotMovesUnderLoadAndNoCallerNotices) {
    ValkeyCluster cluster = ValkeyCluster::start({.primaries = 3});
    const std::uint16_t slot = model::slot_of("{fp:7}");
    const std::size_t from = cluster.first_owner(slot);
    const std::size_t to = (from + 1) % 3;
    LoadOptions options{.client = cluster_options(cluster)};
    options.make = [](std::uint64_t number) {
        return incr("{fp:7}:" + std::to_string(number % 50));
    };
    Load load(std::move(options));
    const auto let_run = [&load] {
        const std::uint64_t goal = load.answered() + 200;
        EXPECT_TRUE(wait_until([&] { return load.answered() >= goal; }));
    };
    let_run();
    for (int round = 0; round < 3; ++round) {
        migrate(cluster, slot, from, to, let_run);
        let_run();
        migrate(cluster, slot, to, from, let_run);
        let_run();
    }
    load.stop();
    EXPECT_TRUE(load.failures().empty()) << load.failures().begin()->first;
    // Each call ran exactly once, wherever it ended up.
    Client client(cluster_options(cluster));
    std::uint64_t sum = 0;
    for (int i = 0; i < 50; ++i) {
        const std::string text = client.call({"GET", "{fp:7}:" + std::to_string(i)});
        sum += std::stoull(text.substr(1));
    }
    EXPECT_EQ(sum, load.answered());
    const auto& seen = load.probe().redirections;
    EXPECT_NE(std::count(seen.begin(), seen.end(), "ask"), 0);
    EXPECT_NE(std::count(seen.begin(), seen.end(), "moved"), 0);
}

TEST(Cluster, FindsTheClusterThroughAnySeedThatAnswers) {
    ValkeyCluster cluster = ValkeyCluster::start({.primaries = 3});
    valkey::Options options = quick({local(free_port()), local(cluster.ports().at(2))});
    options.cluster = true;
    Client client(options);
    for (int i = 0; i < 30; ++i)
        EXPECT_EQ(client.call({"SET", "{t" + std::to_string(i) + "}", "v"}), "OK");
    EXPECT_TRUE(client.probe().redirections.empty() ||
                client.probe().redirections.front() != "moved")
        << "the map says where";
}

TEST(Cluster, NobodyThereIsRetryableAndAWrongPasswordIsNot) {
    valkey::Options nobody = quick({local(free_port())});
    nobody.cluster = true;
    nobody.session.connect_timeout = milliseconds(500);
    const Error away = Client::open_error(nobody);
    EXPECT_EQ(away.kind, "io_error");
    const ValkeyServer locked =
        ValkeyServer::start({.arguments = {"--requirepass", "right"}, .cluster = true});
    valkey::Options denied = quick({local(locked.port())});
    denied.cluster = true;
    denied.session.password = "wrong";
    const auto start = steady_clock::now();
    EXPECT_EQ(Client::open_error(denied).kind, "authentication_failed");
    EXPECT_LT(steady_clock::now() - start, milliseconds(1'000));
}

TEST(Cluster, AsksEveryPrimary) {
    ValkeyCluster cluster = ValkeyCluster::start({.primaries = 3, .replicas = 3});
    Client client(cluster_options(cluster));
    const auto replies =
        run(client.loop(), client.store().every_primary(words({"INFO", "server"})));
    ASSERT_EQ(replies.size(), 3U);
    for (const valkey::NodeReply& node : replies) EXPECT_TRUE(node.reply.has_value());
    const auto version = run(client.loop(), client.store().check_version());
    ASSERT_TRUE(version.has_value());
    EXPECT_GE(version->major, 8U);
}

/// What a load of numbered calls must have left behind.
void expect_none_ran_twice(Client& client, const Load& load, const std::string& tag) {
    int lost = 0;
    for (const auto& [number, answer] : load.answers()) {
        const std::string stored = client.call({"GET", "{" + tag + "}:" + std::to_string(number)});
        EXPECT_TRUE(stored == "null" || stored == "\"1\"") << number << ": " << stored;
        if (answer == R"([1, "OK", "1"])" && stored == "null") ++lost;
    }
    // Replication is asynchronous: what was acknowledged in the last moment may be gone.
    EXPECT_LE(lost, 32);
}

TEST(Cluster, APrimaryDiesUnderLoadAndItsReplicaTakesOver) {
    ValkeyCluster cluster = ValkeyCluster::start({.primaries = 3, .replicas = 3});
    const std::size_t victim = cluster.first_owner(model::slot_of("{fp:7}"));
    const std::size_t heir = victim + 3;
    LoadOptions unsafe_options{.client = cluster_options(cluster), .workers = 8};
    unsafe_options.make = [](std::uint64_t number) {
        return incr("{fp:7}:" + std::to_string(number));
    };
    LoadOptions safe_options{.client = cluster_options(cluster), .workers = 8};
    safe_options.make = [](std::uint64_t number) {
        return words({"SET", "{fp:7}:s" + std::to_string(number % 100), "v"}, milliseconds(15'000),
                     true);
    };
    Load unsafe(std::move(unsafe_options));
    Load safe(std::move(safe_options));
    const auto let_run = [&](std::uint64_t calls) {
        const std::uint64_t first = unsafe.succeeded() + calls;
        const std::uint64_t second = safe.succeeded() + calls;
        return wait_until(
            [&] { return unsafe.succeeded() >= first && safe.succeeded() >= second; });
    };
    ASSERT_TRUE(let_run(500));
    // Silent first, so that calls are under way when it dies.
    cluster.node(victim).pause();
    wait_until([] { return false; }, milliseconds(100));
    cluster.node(victim).kill();
    // Long enough that calls meet the dead node in every state.
    wait_until([] { return false; }, milliseconds(300));
    cluster.node(heir).connect()("CLUSTER", "FAILOVER", "TAKEOVER");
    const auto promoted = steady_clock::now();
    EXPECT_TRUE(let_run(20));
    EXPECT_LT(steady_clock::now() - promoted, milliseconds(2'000)) << "traffic is back";
    cluster.node(victim).restart();
    EXPECT_TRUE(let_run(500));
    unsafe.stop();
    safe.stop();

    EXPECT_TRUE(safe.failures().empty()) << safe.failures().begin()->first;
    for (const auto& [kind, count] : unsafe.failures()) {
        EXPECT_TRUE(kind == "fatal_receive" || kind == "io_error" || kind == "cluster_down")
            << kind << " " << count;
    }
    EXPECT_GE(unsafe.failures()["fatal_receive"], 1) << "those that were under way";
    EXPECT_LE(unsafe.failures()["fatal_receive"], 8) << "and no others";
    Client after(cluster_options(cluster));
    expect_none_ran_twice(after, unsafe, "fp:7");
    // Without a restart of ours, and without anybody loading it by hand.
    EXPECT_EQ(cluster.node(heir).connect()("FCALL", "ff_version", "0").text, "1000");
}

TEST(Cluster, ANewPrimaryWithoutTheLibraryGetsIt) {
    ValkeyCluster cluster = ValkeyCluster::start({.primaries = 3, .replicas = 3});
    Client client(cluster_options(cluster));
    ASSERT_TRUE(run(client.loop(), client.store().ensure_library()).has_value());
    const std::size_t victim = cluster.first_owner(model::slot_of("{fp:7}"));
    auto heir = cluster.node(victim + 3).connect();
    cluster.node(victim).kill();
    heir("CLUSTER", "FAILOVER", "TAKEOVER");
    heir("FUNCTION", "FLUSH");
    EXPECT_EQ(shown(run(client.loop(), client.store().fcall(incr("{fp:7}:k")))),
              R"([1, "OK", "1"])");
}

TEST(Cluster, SubscriptionsAndBlockingReadsSurviveTheLossOfTheirNode) {
    ValkeyCluster cluster = ValkeyCluster::start({.primaries = 3, .replicas = 3});
    Client client(cluster_options(cluster));
    auto subscription = run(client.loop(), client.store().subscribe({.names = {"news"}}));
    ASSERT_TRUE(subscription.has_value());
    Background tails(client);
    tails.start(
        words({"XREAD", "BLOCK", "30000", "STREAMS", "{fp:7}:s", "0-0"}, milliseconds(30'000)),
        true);
    const std::size_t victim = cluster.first_owner(model::slot_of("{fp:7}"));
    std::size_t listening = cluster.size();
    for (std::size_t i = 0; i < cluster.size(); ++i) {
        if (cluster.node(i).connect()("PUBSUB", "NUMSUB", "news").items.at(1).integer > 0)
            listening = i;
    }
    ASSERT_LT(listening, cluster.size());
    cluster.node(victim).kill();
    if (listening != victim) cluster.node(listening).kill();
    const std::size_t heir = victim + 3 == listening ? victim : victim + 3;
    if (heir == victim) cluster.node(victim).restart();
    cluster.node(heir).connect()("CLUSTER", "FAILOVER", "TAKEOVER");
    const auto gap =
        run(client.loop(), (*subscription)->next(Deadline::after(milliseconds(15'000))));
    ASSERT_TRUE(gap.has_value() && gap->has_value());
    EXPECT_EQ((*gap)->kind, store::Notice::Kind::Gap);
    EXPECT_EQ(client.call({"XADD", "{fp:7}:s", "1-1", "f", "v"}, milliseconds(15'000), true),
              "\"1-1\"");
    tails.join();
    EXPECT_NE(tails.answers()[0]->find("1-1"), std::string::npos) << *tails.answers()[0];
}

}  // namespace
}  // namespace ff::testing
