// What operators do to one execution.
#include "api/exec_world.h"

namespace ff::testing {
namespace {

class Ch07Operators : public ExecApi {
  protected:
    static std::string path(std::string_view id, std::string_view what) {
        return "/v1/executions/" + encode(id) + "/" + std::string(what);
    }
    std::string exhausted_budget() {
        const JsonReply made = world().post(
            "/v1/budgets", R"({"scope_type":"execution","scope_id":"x","dimensions":["tokens"],)"
                           R"("hard_limits":[1],"soft_limits":[0]})");
        const std::string id = made.text("budget_id");
        const JsonReply used =
            world().post("/v1/budgets/" + id + "/usage", R"({"dimensions":{"tokens":1}})");
        EXPECT_EQ(used.text("status"), "ok") << used.body;
        return id;
    }
};

TEST_P(Ch07Operators, AnInitialHoldIsEndedByAnOperator) {
    const std::string id = created_id(R"(,"initial_hold":"dependencies")");
    EXPECT_EQ(state(id), "waiting_children");
    EXPECT_EQ(claim().status, 204);
    const JsonReply released = act(id, "release-hold", "{}");
    EXPECT_EQ(released.status, 200) << released.body;
    EXPECT_EQ(released.text("status"), "released");
    EXPECT_EQ(released.text("public_state"), "waiting");
    const JsonReply again = act(id, "release-hold", "{}");
    EXPECT_EQ(again.status, 409);
    EXPECT_EQ(again.code(), "not_blocked_by_deps");
    EXPECT_EQ(claim_one().execution_id, id);
    const std::string later =
        created_id(R"(,"initial_hold":"dependencies","delay_until":"+600000")");
    EXPECT_EQ(act(later, "release-hold", "{}").text("public_state"), "delayed");
    EXPECT_EQ(act("{fp:1}:11111111-2222-4333-8444-555555555555", "release-hold", "{}").status, 404);
}

TEST_P(Ch07Operators, AnOperatorTakesOneExecutionOverPastAllLimits) {
    const std::string spent = exhausted_budget();
    const std::string first = created_id();
    const std::string wanted = created_id(
        R"(,"payload":"p","policy":{"routing_requirements":{"required_capabilities":["none-has-it"]},)"
        R"("budget_ids":[")" +
        spent + "\"]}");
    const std::string lease = "11111111-2222-4333-8444-" + own_name("0000").substr(1);
    const std::string body =
        R"({"worker_id":"operator","worker_instance_id":"op-1","lease_ttl_ms":60000,"lease_id":")" +
        lease + "\"}";
    const JsonReply taken = act(wanted, "take-over", body);
    ASSERT_EQ(taken.status, 200) << taken.body;
    EXPECT_EQ(taken.text("status"), "taken");
    EXPECT_EQ(taken.text("lease_id"), lease);
    EXPECT_EQ(taken.text("attempt_type"), "initial");
    EXPECT_EQ(state(wanted), "active");
    const JsonReply again = act(wanted, "take-over", body);
    EXPECT_EQ(again.text("status"), "already_satisfied") << again.body;
    EXPECT_EQ(again.text("attempt_id"), taken.text("attempt_id"));
    const JsonReply other =
        act(wanted, "take-over", R"({"worker_id":"operator","worker_instance_id":"op-2"})");
    EXPECT_EQ(other.status, 409) << other.body;
    const HeldTask task{.execution_id = wanted, .token = taken.text("task_token")};
    EXPECT_EQ(act(task, "complete", R"(,"result":"by hand")").text("status"), "completed");
    EXPECT_EQ(claim_one().execution_id, first);
    EXPECT_EQ(act(first, "take-over", R"({"worker_id":"operator"})").status, 400);
}

TEST_P(Ch07Operators, AReclaimBeyondTheCapIsToldAndEndsTheExecution) {
    const std::string id = created_id(R"(,"policy":{"max_reclaim_count":1})");
    const auto reclaim = [&] {
        return act(id, "reclaim",
                   R"({"worker_id":"w","worker_instance_id":"w-1","lane_id":")" + own_name() +
                       R"(","grant_ttl_ms":5000})");
    };
    claim_one();
    EXPECT_EQ(reclaim().text("status"), "not_reclaimable");
    ASSERT_EQ(act(id, "revoke-lease", "{}").status, 200);
    EXPECT_EQ(claim_one("", "w2").attempt_type, "reclaim");
    ASSERT_EQ(act(id, "revoke-lease", "{}").status, 200);
    const JsonReply capped = reclaim();
    EXPECT_EQ(capped.status, 200) << capped.body;
    EXPECT_EQ(capped.text("status"), "reclaim_cap_exceeded");
    EXPECT_EQ(capped.integer("reclaim_count"), 1);
    EXPECT_EQ(state(id), "failed");
    EXPECT_EQ(info(id).text("failure_reason"), "max_reclaims_exceeded");
    EXPECT_EQ(reclaim().text("status"), "not_reclaimable");
}

TEST_P(Ch07Operators, ReplayPriorityAndHistoryAreThereForOperators) {
    const std::string id = created_id(R"(,"priority":20000)");
    EXPECT_EQ(info(id).integer("priority"), 9000);
    const JsonReply changed = world().put(path(id, "priority"), R"({"new_priority":7})");
    EXPECT_EQ(changed.integer("old_priority"), 9000) << changed.body;
    EXPECT_EQ(changed.integer("new_priority"), 7);
    EXPECT_EQ(act(id, "replay", "{}").code(), "execution_not_terminal");
    ASSERT_EQ(act(claim_one(), "complete").status, 200);
    EXPECT_EQ(act(id, "priority", R"({"new_priority":7})").code(), "execution_not_eligible");
    EXPECT_EQ(act(id, "replay", R"({"reason":"again"})").text("public_state"), "waiting");
    EXPECT_EQ(claim_one().attempt_type, "replay");
    const JsonReply history = world().get(path(id, "lease-history"));
    EXPECT_NE(history.body.find("replay_initiated"), std::string::npos) << history.body;
    const JsonReply attempts = world().get(path(id, "attempts?limit=1"));
    EXPECT_EQ(attempts.json().find("attempts")->size(), 1U) << attempts.body;
    const JsonReply rest = world().get(path(id, "attempts?cursor=" + attempts.text("next_cursor")));
    EXPECT_NE(rest.body.find(R"("attempt_type":"replay")"), std::string::npos) << rest.body;
    EXPECT_FALSE(rest.has("next_cursor"));
    // Records keep their stored names, and numbers are numbers.
    EXPECT_NE(rest.body.find(R"("attempt_index":1)"), std::string::npos) << rest.body;
    EXPECT_EQ(rest.body.find(R"("started_at":")"), std::string::npos) << rest.body;
    EXPECT_NE(history.body.find(R"("lease_epoch":1)"), std::string::npos) << history.body;
}

INSTANTIATE_TEST_SUITE_P(Stores, Ch07Operators, ::testing::Values("embedded", "valkey"));

}  // namespace
}  // namespace ff::testing
