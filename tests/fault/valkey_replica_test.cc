// What a server acknowledges is with the replicas of its Valkey, where the settings ask for it.

#include "boot/server_process.h"

#include <chrono>
#include <future>

#include <gtest/gtest.h>

#include "support/wait.h"

namespace ff::testing {
namespace {

class ValkeyReplica : public ::testing::Test {
  protected:
    ValkeyReplica() {
        EXPECT_TRUE(wait_until([this] {
            RespConnection connection = primary_.connect();
            return connection.command({"WAIT", "1", "100"}).integer == 1;
        }));
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
    BootedServer server_{with(of_valkey(primary_.port()), "FF_WAIT_REPLICAS", "1:300")};
};

TEST_F(ValkeyReplica, WhatWasAnsweredIsThere) {
    for (int i = 0; i < 200; ++i) {
        const std::string id = server_.create("lane");
        ASSERT_TRUE(replica_has(id)) << i;
    }
    std::vector<std::future<std::string>> many;
    server_.port();
    for (int i = 0; i < 32; ++i) {
        many.push_back(std::async(std::launch::async, [this] { return server_.create("many"); }));
    }
    for (auto& one : many) EXPECT_TRUE(replica_has(one.get()));
}

TEST_F(ValkeyReplica, WithoutTheReplicaNothingIsAcknowledged) {
    server_.create("lane");
    replica_.pause();
    const std::string body =
        R"({"execution_kind":"noop","lane_id":"lane","execution_id":"{fp:1}:00000000-0000-4000-8000-000000000001"})";
    const HttpReply lost = server_.post("/v1/executions", body);
    EXPECT_EQ(lost.status, 503) << lost.body;
    EXPECT_NE(lost.body.find("replicas"), std::string::npos) << lost.body;
    EXPECT_EQ(server_.get("/v1/capabilities").status, 200) << "reads go on";
    replica_.resume();
    HttpReply again;
    EXPECT_TRUE(wait_until([&] {
        again = server_.post("/v1/executions", body);
        return again.status == 200 || again.status == 201;
    }));
    EXPECT_NE(again.body.find("00000000-0000-4000-8000-000000000001"), std::string::npos);
}

}  // namespace
}  // namespace ff::testing
