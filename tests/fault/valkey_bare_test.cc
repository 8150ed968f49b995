// A Valkey that comes back without what it held: the server puts back what it needs to go on.

#include <gtest/gtest.h>

#include "boot/server_process.h"
#include "support/wait.h"

namespace ff::testing {
namespace {

class ValkeyBare : public ::testing::Test {
  protected:
    /// The status of a suspend by a fresh task of this lane.
    HttpReply suspend_new(const std::string& lane) {
        const std::string id = server_.create(lane);
        const HttpReply claimed =
            server_.post("/v1/workers/w/tasks/claim",
                         R"({"worker_instance_id":"w-1","lanes":[")" + lane + R"("]})");
        const std::string token = BootedServer::value_of(claimed.body, "task_token");
        EXPECT_FALSE(token.empty()) << claimed.body;
        return server_.post(
            "/v1/executions/" + id + "/suspend",
            R"({"reason_code":"r","signals":["go"],"task_token":")" + token + "\"}");
    }
    std::size_t secrets() {
        RespConnection connection = valkey_.connect();
        return connection.command({"KEYS", "ff:sec:*:waitpoint_hmac"}).items.size();
    }

    ValkeyServer valkey_ = ValkeyServer::start();
    BootedServer server_{of_valkey(valkey_.port())};
};

TEST_F(ValkeyBare, AServerGoesOnOnAStoreThatCameBackEmpty) {
    ASSERT_EQ(suspend_new("before").status, 200);
    const std::size_t all = secrets();
    ASSERT_GT(all, 0U);
    valkey_.restart();
    ASSERT_TRUE(wait_until([&] { return server_.get("/healthz").status == 200; }));
    EXPECT_EQ(secrets(), all);
    const HttpReply reply = suspend_new("after");
    EXPECT_EQ(reply.status, 200) << reply.body;
    EXPECT_FALSE(BootedServer::value_of(reply.body, "waitpoint_token").empty());
    EXPECT_NE(server_.process().err().find("store_came_back_bare"), std::string::npos);
}

TEST_F(ValkeyBare, ACallThatFindsNoSecretGetsOne) {
    ASSERT_EQ(suspend_new("before").status, 200);
    RespConnection connection = valkey_.connect();
    for (const RespValue& key : connection.command({"KEYS", "ff:sec:*"}).items) {
        connection.command({"DEL", key.text});
    }
    const HttpReply reply = suspend_new("after");
    EXPECT_EQ(reply.status, 200) << reply.body;
}

TEST_F(ValkeyBare, HealthTellsThatSecretsAreGoneUntilTheyAreBack) {
    ASSERT_EQ(server_.get("/healthz").status, 200);
    RespConnection connection = valkey_.connect();
    connection.command({"DEL", "ff:sec:{fp:7}:waitpoint_hmac"});
    const HttpReply sick = server_.get("/healthz");
    EXPECT_EQ(sick.status, 503);
    EXPECT_NE(sick.body.find("hmac_secret_not_initialized"), std::string::npos) << sick.body;
    EXPECT_TRUE(wait_until([&] { return server_.get("/healthz").status == 200; }));
    EXPECT_EQ(connection.command({"EXISTS", "ff:sec:{fp:7}:waitpoint_hmac"}).integer, 1);
}

}  // namespace
}  // namespace ff::testing
