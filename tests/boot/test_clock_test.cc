// A server whose time a test may move ahead (spec 07, section 8.1).
#include <gtest/gtest.h>

#include "boot/server_process.h"
#include "support/temp_dir.h"
#include "support/valkey_server.h"

namespace ff::testing {
namespace {

constexpr const char* kHour = R"({"advance_ms":3600000})";
constexpr const char* kThreeDays = R"({"advance_ms":259200000})";

Environment with_clock(Environment environment) {
    return with(std::move(environment), "FF_TEST_CLOCK", "1");
}

class Ch07TestClock : public ::testing::Test {
  protected:
    HttpReply advance(const char* body) { return server_.post("/v1/test/clock", body); }
    std::string state_of(const std::string& id) {
        return BootedServer::value_of(server_.get("/v1/executions/" + id).body, "public_state");
    }
    std::string claim() {
        return server_
            .post("/v1/workers/w/tasks/claim",
                  R"({"worker_instance_id":"w-1","lanes":["default"],"wait_ms":9000,)"
                  R"("lease_ttl_ms":60000})")
            .body;
    }
    static std::string token_in(const std::string& claimed) {
        return R"({"task_token":")" + BootedServer::value_of(claimed, "task_token") + "\"";
    }

    BootedServer server_{with_clock({{"FF_DATA_DIR", ":memory:"}})};
};

TEST_F(Ch07TestClock, S69_WhatFellDueHappensAtOnce) {
    const std::string delayed = server_.create("default", R"(,"delay_until":"+3600000")");
    EXPECT_EQ(state_of(delayed), "delayed");
    const HttpReply hour = advance(kHour);
    ASSERT_EQ(hour.status, 200) << hour.body;
    EXPECT_NE(hour.body.find(R"("advanced_ms":3600000)"), std::string::npos) << hour.body;
    // The wait is far shorter than the interval of any scanner that could be late.
    const std::string claimed = claim();
    EXPECT_EQ(BootedServer::value_of(claimed, "execution_id"), delayed) << claimed;
    const HttpReply asked = server_.post(
        "/v1/executions/" + delayed + "/suspend",
        token_in(claimed) + R"(,"reason_code":"waiting_for_approval","timeout_at":"+259200000",)"
                            R"("timeout_behavior":"fail","waitpoint":{"waitpoint_key":"publish"},)"
                            R"("resume_condition":{"condition_type":"signal_set",)"
                            R"("required_signal_names":["yes"],"signal_match_mode":"any"}})");
    ASSERT_EQ(asked.status, 200) << asked.body;
    ASSERT_EQ(advance(kHour).status, 200);
    EXPECT_EQ(state_of(delayed), "suspended");
    ASSERT_EQ(advance(kThreeDays).status, 200);
    EXPECT_TRUE(wait_until([&] { return state_of(delayed) == "failed"; })) << state_of(delayed);
    // Three days and two hours are no reason to doubt the clock.
    EXPECT_NE(server_.get("/healthz").body.find(R"("status":"ok")"), std::string::npos);
}

TEST_F(Ch07TestClock, S69_AWorkerHasTimeToRenewItsLeases) {
    const std::string id = server_.create("default");
    const std::string claimed = claim();
    ASSERT_EQ(advance(kThreeDays).status, 200);
    const HttpReply renewed =
        server_.post("/v1/executions/" + id + "/renew", token_in(claimed) + "}");
    EXPECT_EQ(renewed.status, 200) << renewed.body;
    EXPECT_EQ(server_.post("/v1/executions/" + id + "/complete", token_in(claimed) + "}").status,
              200);
}

TEST_F(Ch07TestClock, S69_OnlyStepsAheadAreTaken) {
    for (const char* body : {R"({"advance_ms":0})", R"({"advance_ms":-1})", R"({})",
                             R"({"advance_ms":316224000001})", R"({"advance":1})"}) {
        const HttpReply refused = advance(body);
        EXPECT_EQ(refused.status, 400) << body;
        EXPECT_NE(refused.body.find("advance_ms"), std::string::npos) << refused.body;
    }
    constexpr const char* kTenYears = R"({"advance_ms":316224000000})";
    for (int i = 0; i < 9; ++i) EXPECT_EQ(advance(kTenYears).status, 200);
    const HttpReply far = advance(kTenYears);
    EXPECT_EQ(far.status, 400);
    EXPECT_NE(far.body.find("36500 days"), std::string::npos) << far.body;
    const std::string id = server_.create("default");
    EXPECT_EQ(BootedServer::value_of(claim(), "execution_id"), id);
}

TEST(Ch07TestClockDoor, S69_IsShutUnlessItIsAskedFor) {
    BootedServer server({{"FF_DATA_DIR", ":memory:"}});
    EXPECT_EQ(server.post("/v1/test/clock", kHour).status, 404);
    EXPECT_EQ(server.get("/openapi.json").body.find("/v1/test/clock"), std::string::npos);
}

TEST(Ch07TestClockDoor, S69_IsRefusedWhereDataIsKept) {
    const TempDir folder;
    BootedServer durable(with_clock({{"FF_DATA_DIR", folder.file("data")}}));
    EXPECT_EQ(durable.process().wait_for_exit(), 1);
    EXPECT_NE(durable.process().err().find("set FF_DATA_DIR=:memory:"), std::string::npos)
        << durable.process().err();
    // Nobody listens there: it is refused before it looks.
    BootedServer on_valkey(with_clock(of_valkey(1)));
    EXPECT_EQ(on_valkey.process().wait_for_exit(), 1);
    EXPECT_NE(on_valkey.process().err().find("time of a Valkey"), std::string::npos)
        << on_valkey.process().err();
}

}  // namespace
}  // namespace ff::testing
