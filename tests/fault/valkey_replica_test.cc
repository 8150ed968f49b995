// What a server acknowledges is with the replicas of its Valkey, where the settings ask for it.

#include <chrono>
#include <future>
#include <optional>

#include <gtest/gtest.h>

#include "boot/server_process.h"
#include "support/wait.h"

namespace ff::testing {
namespace {

class ValkeyReplica : public ::testing::Test {
  protected:
    void SetUp() override {
        // What a boot writes waits for the replica, too.
        ASSERT_TRUE(wait_until([this] {
            // Of one that has yet to load its first copy, only a write tells.
            RespConnection connection = primary_.connect();
            connection.command({"SET", "written", "1"});
            return connection.command({"WAIT", "1", "100"}).integer == 1;
        }));
        server_.emplace(with(of_valkey(primary_.port()), "FF_WAIT_REPLICAS", "1:1000"));
    }
    bool replica_has(const std::string& id) {
        RespConnection connection = replica_.connect();
        const std::string tag = id.substr(0, id.find('}') + 1);
        return connection.command({"EXISTS", "ff:exec:" + tag + ":" + id + ":core"}).integer == 1;
    }

    ValkeyServer primary_ = ValkeyServer::start();
    ValkeyServer replica_ = ValkeyServer::start(
        {.arguments = {"--replicaof", "127.0.0.1 " + std::to_string(primary_.port()),
                       "--replica-lazy-flush", "no"}});
    std::optional<BootedServer> server_{};
};

TEST_F(ValkeyReplica, WhatWasAnsweredIsThere) {
    for (int i = 0; i < 200; ++i) {
        const std::string id = server_->create("lane");
        ASSERT_TRUE(replica_has(id)) << i;
    }
    std::vector<std::future<std::string>> many;
    server_->port();
    for (int i = 0; i < 32; ++i) {
        many.push_back(std::async(std::launch::async, [this] { return server_->create("many"); }));
    }
    for (auto& one : many) EXPECT_TRUE(replica_has(one.get()));
}

TEST_F(ValkeyReplica, WithoutTheReplicaNothingIsAcknowledged) {
    server_->create("lane");
    replica_.pause();
    const std::string body =
        R"({"execution_kind":"noop","lane_id":"lane","execution_id":"{fp:1}:00000000-0000-4000-8000-000000000001"})";
    const HttpReply lost = server_->post("/v1/executions", body);
    EXPECT_EQ(lost.status, 503) << lost.body;
    EXPECT_NE(lost.body.find("replicas"), std::string::npos) << lost.body;
    EXPECT_EQ(server_->get("/v1/capabilities").status, 200) << "reads go on";
    replica_.resume();
    HttpReply again;
    EXPECT_TRUE(wait_until([&] {
        again = server_->post("/v1/executions", body);
        return again.status == 200 || again.status == 201;
    }));
    EXPECT_NE(again.body.find("00000000-0000-4000-8000-000000000001"), std::string::npos);
}

/// What doctor says of the server.
std::string doctor(BootedServer& server) {
    Process doctor({.args = {FF_PROGRAM, "doctor", "--server",
                             "http://127.0.0.1:" + std::to_string(server.port())}});
    EXPECT_EQ(doctor.wait_for_exit(), 0) << doctor.out() << doctor.err();
    return doctor.out();
}

/// The version that the tests use is one of those.
TEST(ValkeyReplicaWarning, AReplicaThatMayCrashIsToldOf) {
    constexpr std::string_view kCrash = "may crash at a full resync";
    const ValkeyServer store = ValkeyServer::start();
    BootedServer warned(of_valkey(store.port()));
    EXPECT_NE(doctor(warned).find(kCrash), std::string::npos);
    EXPECT_NE(warned.process().err().find(kCrash), std::string::npos);

    store.connect().command({"CONFIG", "SET", "replica-lazy-flush", "no"});
    BootedServer content(of_valkey(store.port()));
    EXPECT_EQ(doctor(content).find(kCrash), std::string::npos);
    EXPECT_EQ(content.process().err().find(kCrash), std::string::npos);

    store.connect().command({"CONFIG", "SET", "maxmemory-policy", "allkeys-lru"});
    BootedServer evicting(of_valkey(store.port()));
    EXPECT_NE(doctor(evicting).find("may evict"), std::string::npos);
}

}  // namespace
}  // namespace ff::testing
