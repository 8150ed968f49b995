// The function library on real servers.

#include <gtest/gtest.h>

#include "client.h"
#include "store_suite/hosts.h"
#include "support/valkey_server.h"

namespace ff::testing {
namespace {

valkey::Library library(std::int64_t version) {
    return {.source = suite_library(version), .version = version, .digest = suite_digest(version)};
}

store::Call incr(std::string_view key) {
    store::Call call;
    const std::vector<std::string_view> keys = {key};
    call.command = store::function_command("t_incr", keys, {});
    return call;
}

TEST(Ch01, S34_FiftyCallsWithoutTheLibraryShareOneReload) {
    const ValkeyServer server = ValkeyServer::start();
    valkey::Options options = quick({local(server.port())});
    options.library = library(1000);
    Client client(options);
    ASSERT_TRUE(run(client.loop(), client.store().ensure_library()).has_value());
    EXPECT_EQ(client.probe().loads, 1);
    server.connect()("FUNCTION", "FLUSH");
    Background calls(client);
    for (int i = 0; i < 50; ++i) calls.start(incr("k"));
    calls.join();
    EXPECT_EQ(client.probe().loads, 2);
    EXPECT_EQ(calls.finished() - calls.count("no_script"), 50U);
    EXPECT_EQ(client.call({"GET", "k"}), "\"50\"") << "each ran once";
}

TEST(LibraryLoader, APipelineWithoutTheLibraryGetsItAsWell) {
    const ValkeyServer server = ValkeyServer::start();
    valkey::Options options = quick({local(server.port())});
    options.library = library(1000);
    Client client(options);
    std::vector<store::Call> calls;
    for (int i = 0; i < 3; ++i) {
        calls.push_back(incr("k"));
        calls.push_back(words({"PING"}));
    }
    const auto replies = run(client.loop(), client.store().pipeline(std::move(calls)));
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(shown(replies[i * 2]), R"([1, "OK", ")" + std::to_string(i + 1) + R"("])");
        EXPECT_EQ(shown(replies[i * 2 + 1]), "PONG");
    }
    EXPECT_EQ(client.probe().loads, 1);
}

TEST(LibraryLoader, ANewerOneStaysAndTheSameTextIsNotLoadedAgain) {
    const ValkeyServer server = ValkeyServer::start();
    valkey::Options options = quick({local(server.port())});
    options.library = library(1001);
    Client newer(options);
    ASSERT_TRUE(run(newer.loop(), newer.store().ensure_library()).has_value());
    ASSERT_TRUE(run(newer.loop(), newer.store().ensure_library()).has_value());
    EXPECT_EQ(newer.probe().loads, 1);

    options.library = library(1000);
    Client older(options);
    ASSERT_TRUE(run(older.loop(), older.store().ensure_library()).has_value());
    EXPECT_EQ(older.probe().loads, 0) << "never a downgrade";
    EXPECT_EQ(older.call({"FCALL", "ff_version", "0"}), "\"1001\"");

    options.library = library(1001);
    options.library->source += "-- another text\n";
    options.library->digest = "of another text";
    Client edited(options);
    ASSERT_TRUE(run(edited.loop(), edited.store().ensure_library()).has_value());
    EXPECT_EQ(edited.probe().loads, 1) << "an edit without a new version goes not unnoticed";
}

TEST(LibraryLoader, SourceThatDoesNotCompileFailsAtOnce) {
    const ValkeyServer server = ValkeyServer::start();
    valkey::Options options = quick({local(server.port())});
    options.library =
        valkey::Library{.source = "#!lua name=flowfabric\nthis is no Lua", .version = 1000};
    Client client(options);
    const auto start = std::chrono::steady_clock::now();
    const auto failed = run(client.loop(), client.store().ensure_library());
    EXPECT_FALSE(failed.has_value());
    EXPECT_LT(std::chrono::steady_clock::now() - start, milliseconds(400));
    const auto call = run(client.loop(), client.store().fcall(incr("k")));
    EXPECT_FALSE(call.has_value());
}

TEST(LibraryLoader, WithoutOneAnUnknownFunctionIsReported) {
    const ValkeyServer server = ValkeyServer::start();
    Client client(quick({local(server.port())}));
    EXPECT_EQ(shown(run(client.loop(), client.store().fcall(incr("k")))), "no_script");
}

TEST(Ch01, S36_BootRestoresTheLibraryWhereAPrimaryLostIt) {
    ValkeyCluster cluster = ValkeyCluster::start({.primaries = 3});
    valkey::Options options = quick({local(cluster.ports().at(0))});
    options.cluster = true;
    options.library = library(1000);
    {
        Client first(options);
        ASSERT_TRUE(run(first.loop(), first.store().ensure_library()).has_value());
        EXPECT_EQ(first.probe().loads, 3);
    }
    cluster.node(1).connect()("FUNCTION", "FLUSH");
    Client second(options);
    ASSERT_TRUE(run(second.loop(), second.store().ensure_library()).has_value());
    EXPECT_EQ(second.probe().loads, 1);
    EXPECT_EQ(cluster.node(1).connect()("FCALL", "ff_version", "0").text, "1000");
}

TEST(VersionCheck, AcceptsWhatRunsHere) {
    const ValkeyServer valkey = ValkeyServer::start();
    Client client(quick({local(valkey.port())}));
    const auto version = run(client.loop(), client.store().check_version());
    ASSERT_TRUE(version.has_value()) << version.error().text();
    EXPECT_EQ(version->product, valkey::ServerProduct::Valkey);
    EXPECT_GE(version->major, 8U);

    const ValkeyServer redis = ValkeyServer::start({.product = Product::Redis7});
    valkey::Options options = quick({local(redis.port())});
    options.allow_redis = true;
    Client other(options);
    const auto accepted = run(other.loop(), other.store().check_version());
    ASSERT_TRUE(accepted.has_value());
    EXPECT_EQ(accepted->product, valkey::ServerProduct::Redis);
    EXPECT_EQ(accepted->text, "7.0.15");
}

}  // namespace
}  // namespace ff::testing
