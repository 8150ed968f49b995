// What an execution gets from its lane and its server, and how long it is kept.
#include "api/exec_world.h"

namespace ff::testing {
namespace {

class DefaultsApi : public ExecApi {
  protected:
    void set_default(ServerWorld& server, std::string_view policy) {
        const JsonReply set = server.put("/v1/lanes/" + own_name(),
                                         R"({"default_policy_json":)" + std::string(policy) + "}");
        ASSERT_EQ(set.status, 200) << set.body;
    }
    std::string policy_of(std::string_view id) { return policy_in(info(id)); }
    static std::string policy_in(const JsonReply& reply) {
        const auto policy = reply.json().find("policy");
        return policy ? policy->to_text() : reply.body;
    }
    /// Of the items of an answer that has a list of objects with ids.
    static std::string member(const JsonReply& reply, std::string_view list, std::size_t at,
                              std::string_view name) {
        const auto items = reply.json().find(list);
        const auto found = items ? items->element(at).find(name) : std::nullopt;
        return found ? found->to_text() : reply.body;
    }
    static std::string text_of(const JsonReply& reply, std::string_view list, std::size_t at) {
        const std::string quoted = member(reply, list, at, "execution_id");
        return quoted.substr(1, quoted.size() - 2);
    }
};

constexpr std::string_view kOfLane =
    R"({"retry_policy":{"max_retries":5,"backoff":{"type":"fixed","delay_ms":10}},"retention_ms":9})";
constexpr std::string_view kOwn =
    R"("policy":{"retry_policy":{"backoff":{"delay_ms":70}},"max_steps_bytes":1000})";
constexpr std::string_view kTogether =
    R"({"retry_policy":{"backoff":{"delay_ms":70,"type":"fixed"},"max_retries":5},)"
    R"("max_steps_bytes":1000,"retention_ms":9})";

TEST_P(DefaultsApi, Repair_21_EveryWayOfCreatingLaysAPolicyOverThatOfTheLane) {
    set_default(world(), kOfLane);
    const std::string own = "," + std::string(kOwn);
    EXPECT_EQ(policy_of(created_id(own)), kTogether);
    EXPECT_EQ(policy_of(created_id()), kOfLane) << "nothing of its own";

    const JsonReply batch =
        world().post("/v1/executions/batch",
                     R"({"executions":[)" + new_execution(own) + "," + new_execution() + "]}");
    EXPECT_EQ(policy_of(text_of(batch, "results", 0)), kTogether);
    EXPECT_EQ(policy_of(text_of(batch, "results", 1)), kOfLane);

    const std::string lane = R"("lane_id":")" + own_name() + "\"";
    const std::string node = R"("execution_kind":"k",)" + lane + own + "}]}";
    const JsonReply flow = world().post(
        "/v1/flows/submit", R"({"namespace":"x","seal":false,"nodes":[{"name":"a",)" + node);
    ASSERT_EQ(flow.status, 201) << flow.body;
    EXPECT_EQ(policy_of(flow.json().find("nodes")->find("a")->as_string().value_or("")), kTogether);
    const JsonReply more = world().post("/v1/flows/" + flow.text("flow_id") + "/expand",
                                        R"({"nodes":[{"name":"b",)" + node);
    ASSERT_EQ(more.status, 201) << more.body;
    EXPECT_EQ(policy_of(more.json().find("nodes")->find("b")->as_string().value_or("")), kTogether);

    const JsonReply called = act(claim_one(), "call-children",
                                 R"(,"children":[{"name":"c","execution_kind":"k")" + own + "}]");
    ASSERT_EQ(called.status, 200) << called.body;
    EXPECT_EQ(policy_of(text_of(called, "children", 0)), kTogether);
}

TEST_P(DefaultsApi, Repair_21_ANodesPolicyIsLaidOverThatOfTheFlowsDefaults) {
    const JsonReply flow = world().post(
        "/v1/flows/submit", R"({"namespace":"x","defaults":{"policy":)" + std::string(kOfLane) +
                                R"(},"nodes":[{"name":"a","execution_kind":"k",)" +
                                std::string(kOwn) + "}]}");
    ASSERT_EQ(flow.status, 201) << flow.body;
    EXPECT_EQ(policy_of(flow.json().find("nodes")->find("a")->as_string().value_or("")), kTogether);
}

TEST_P(DefaultsApi, Repair_21_TheServersDefaultIsUnderTheLanes) {
    app::Settings settings;
    settings.default_policy_json =
        R"({"priority":3,"retry_policy":{"max_retries":2},"retention_ms":7})";
    ServerWorld server(GetParam(), {.settings = settings});
    const auto create_there = [&](std::string_view more) {
        const JsonReply made = server.post("/v1/executions", new_execution(more));
        EXPECT_EQ(made.status, 201) << made.body;
        return server.get("/v1/executions/" + encode(made.text("execution_id")));
    };
    const JsonReply bare = create_there("");
    EXPECT_EQ(policy_in(bare), settings.default_policy_json);
    EXPECT_EQ(bare.integer("priority"), 3);
    set_default(server, R"({"retry_policy":{"backoff":{"delay_ms":1}},"retention_ms":8})");
    ASSERT_EQ(server.put("/v1/lanes/" + own_name(), R"({"default_priority":4})").status, 200);
    const JsonReply both = create_there(R"(,"policy":{"retention_ms":9})");
    EXPECT_EQ(policy_in(both),
              R"({"retention_ms":9,"retry_policy":{"backoff":{"delay_ms":1},"max_retries":2},)"
              R"("priority":4})");
    EXPECT_EQ(both.integer("priority"), 4) << "the lane's counts more than the server's";
    EXPECT_EQ(create_there(R"(,"policy":{"priority":5})").integer("priority"), 5);
}

TEST_P(DefaultsApi, Repair_21_ADefaultOfTheLaneThatNamesNoLimitIsRefusedWithIt) {
    set_default(world(), R"({"budget_ids":["550e8400-e29b-41d4-a716-446655440000"]})");
    EXPECT_EQ(create(R"(,"policy":{"priority":1})").code(), "budget_not_found");
    EXPECT_EQ(create(R"(,"policy":{"budget_ids":[]})").status, 201);
}

TEST_P(DefaultsApi, Repair_21_FailSaysWhichPolicyDecidedAndThatThereIsNone) {
    created_id();
    const HeldTask bare = claim_one();
    EXPECT_EQ(info(bare.execution_id).text("retries"),
              "no retry policy: a failure ends the execution");
    const JsonReply ended = act(bare, "fail", R"(,"reason":"x")");
    EXPECT_EQ(ended.text("status"), "terminal_failed") << ended.body;
    EXPECT_EQ(ended.text("message"), "no retry policy: the execution ends as failed");
    EXPECT_EQ(policy_in(ended), "{}");
    EXPECT_EQ(act(bare, "fail", R"(,"reason":"x")").text("message"), ended.text("message"))
        << "a repeated call too";

    const std::string policy = R"({"retry_policy":{"max_retries":1,"backoff":{"type":"fixed",)"
                               R"("delay_ms":0}}})";
    const std::string id = created_id(R"(,"policy":)" + policy);
    const JsonReply retried = act(claim_one(), "fail", R"(,"reason":"x")");
    EXPECT_EQ(retried.text("status"), "retry_scheduled") << retried.body;
    EXPECT_EQ(policy_in(retried), policy);
    EXPECT_FALSE(retried.has("message"));
    const JsonReply why = world().get("/v1/executions/" + encode(id) + "/explain");
    EXPECT_EQ(why.text("retries"), "1 of 1 retries used");
    EXPECT_EQ(policy_in(why), policy);
    const JsonReply last = act(claim_one(R"(,"wait_ms":9000)"), "fail", R"(,"reason":"x")");
    EXPECT_EQ(last.text("message"),
              "all retries of the retry policy are used: the execution ends as failed");

    created_id(R"(,"policy":)" + policy);
    EXPECT_EQ(act(claim_one(), "fail", R"(,"no_retry":true)").text("message"),
              "no retry was wanted: the execution ends as failed");
    created_id(R"(,"policy":)" + policy);
    EXPECT_EQ(act(claim_one(), "fail", R"(,"category":"permanent")").text("message"),
              "the retry policy has no retry for failures of this category: "
              "the execution ends as failed");
}

TEST_P(DefaultsApi, Repair_23_GetListAndCreateSayWhenAnExecutionIsDropped) {
    constexpr std::int64_t kDay = 86'400'000;
    const JsonReply made = create(R"(,"idempotency_key":"once")");
    ASSERT_EQ(made.status, 201) << made.body;
    EXPECT_EQ(made.integer("retention_ms"), kDay);
    EXPECT_FALSE(made.has("expires_at")) << made.body;
    const std::string id = made.text("execution_id");
    EXPECT_EQ(info(id).integer("retention_ms"), kDay);
    EXPECT_FALSE(info(id).has("expires_at"));

    ASSERT_EQ(act(claim_one(), "complete", R"(,"result":"r")").status, 200);
    const JsonReply ended = info(id);
    const std::int64_t expires = ended.integer("completed_at") + kDay;
    EXPECT_EQ(ended.integer("expires_at"), expires);
    const JsonReply again = create(R"(,"idempotency_key":"once")");
    EXPECT_EQ(again.status, 200);
    EXPECT_EQ(again.integer("expires_at"), expires) << again.body;
    const JsonReply batch =
        world().post("/v1/executions/batch",
                     R"({"executions":[)" + new_execution(R"(,"idempotency_key":"once")") + "," +
                         new_execution(R"(,"policy":{"retention_ms":5000})") + "]}");
    EXPECT_EQ(member(batch, "results", 0, "expires_at"), std::to_string(expires));
    EXPECT_EQ(member(batch, "results", 1, "retention_ms"), "5000");
    for (const std::string& where : {"lane=" + own_name() + "&state=terminal",
                                     "namespace=" + own_name() + "&state=terminal"}) {
        const JsonReply listed = world().get("/v1/executions?" + where);
        EXPECT_EQ(member(listed, "executions", 0, "expires_at"), std::to_string(expires)) << where;
        EXPECT_EQ(member(listed, "executions", 0, "retention_ms"), std::to_string(kDay)) << where;
    }
    const JsonReply waiting = world().get("/v1/executions?lane=" + own_name());
    EXPECT_EQ(member(waiting, "executions", 0, "retention_ms"), "5000") << waiting.body;
}

TEST_P(DefaultsApi, Repair_23_RetentionIsThatOfThePolicyThenOfItsStreamThenOfTheServer) {
    const auto kept = [&](std::string_view policy) {
        const JsonReply made = create(R"(,"policy":)" + std::string(policy));
        EXPECT_EQ(made.status, 201) << made.body;
        const std::int64_t told = made.integer("retention_ms");
        EXPECT_EQ(info(made.text("execution_id")).integer("retention_ms"), told);
        return told;
    };
    EXPECT_EQ(kept(R"({"retention_ms":0})"), 0);
    EXPECT_EQ(kept(R"({"stream_policy":{"retention_ttl_ms":172800000}})"), 172'800'000);
    EXPECT_EQ(kept(R"({"stream_policy":{"retention_ttl_ms":1000}})"), 86'400'000);
    EXPECT_EQ(kept(R"({"retention_ms":60000,"stream_policy":{"retention_ttl_ms":172800000}})"),
              60'000);
}

INSTANTIATE_TEST_SUITE_P(Stores, DefaultsApi, ::testing::Values("embedded", "valkey", "cluster"));

}  // namespace
}  // namespace ff::testing
