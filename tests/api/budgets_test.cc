#include <future>
#include <map>

#include "api/flow_world.h"
#include "support/wait.h"

namespace ff::testing {
namespace {

class Ch07Budgets : public FlowApi {
  protected:
    std::string new_budget(const std::string& more) {
        const JsonReply reply = world().post(
            "/v1/budgets",
            R"({"dimensions":["tokens"],"hard_limits":[10],"soft_limits":[8])" + more + "}");
        if (reply.status != 201) throw std::runtime_error(reply.body);
        return reply.text("budget_id");
    }
    JsonReply use(const std::string& budget, int tokens, const std::string& more = "") {
        return world().post(
            "/v1/budgets/" + budget + "/usage",
            R"({"dimensions":{"tokens":)" + std::to_string(tokens) + "}" + more + "}");
    }
};

std::int64_t amount(const JsonReply& reply, std::string_view map, std::string_view dimension) {
    const auto found = reply.json().find(map)->find(dimension);
    return found ? found->as_integer().value_or(-1) : -1;
}

TEST_P(Ch07Budgets, S17_AnExhaustedBudgetHoldsWorkBackUntilItIsReset) {
    const std::string budget = new_budget(R"(,"scope_type":"execution")");
    EXPECT_EQ(use(budget, 10).text("status"), "soft_breach");
    const JsonReply created = create(lane(), R"(,"policy":{"budget_ids":[")" + budget + R"("]})");
    ASSERT_EQ(created.status, 201) << created.body;
    EXPECT_TRUE(claim(lane(), 1, Millis(0)).empty());
    EXPECT_EQ(state_of(created.text("execution_id")), "rate_limited");
    const JsonReply reset = world().post("/v1/budgets/" + budget + "/reset", "");
    EXPECT_EQ(reset.text("status"), "reset") << reset.body;
    EXPECT_EQ(reset.integer("next_reset_at"), 0);
    EXPECT_EQ(claim(lane(), 1, Millis(20'000)).size(), 1U);
}

TEST_P(Ch07Budgets, TellsItsStatusAndCountsEachReportOnce) {
    const std::string id = new_id();
    const std::string body = R"({"budget_id":")" + id +
                             R"(","scope_type":"lane","scope_id":"x","dimensions":["tokens"],
                             "hard_limits":[10],"soft_limits":[8],"name":"small"})";
    EXPECT_EQ(world().post("/v1/budgets", body).status, 201);
    const JsonReply again = world().post("/v1/budgets", body);
    EXPECT_EQ(again.status, 200);
    EXPECT_EQ(again.text("status"), "already_satisfied");
    EXPECT_EQ(use(id, 3, R"(,"dedup_key":"r-)" + id + "\"").text("status"), "ok");
    EXPECT_EQ(use(id, 3, R"(,"dedup_key":"r-)" + id + "\"").text("status"), "already_applied");
    const JsonReply soft = use(id, 6);
    EXPECT_EQ(soft.text("status"), "soft_breach");
    EXPECT_EQ(soft.integer("current_usage"), 9);
    EXPECT_EQ(soft.integer("soft_limit"), 8);
    const JsonReply hard = use(id, 2);
    EXPECT_EQ(hard.text("status"), "hard_breach");
    EXPECT_EQ(hard.text("dimension"), "tokens");
    EXPECT_EQ(hard.integer("current_usage"), 9);
    EXPECT_EQ(hard.integer("hard_limit"), 10);
    EXPECT_EQ(hard.text("action"), "fail");
    const JsonReply status = world().get("/v1/budgets/" + id);
    EXPECT_EQ(amount(status, "usage", "tokens"), 9) << status.body;
    EXPECT_EQ(amount(status, "hard_limits", "tokens"), 10);
    EXPECT_EQ(amount(status, "remaining", "tokens"), 1);
    EXPECT_EQ(status.integer("breach_count"), 1);
    EXPECT_EQ(status.text("last_breach_dim"), "tokens");
    const JsonReply changed = world().put(
        "/v1/budgets/" + id,
        R"({"dimensions":["tokens"],"hard_limits":[9],"soft_limits":[null],"actor":"ops"})");
    EXPECT_EQ(changed.integer("revision"), 1) << changed.body;
    const JsonReply exhausted = world().get("/v1/budgets/" + id);
    EXPECT_EQ(texts(exhausted, "exhausted_dims"), std::vector<std::string>{"tokens"});
    EXPECT_EQ(amount(exhausted, "soft_limits", "tokens"), 8);
    EXPECT_NE(world().get("/v1/budgets?limit=1000").body.find(id), std::string::npos);
}

TEST_P(Ch07Budgets, GivesBackWhatAnExecutionSpent) {
    const std::string budget = new_budget(R"(,"scope_type":"execution")");
    const std::string execution = create(lane()).text("execution_id");
    const std::string named = R"("execution_id":")" + execution + "\"";
    const JsonReply spent = world().post("/v1/budgets/" + budget + "/spend",
                                         R"({"dimensions":{"tokens":4},)" + named + "}");
    EXPECT_EQ(spent.text("status"), "ok") << spent.body;
    const JsonReply released =
        world().post("/v1/budgets/" + budget + "/release", "{" + named + "}");
    EXPECT_EQ(released.text("status"), "released");
    EXPECT_EQ(amount(released, "dimensions", "tokens"), 4);
    EXPECT_EQ(world().post("/v1/budgets/" + budget + "/release", "{" + named + "}").text("status"),
              "noop");
    EXPECT_EQ(amount(world().get("/v1/budgets/" + budget), "usage", "tokens"), 0);
}

TEST_P(Ch07Budgets, AttachesToItsOwnScopeOnly) {
    const std::string ns = "ns-" + new_id().substr(0, 8);
    const std::string budget = new_budget(R"(,"scope_type":"namespace","scope_id":")" + ns + "\"");
    const std::string base = "/v1/budgets/" + budget;
    const JsonReply other =
        world().post(base + "/attach", R"({"scope_type":"lane","scope_id":"x"})");
    EXPECT_EQ(other.status, 409);
    EXPECT_EQ(other.code(), "budget_attach_conflict");
    const std::string own = R"({"scope_type":"tenant","scope_id":")" + ns + "\"}";
    EXPECT_EQ(world().post(base + "/attach", own).text("status"), "attached");
    EXPECT_EQ(world().post(base + "/attach", own).text("status"), "attached");
    EXPECT_EQ(world().post(base + "/detach", own).text("status"), "detached");
    EXPECT_EQ(world().post(base + "/attach", R"({"scope_type":"planet","scope_id":"x"})").status,
              400);
    EXPECT_EQ(world().post("/v1/budgets/" + new_id() + "/attach", own).code(), "budget_not_found");
}

TEST_P(Ch07Budgets, ClosesALaneAndAFlowToNewWorkWhileItIsExhausted) {
    const std::string closing = new_budget(R"(,"scope_type":"lane","on_hard_limit":"close_scope",)"
                                           R"("attach":true,"scope_id":")" +
                                           lane() + "\"");
    EXPECT_EQ(create(lane()).status, 201);
    EXPECT_EQ(use(closing, 10).status, 200);
    const JsonReply refused = create(lane());
    EXPECT_EQ(refused.status, 409) << refused.body;
    EXPECT_EQ(refused.code(), "budget_exceeded");
    const std::string graph =
        R"({"namespace":"acme","defaults":{"lane_id":")" + lane() + R"("},"nodes":[{"name":"a"}]})";
    EXPECT_EQ(world().post("/v1/flows/submit", graph).code(), "budget_exceeded");
    const std::string flow = new_flow();
    const std::string first = member_for(flow, lane("free"));
    const std::string second = member_for(flow, lane("free"));
    const std::string denying =
        new_budget(R"(,"scope_type":"flow","on_hard_limit":"deny_child","attach":true,)"
                   R"("scope_id":")" +
                   flow + "\"");
    const std::string members = "/v1/flows/" + flow + "/members";
    EXPECT_EQ(world().post(members, R"({"execution_id":")" + first + "\"}").status, 201);
    EXPECT_EQ(use(denying, 10).status, 200);
    const JsonReply denied = world().post(members, R"({"execution_id":")" + second + "\"}");
    EXPECT_EQ(denied.status, 409) << denied.body;
    EXPECT_EQ(denied.code(), "budget_exceeded");
    EXPECT_EQ(world().post(members, R"({"execution_id":")" + first + "\"}").status, 200);
    EXPECT_EQ(world().post("/v1/budgets/" + closing + "/reset", "").status, 200);
    EXPECT_EQ(create(lane()).status, 201);
}

TEST_P(Ch07Budgets, RefusesWhatIsNoBudget) {
    for (const std::string body :
         {R"({"scope_type":"lane","dimensions":["a"],"hard_limits":[1,2]})",
          R"({"scope_type":"lane","dimensions":["a","a"],"hard_limits":[1,2]})",
          R"({"scope_type":"lane","dimensions":["a"],"hard_limits":["x"]})",
          R"({"scope_type":"lane","dimensions":["a"],"hard_limits":[-1]})",
          R"({"scope_type":"lane","dimensions":["a"],"hard_limits":[1],"soft_limits":[2]})",
          R"({"scope_type":"lane","reset_interval_ms":-1})", R"({})", R"({"scope_type":7})",
          R"({"scope_type":"execution","attach":true})", "[]", "{"}) {
        const JsonReply reply = world().post("/v1/budgets", body);
        EXPECT_EQ(reply.status, 400) << body << reply.body;
    }
    const std::string id = new_id();
    EXPECT_EQ(world().get("/v1/budgets/" + id).code(), "budget_not_found");
    EXPECT_EQ(use(id, 1).status, 404);
    EXPECT_EQ(world().post("/v1/budgets/" + id + "/usage", "{}").status, 400);
    EXPECT_EQ(world().post("/v1/budgets/" + id + "/usage", R"({"dimensions":{"a":-1}})").status,
              400);
}

TEST_P(Ch07Budgets, QuotasAreMadeSeenAndAttached) {
    const std::string id = new_id();
    const std::string body = R"({"quota_policy_id":")" + id +
                             R"(","window_seconds":60,"max_requests_per_window":2,)"
                             R"("max_concurrent":1,"name":"slow"})";
    EXPECT_EQ(world().post("/v1/quotas", body).status, 201);
    EXPECT_EQ(world().post("/v1/quotas", body).text("status"), "already_satisfied");
    const std::string base = "/v1/quotas/" + id;
    const std::string scope = R"({"scope_type":"lane","scope_id":")" + lane() + "\"}";
    EXPECT_EQ(world().post(base + "/attach", scope).text("status"), "attached");
    const JsonReply other =
        world().post(base + "/attach", R"({"scope_type":"lane","scope_id":"other"})");
    EXPECT_EQ(other.status, 409);
    EXPECT_EQ(other.code(), "quota_attach_conflict");
    create(lane());
    create(lane());
    ASSERT_EQ(claim(lane(), 1).size(), 1U);
    EXPECT_TRUE(claim(lane(), 1, Millis(0)).empty());
    const JsonReply status = world().get(base);
    EXPECT_EQ(status.text("scope_id"), lane()) << status.body;
    EXPECT_EQ(status.integer("held_slots"), 1);
    EXPECT_EQ(status.integer("window_entries"), 1);
    EXPECT_EQ(status.integer("next_slot_in_ms"), 0);
    EXPECT_NE(world().get("/v1/quotas?limit=1000").body.find(id), std::string::npos);
    EXPECT_EQ(world().post(base + "/detach", scope).text("status"), "detached");
    EXPECT_EQ(world().get("/v1/quotas/" + new_id()).code(), "quota_policy_not_found");
    const JsonReply no_window =
        world().post("/v1/quotas", R"({"max_requests_per_window":2,"window_seconds":0})");
    EXPECT_EQ(no_window.code(), "invalid_quota_spec") << no_window.body;
    EXPECT_EQ(world().post("/v1/quotas", R"({"max_concurrent":-1})").status, 400);
}

TEST_P(Ch07Budgets, AQuotaIsChangedAndLetsWorkThroughAtOnce) {
    const std::string id = new_id();
    ASSERT_EQ(
        world()
            .post("/v1/quotas", R"({"quota_policy_id":")" + id +
                                    R"(","max_concurrent":1,"scope_type":"lane","scope_id":")" +
                                    lane() + R"(","attach":true})")
            .status,
        201);
    create(lane());
    create(lane());
    ASSERT_EQ(claim(lane(), 1).size(), 1U);
    EXPECT_TRUE(claim(lane(), 1, Millis(0)).empty());
    const std::string base = "/v1/quotas/" + id;
    const JsonReply changed =
        world().put(base, R"({"max_concurrent":2,"actor":"ann","reason":"busy season"})");
    EXPECT_EQ(changed.status, 200) << changed.body;
    EXPECT_EQ(changed.integer("revision"), 1);
    EXPECT_EQ(claim(lane(), 1).size(), 1U);
    EXPECT_EQ(world().get(base).integer("max_concurrent"), 2);
    EXPECT_EQ(world().put(base, R"({"max_requests_per_window":2})").code(), "invalid_quota_spec");
    EXPECT_EQ(world().put(base, R"({"max_concurrent":-1})").status, 400);
    EXPECT_EQ(world().put(base, R"({"quota_policy_id":")" + new_id() + "\"}").status, 400);
    EXPECT_EQ(world().put("/v1/quotas/" + new_id(), "{}").code(), "quota_policy_not_found");
}

/// A quota without a scope takes the first one; of many at once one is the first.
TEST_P(Ch07Budgets, OnlyOneOfManyAttachmentsAtOnceWins) {
    const std::string id = new_id();
    ASSERT_EQ(world()
                  .post("/v1/quotas", R"({"quota_policy_id":")" + id + R"(","max_concurrent":1})")
                  .status,
              201);
    std::vector<std::future<int>> attaches;
    for (int i = 0; i < 8; ++i) {
        const std::string scope =
            R"({"scope_type":"lane","scope_id":")" + lane(std::to_string(i)) + "\"}";
        attaches.push_back(std::async(std::launch::async, [this, id, scope] {
            return world().post("/v1/quotas/" + id + "/attach", scope).status;
        }));
    }
    std::map<int, int> statuses;
    for (auto& attach : attaches) ++statuses[attach.get()];
    EXPECT_EQ(statuses, (std::map<int, int>{{200, 1}, {409, 7}}));
}

INSTANTIATE_TEST_SUITE_P(Stores, Ch07Budgets, ::testing::Values("embedded", "valkey"));

}  // namespace
}  // namespace ff::testing
