#include "api/exec_world.h"

namespace ff::testing {
namespace {

class Ch07Steps : public ExecApi {
  protected:
    static std::string path(std::string_view id, std::string_view query = "") {
        return "/v1/executions/" + encode(id) + "/steps" + std::string(query);
    }
    JsonReply record(const HeldTask& task, std::string_view steps) {
        return act(task, "steps", ",\"steps\":" + std::string(steps));
    }
    JsonReply read(std::string_view id, std::string_view query = "") {
        return world().get(path(id, query));
    }
};

TEST_P(Ch07Steps, S64_TheFirstWriteWinsAndIsToldToTheSecond) {
    created_id();
    const HeldTask task = claim_one();
    EXPECT_NE(task.raw.find(R"("steps_state":"none")"), std::string::npos) << task.raw;
    const JsonReply first =
        record(task, R"([{"name":"charge","value":"{\"id\":7}","encoding":"json"},)"
                     R"({"name":"picture","value_base64":"//79"}])");
    EXPECT_EQ(first.status, 200) << first.body;
    EXPECT_EQ(first.body, R"({"steps":[{"name":"charge","status":"recorded"},)"
                          R"({"name":"picture","status":"recorded"}]})");
    const JsonReply second =
        record(task, R"([{"name":"picture","value":"x"},{"name":"charge","value":"y"}])");
    EXPECT_EQ(second.status, 200);
    EXPECT_EQ(second.body,
              R"({"steps":[{"name":"picture","value_base64":"//79","status":"duplicate"},)"
              R"({"name":"charge","value":"{\"id\":7}","encoding":"json","status":"duplicate"}]})");
    const JsonReply all = read(task.execution_id);
    EXPECT_EQ(all.status, 200) << all.body;
    const auto steps = *all.json().find("steps");
    ASSERT_EQ(steps.size(), 2U);
    EXPECT_EQ(steps.element(0).find("name")->as_string(), "charge");
    EXPECT_EQ(steps.element(0).find("encoding")->as_string(), "json");
    EXPECT_EQ(steps.element(0).find("attempt_index")->as_integer(), 0);
    EXPECT_GT(steps.element(0).find("recorded_at")->as_integer(), 0);
    EXPECT_EQ(steps.element(1).find("value_base64")->as_string(), "//79");
    EXPECT_NE(all.body.find(R"("next_cursor":null)"), std::string::npos);
}

TEST_P(Ch07Steps, S64_TheNextClaimBringsThemAlong) {
    created_id();
    const HeldTask task = claim_one();
    record(task, R"([{"name":"a","value":"1","encoding":"json"}])");
    EXPECT_EQ(act(task, "release").status, 200);
    const HeldTask again = claim_one();
    EXPECT_NE(again.raw.find(R"("steps_state":"inline","steps":[{"name":"a","value":"1",)"
                             R"("encoding":"json"}])"),
              std::string::npos)
        << again.raw;
    EXPECT_EQ(act(again, "release").status, 200);
    const HeldTask bare = claim_one(R"(,"include_payload":false)");
    EXPECT_NE(bare.raw.find(R"("steps_state":"omitted")"), std::string::npos) << bare.raw;
    EXPECT_EQ(bare.raw.find(R"("steps":)"), std::string::npos);
}

TEST_P(Ch07Steps, S64_PagesFollowTheCursor) {
    created_id();
    const HeldTask task = claim_one();
    record(task, R"([{"name":"a","value":""},{"name":"b","value":""},{"name":"c","value":""}])");
    std::string names;
    std::string query = "?limit=2";
    for (int page = 0; page < 3; ++page) {
        const JsonReply reply = read(task.execution_id, query);
        ASSERT_EQ(reply.status, 200) << reply.body;
        const auto steps = *reply.json().find("steps");
        for (std::size_t i = 0; i < steps.size(); ++i)
            names += *steps.element(i).find("name")->as_string();
        names += "|";
        const auto cursor = reply.json().find("next_cursor")->as_string();
        if (!cursor) break;
        query = "?limit=2&after=" + std::string(*cursor);
    }
    EXPECT_EQ(names, "ab|c|");
    EXPECT_EQ(read(task.execution_id, "?after=x").code(), "invalid_cursor");
    EXPECT_EQ(read("{fp:1}:11111111-2222-4333-8444-555555555555").code(), "execution_not_found");
}

TEST_P(Ch07Steps, S64_WhatIsWrongIsRefusedByName) {
    created_id(R"(,"policy":{"max_steps_bytes":10})");
    const HeldTask task = claim_one();
    const JsonReply limit = record(task, R"([{"name":"a","value":"12345678901"}])");
    EXPECT_EQ(limit.status, 409);
    EXPECT_EQ(limit.code(), "step_limit_exceeded");
    EXPECT_NE(limit.text("error").find("more than 10 bytes"), std::string::npos) << limit.body;
    EXPECT_NE(limit.text("error").find("max_steps_bytes"), std::string::npos) << limit.body;
    for (const std::string steps :
         {R"([])", R"([{"value":"1"}])", R"([{"name":"a"}])", R"([{"name":"a","vlaue":"1"}])",
          R"([{"name":"","value":"1"}])", R"([{"name":"a","value":1}])",
          R"([{"name":"a","value":"1","value_base64":"MQ=="}])"}) {
        const JsonReply reply = record(task, steps);
        EXPECT_EQ(reply.status, 400) << steps << reply.body;
        EXPECT_EQ(reply.code(), "invalid_input") << steps;
    }
    EXPECT_EQ(act(task.execution_id, "steps", R"({"steps":[{"name":"a","value":"1"}]})").code(),
              "fence_required");
    EXPECT_EQ(act(task, "complete").status, 200);
    EXPECT_EQ(record(task, R"([{"name":"a","value":"1"}])").code(), "execution_not_active");
}

TEST_P(Ch07Steps, S64_AReplayKeepsThemIfAsked) {
    created_id();
    const HeldTask task = claim_one();
    record(task, R"([{"name":"a","value":"1"}])");
    EXPECT_EQ(act(task, "complete").status, 200);
    EXPECT_EQ(act(task.execution_id, "replay", R"({"keep_steps":true})").status, 200);
    const HeldTask kept = claim_one();
    EXPECT_NE(kept.raw.find(R"("steps_state":"inline")"), std::string::npos);
    EXPECT_EQ(act(kept, "complete").status, 200);
    EXPECT_EQ(act(task.execution_id, "replay", "{}").status, 200);
    EXPECT_NE(claim_one().raw.find(R"("steps_state":"none")"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Stores, Ch07Steps, ::testing::Values("embedded", "valkey"));

}  // namespace
}  // namespace ff::testing
