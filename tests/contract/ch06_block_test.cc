#include "contract/scheduling.h"

namespace ff::contract {
namespace {

FF_CONTRACT_SUITE(Ch06Block, SchedulingContract);

List blocked_vector(const std::string& eligibility, const std::string& reason,
                    const std::string& state,
                    const std::string& attempt_state = "pending_first_attempt") {
    return {"runnable", "unowned", eligibility, reason, "none", attempt_state, state};
}

TEST_P(Ch06Block, EveryReasonHasItsStateAndIndex) {
    struct Row {
        std::string reason, eligibility, index, state;
    };
    for (const Row& row :
         {Row{"waiting_for_budget", "blocked_by_budget", "blocked:budget", "rate_limited"},
          Row{"waiting_for_quota", "blocked_by_quota", "blocked:quota", "rate_limited"},
          Row{"waiting_for_capable_worker", "blocked_by_route", "blocked:route", "waiting"},
          Row{"waiting_for_locality_match", "blocked_by_route", "blocked:route", "waiting"},
          Row{"paused_by_operator", "blocked_by_operator", "blocked:operator", "waiting"},
          Row{"paused_by_policy", "blocked_by_lane_state", "blocked:operator", "waiting"}}) {
        Execution e = created();
        const std::string at = std::to_string(now());
        EXPECT_EQ(flat(block(e, row.reason, "quota:q", at)), (List{"1", "OK", "blocked"}));
        EXPECT_EQ(e.vector(), blocked_vector(row.eligibility, row.reason, row.state));
        EXPECT_EQ(e.memberships(), List{row.index});
        EXPECT_EQ(score(e.lane_key(row.index), e.id()), std::stoll(at));
        EXPECT_EQ(e.core("blocking_detail"), "detail");
        EXPECT_EQ(e.core("blocking_ref"), "quota:q");
        EXPECT_EQ(e.core("last_capability_mismatch_at"), row.index == "blocked:route" ? at : "");

        EXPECT_EQ(flat(block(e, row.reason, "quota:q", "77")), (List{"1", "OK", "blocked"}));
        EXPECT_EQ(score(e.lane_key(row.index), e.id()), std::stoll(at)) << "keeps its place";

        EXPECT_EQ(flat(unblock(e)), (List{"1", "OK", "unblocked"}));
        EXPECT_EQ(e.vector(), vector_l1());
        EXPECT_EQ(e.memberships(), List{"eligible"});
        EXPECT_EQ(e.core("blocking_ref"), "");
        EXPECT_EQ(e.core("blocking_detail"), "");
        EXPECT_EQ(element(unblock(e), 2), "execution_not_eligible");
    }
}

TEST_P(Ch06Block, ABlockMayChangeItsReasonAndMovesAlong) {
    Execution e = created({.policy = requires_caps({"gpu"})});
    block(e, "waiting_for_capable_worker");
    EXPECT_EQ(hash(e.lane_key("route_sets")).size(), 1U);
    EXPECT_EQ(flat(block(e, "waiting_for_quota")), (List{"1", "OK", "blocked"}));
    EXPECT_EQ(e.memberships(), List{"blocked:quota"});
    EXPECT_FALSE(exists(e.lane_key("route_sets")));
}

TEST_P(Ch06Block, S37_WorkWaitingForTimeOrDependenciesIsNotRelabelled) {
    Execution delayed = created({.delay_until = "+60000"});
    Execution held = created({.hold = "dependencies"});
    for (const Execution& e : {delayed, held}) {
        const List before = e.vector();
        EXPECT_EQ(element(block(e, "waiting_for_budget"), 2), "execution_not_eligible");
        EXPECT_EQ(e.vector(), before);
    }
    EXPECT_EQ(delayed.memberships(), List{"delayed"});
    EXPECT_EQ(held.memberships(), List{"blocked:dependencies"});
    Execution running = active();
    EXPECT_EQ(element(block(running, "waiting_for_budget"), 2), "execution_not_eligible");
    EXPECT_EQ(running.vector(), vector_l9());
}

TEST_P(Ch06Block, S38_TerminalWorkAndUnknownReasonsAreRefused) {
    Execution done = active();
    done.complete();
    const RespValue reply = block(done, "waiting_for_budget");
    EXPECT_EQ(element(reply, 2), "execution_not_active");
    EXPECT_EQ(element(reply, 3), "success");
    EXPECT_EQ(element(reply, 5), "terminal");
    EXPECT_EQ(element(reply, 6), done.attempt_id);

    Execution e = created();
    EXPECT_EQ(element(block(e, "waiting_for_children"), 2), "invalid_blocking_reason");
    EXPECT_EQ(element(block(e, ""), 2), "invalid_blocking_reason");
    EXPECT_EQ(
        element(host().fcall("ff_block_execution_for_admission",
                             {e.key("core"), e.lane_key("eligible"), e.lane_key("blocked:quota")},
                             {e.id(), "waiting_for_budget", "", ""}),
                2),
        "invalid_input");
    EXPECT_EQ(e.vector(), vector_l1());
    EXPECT_EQ(element(block(execution(), "waiting_for_budget"), 2), "execution_not_found");
}

TEST_P(Ch06Block, ALiveGrantIsRespectedExceptByAnOperator) {
    Execution e = created();
    EXPECT_EQ(element(issue_grant(e), 2), "OK");
    EXPECT_EQ(element(block(e, "waiting_for_budget"), 2), "grant_already_exists");
    EXPECT_EQ(e.vector(), vector_l1());
    EXPECT_EQ(element(block(e, "paused_by_operator"), 2), "OK");
    EXPECT_EQ(element(e.claim(), 2), "execution_not_leaseable");
}

TEST_P(Ch06Block, S39_UnblockingNeedsTheExpectedReason) {
    Execution e = created();
    block(e, "waiting_for_budget", "budget:b1");
    EXPECT_EQ(element(unblock(e, "waiting_for_quota"), 2), "execution_not_eligible");
    EXPECT_EQ(element(unblock(e, "waiting_for_budget", "budget:b2"), 2), "execution_not_eligible");
    EXPECT_EQ(e.memberships(), List{"blocked:budget"});
    EXPECT_EQ(element(unblock(e, "waiting_for_budget", "budget:b1"), 2), "OK");

    Execution lane = created();
    block(lane, "paused_by_policy");
    EXPECT_EQ(element(unblock(lane, "paused_by_policy"), 2), "OK");

    Execution flow = created();
    block(flow, "paused_by_operator");
    flow.set_core("blocking_reason", "paused_by_flow_cancel");
    EXPECT_EQ(element(unblock(flow), 2), "execution_not_eligible");
    EXPECT_EQ(element(unblock(flow, "paused_by_flow_cancel"), 2), "execution_not_eligible");
    EXPECT_EQ(element(unblock(execution()), 2), "execution_not_found");
    EXPECT_EQ(element(unblock(created()), 2), "execution_not_eligible");
}

TEST_P(Ch06Block, UnblockingKeepsTheAttemptThatWasInterrupted) {
    Execution e = active();
    e.delay("+0");
    e.promote();
    EXPECT_EQ(e.vector(), vector_l1("attempt_interrupted"));
    block(e, "waiting_for_quota");
    EXPECT_EQ(e.core("attempt_state"), "attempt_interrupted");
    unblock(e);
    EXPECT_EQ(e.vector(), vector_l1("attempt_interrupted"));
}

TEST_P(Ch06Block, AMemberBehindAClosedGateGoesBackToWaiting) {
    Execution e = created();
    block(e, "waiting_for_budget");
    e.set_core("flow_id", new_uuid());
    command({"HSET", e.key("deps:meta"), "gate", "closed"});
    EXPECT_EQ(flat(unblock(e)), (List{"1", "OK", "unblocked"}));
    EXPECT_EQ(e.vector(), vector_l3());
    EXPECT_EQ(e.memberships(), List{"blocked:dependencies"});
}

TEST_P(Ch06Block, UnblockingWakesAWaitingLane) {
    Execution e = created();
    block(e, "waiting_for_budget");
    EXPECT_EQ(claim({.arm_wake_ms = "60000"}).armed, "1");
    const auto listener = host().listen("ff:wake:lane");
    unblock(e);
    EXPECT_TRUE(hears(*listener, tag()));
}

TEST_P(Ch06Block, ABatchUnblocksWhatMatchesAndWalksOn) {
    std::vector<Execution> mine;
    std::vector<Execution> other;
    for (int i = 0; i < 6; ++i) {
        mine.push_back(created());
        block(mine.back(), "waiting_for_budget", "budget:mine", std::to_string(1000 + i));
        other.push_back(created());
        block(other.back(), "waiting_for_budget", "budget:other", std::to_string(2000 + i));
    }
    const List ask{"", "waiting_for_budget", "budget:mine", "2", ""};
    EXPECT_EQ(flat(unblock_batch("blocked:budget", ask)), (List{"1", "OK", "2", "2", "1002"}));
    EXPECT_EQ(mine[0].vector(), vector_l1());
    EXPECT_EQ(mine[1].memberships(), List{"eligible"});
    EXPECT_EQ(mine[2].memberships(), List{"blocked:budget"});

    // A walk that finds nothing still moves on.
    EXPECT_EQ(flat(unblock_batch("blocked:budget", {"", "", "budget:none", "1", "1002"})),
              (List{"1", "OK", "0", "4", "2000"}));
    EXPECT_EQ(flat(unblock_batch("blocked:budget", {"", "", "", "100", "2003"})),
              (List{"1", "OK", "3", "3", ""}));
    EXPECT_EQ(flat(unblock_batch("blocked:budget", {"", "", "", "100", ""})),
              (List{"1", "OK", "7", "7", ""}));
    for (const Execution& e : other) EXPECT_EQ(e.memberships(), List{"eligible"});
    EXPECT_FALSE(exists(lane_index("lane", "blocked:budget")));
}

TEST_P(Ch06Block, MembersOfOneScoreDoNotHideThoseBehindThem) {
    for (int i = 0; i < 6; ++i) block(created(), "waiting_for_budget", "budget:other", "1000");
    Execution last = created();
    block(last, "waiting_for_budget", "budget:mine", "1001");
    std::string position;
    int calls = 0;
    do {
        const RespValue reply =
            unblock_batch("blocked:budget", {"", "", "budget:mine", "1", position});
        ASSERT_EQ(element(reply, 2), "OK") << to_string(reply);
        position = element(reply, 5);
    } while (!position.empty() && ++calls < 10);
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(last.vector(), vector_l1());
}

TEST_P(Ch06Block, ABatchDropsMembersThatAreNotBlockedThere) {
    Execution gone = created();
    Execution free = created();
    command({"ZADD", lane_index("lane", "blocked:quota"), "1", gone.id() + "x", "2", free.id()});
    EXPECT_EQ(flat(unblock_batch("blocked:quota", {"", "", "", "10", ""})),
              (List{"1", "OK", "0", "2", ""}));
    EXPECT_FALSE(exists(lane_index("lane", "blocked:quota")));
    EXPECT_EQ(free.vector(), vector_l1());
    for (const List& bad : {List{"x", "", "", "1", ""}, List{"", "", "", "0", ""},
                            List{"", "", "", "1001", ""}, List{"", "", "", "1", "1e3"}}) {
        EXPECT_EQ(element(unblock_batch("blocked:quota", bad), 2), "invalid_input");
    }
}

}  // namespace
}  // namespace ff::contract
