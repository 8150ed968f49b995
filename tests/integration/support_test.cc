#include <algorithm>
#include <filesystem>
#include <set>

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "support/ports.h"
#include "support/process.h"
#include "support/resp_connection.h"
#include "support/run.h"
#include "support/temp_dir.h"
#include "support/valkey_server.h"

namespace ff::testing {
namespace {

bool has_line(const std::string& text, const std::string& line) {
    return text.find(line + "\r\n") != std::string::npos;
}

bool exists(pid_t pid) {
    return ::kill(pid, 0) == 0;
}

TEST(ValkeyServer, AnswersAsValkeyEightDotOneOverTcpAndUnixSocket) {
    ValkeyServer server = ValkeyServer::start();
    RespConnection tcp = server.connect();
    EXPECT_EQ(to_string(tcp("PING")), "PONG");
    const std::string info = tcp("INFO", "server").text;
    EXPECT_NE(info.find("valkey_version:8.1."), std::string::npos) << info;
    RespConnection local = server.connect_unix();
    EXPECT_EQ(to_string(local("SET", "k", std::string("a\0b", 3))), "OK");
    EXPECT_EQ(to_string(tcp("GET", "k")), "\"a\\x00b\"");
}

TEST(ValkeyServer, AnswersAsRedisSeven) {
    ValkeyServer server = ValkeyServer::start({.product = Product::Redis7});
    const std::string info = server.connect()("INFO", "server").text;
    EXPECT_NE(info.find("redis_version:7."), std::string::npos) << info;
    EXPECT_EQ(info.find("valkey_version"), std::string::npos);
}

TEST(ValkeyServer, IsGoneWithItsFolderWhenTheObjectIs) {
    pid_t pid = 0;
    std::string folder;
    {
        ValkeyServer server = ValkeyServer::start();
        pid = server.pid();
        folder = server.folder();
        EXPECT_TRUE(exists(pid));
        EXPECT_TRUE(std::filesystem::exists(folder));
    }
    EXPECT_FALSE(exists(pid));
    EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(ValkeyServer, ComesBackOnTheSamePortWithWhatItKept) {
    ValkeyServer server =
        ValkeyServer::start({.arguments = {"--appendonly", "yes", "--appendfsync", "always"}});
    const std::uint16_t port = server.port();
    RespConnection before = server.connect();
    EXPECT_EQ(to_string(before("SET", "k", "v")), "OK");
    server.kill();
    EXPECT_FALSE(before.try_command({"PING"}).has_value());
    EXPECT_FALSE(RespConnection::try_connect(port).has_value());
    server.restart();
    EXPECT_EQ(server.port(), port);
    EXPECT_EQ(to_string(server.connect()("GET", "k")), "\"v\"");
}

TEST(ValkeyServer, ForgetsEverythingUnlessToldOtherwise) {
    ValkeyServer server = ValkeyServer::start();
    EXPECT_EQ(to_string(server.connect()("SET", "k", "v")), "OK");
    server.restart();
    EXPECT_EQ(to_string(server.connect()("GET", "k")), "nil");
}

TEST(ValkeyServer, IsSilentWhilePaused) {
    ValkeyServer server = ValkeyServer::start();
    RespConnection connection = server.connect();
    connection.set_timeout(Millis(50));
    server.pause();
    EXPECT_FALSE(connection.try_command({"PING"}).has_value());
    server.resume();
    EXPECT_EQ(to_string(server.connect()("PING")), "PONG");
}

TEST(ValkeyServer, SpeaksTlsWithACertificateOfItsOwnAuthority) {
    ValkeyServer server = ValkeyServer::start({.tls = true});
    const auto verify = [&server](const std::string& ca_file) {
        return run_command({"openssl", "s_client", "-connect",
                            "127.0.0.1:" + std::to_string(server.tls_port()), "-CAfile", ca_file,
                            "-verify_return_error", "-verify_ip", "127.0.0.1"})
            .exit_code;
    };
    EXPECT_EQ(verify(server.certificates().ca_file()), 0);
    EXPECT_NE(verify(Certificates().ca_file()), 0);
}

TEST(ValkeyServer, SaysWhyItDoesNotStart) {
    try {
        ValkeyServer::start({.arguments = {"--no-such-setting", "1"}});
        FAIL() << "started";
    } catch (const std::runtime_error& failure) {
        EXPECT_NE(std::string(failure.what()).find("no-such-setting"), std::string::npos)
            << failure.what();
    }
}

TEST(ValkeyServer, RunsBesideOthers) {
    std::set<std::uint16_t> ports;
    std::vector<ValkeyServer> servers;
    for (int i = 0; i < 4; ++i) {
        servers.push_back(ValkeyServer::start());
        ports.insert(servers.back().port());
    }
    EXPECT_EQ(ports.size(), 4U);
}

TEST(ValkeyCluster, OfThreeAndThreeIsWhole) {
    ValkeyCluster cluster = ValkeyCluster::start({.primaries = 3, .replicas = 3});
    ASSERT_EQ(cluster.ports().size(), 6U);
    for (std::size_t i = 0; i < cluster.size(); ++i) {
        const std::string info = cluster.node(i).connect()("CLUSTER", "INFO").text;
        EXPECT_TRUE(has_line(info, "cluster_state:ok")) << info;
        EXPECT_TRUE(has_line(info, "cluster_size:3")) << info;
        EXPECT_TRUE(has_line(info, "cluster_known_nodes:6")) << info;
        const std::string role = cluster.node(i).connect()("ROLE").items.at(0).text;
        EXPECT_EQ(role, i < 3 ? "master" : "slave");
    }
    // 12182 is the slot of "foo".
    const std::size_t owner = cluster.first_owner(12'182);
    EXPECT_EQ(owner, 2U);
    EXPECT_EQ(to_string(cluster.node(owner).connect()("SET", "foo", "bar")), "OK");
    EXPECT_EQ(cluster.node(0).connect()("GET", "foo").text,
              "MOVED 12182 127.0.0.1:" + std::to_string(cluster.node(owner).port()));
}

TEST(ValkeyCluster, NodeComesBackAfterAKill) {
    ValkeyCluster cluster = ValkeyCluster::start({.primaries = 3});
    cluster.node(1).kill();
    cluster.node(1).restart();
    cluster.await_ok();
    EXPECT_EQ(cluster.node(1).connect()("CLUSTER", "MYID").text, cluster.id(1));
}

TEST(Process, TellsOutputAndExitCode) {
    const CommandResult result = run_command({"sh", "-c", "echo out; echo err >&2; exit 3"});
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_EQ(result.out, "out\n");
    EXPECT_EQ(result.err, "err\n");
    EXPECT_THROW(Process({.args = {"no-such-program-at-all"}}), std::exception);
}

TEST(Process, WaitsForALineAndEndsBySignal) {
    Process process(
        {.args = {"sh", "-c", "echo ready $WORD; exec sleep 60"}, .env = {{"WORD", "now"}}});
    EXPECT_EQ(process.wait_for_line("ready"), "ready now");
    EXPECT_TRUE(process.running());
    process.signal(SIGTERM);
    EXPECT_EQ(process.wait_for_exit(), 128 + SIGTERM);
}

TEST(Ports, AreNeverGivenTwice) {
    std::set<std::uint16_t> ports;
    for (int i = 0; i < 50; ++i) EXPECT_TRUE(ports.insert(free_port()).second);
}

boost::asio::awaitable<int> seven() {
    co_return 7;
}

boost::asio::awaitable<void> fail_loudly() {
    throw std::runtime_error("loud");
    co_return;
}

TEST(Run, GivesTheValueOrThrowsWhatWasThrown) {
    EXPECT_EQ(run(seven()), 7);
    boost::asio::io_context loop;
    EXPECT_THROW(run(loop, fail_loudly()), std::runtime_error);
    EXPECT_EQ(run(loop, seven()), 7);
}

}  // namespace
}  // namespace ff::testing
