// Cancelling flows and replaying their members (chapter 05 section 5.15, scenarios 43 to 54).

#include "contract/flows.h"

namespace ff::contract {
namespace {

FF_CONTRACT_SUITE(Ch05Cancel, FlowContract);

TEST_P(Ch05Cancel, S43_ACancelOwesEveryMember) {
    const Flow flow = new_flow();
    std::vector<Execution> members;
    for (int i = 0; i < 3; ++i) members.push_back(member(flow));
    const RespValue reply = flow.cancel();
    EXPECT_EQ(reply.items.size(), 6U) << to_string(reply);
    EXPECT_EQ(element(reply, 3), "cancel_all");
    EXPECT_EQ(flow.core("public_flow_state"), "cancelled");
    for (const Execution& e : members) EXPECT_TRUE(in_set(flow.key("pending_cancels"), e.id()));
    const std::int64_t at = std::stoll(flow.core("cancelled_at"));
    EXPECT_EQ(score(flow.index("cancel_backlog"), flow.id()).value_or(0), at + 30'000);
    const auto before = host().contents(tag());
    EXPECT_EQ(flat(flow.cancel("flow_only")),
              (List{"0", "flow_already_terminal", "cancelled", "cancel_all", "stop"}));
    EXPECT_EQ(host().contents(tag()), before);
    const auto completions = feed("completion");
    ASSERT_EQ(completions.size(), 1U);
    EXPECT_EQ(completions[0].at("kind"), "flow");
    EXPECT_EQ(completions[0].at("outcome"), "cancelled");
}

TEST_P(Ch05Cancel, S44_AnOddGraceOrPolicyIsRefused) {
    const Flow unknown(host(), tag());
    for (const char* grace : {"-1", "1.5", "1e309", "nan", "abc"}) {
        EXPECT_EQ(element(unknown.cancel("cancel_all", grace), 2), "invalid_grace_ms") << grace;
    }
    const Flow flow = new_flow();
    EXPECT_EQ(element(flow.cancel("cancell_all"), 2), "invalid_input");
    EXPECT_EQ(flow.core("public_flow_state"), "open");
}

TEST_P(Ch05Cancel, S45_NothingIsOwedWithoutMembersOrByTheFlowAlone) {
    const Flow empty = new_flow();
    EXPECT_EQ(flat(empty.cancel()), (List{"1", "OK", "cancel_all"}));
    EXPECT_FALSE(score(empty.index("cancel_backlog"), empty.id()).has_value());
    const Flow flow = new_flow();
    Execution e = member(flow);
    flow.cancel("coordinator_decides");
    EXPECT_EQ(flow.core("cancel_mode"), "flow_only");
    EXPECT_FALSE(exists(flow.key("pending_cancels")));
    EXPECT_EQ(flow.core("public_flow_state"), "cancelled");
    succeed(e);
}

TEST_P(Ch05Cancel, S46_ACancelledFlowLetsNobodyClaim) {
    const Flow flow = new_flow();
    Execution e = member(flow);
    flow.cancel();
    const RespValue reply = e.take();
    EXPECT_EQ(flat(reply), (List{"0", "execution_not_leaseable", "flow_cancelled"}));
}

TEST_P(Ch05Cancel, S47_CancelPendingLetsStartedWorkFinish) {
    const Flow flow = new_flow();
    Execution working = member(flow);
    Execution paused = member(flow);
    const Execution one = member(flow);
    const Execution two = member(flow);
    working.take();
    paused.take();
    paused.wait_for_children("1");
    flow.cancel("let_active_finish");
    const RespValue page = flow.cancel_members();
    EXPECT_EQ(flat(page), (List{"1", "OK", "2", "0", "2", "0", "0", "2", "0"}));
    EXPECT_EQ(state(one), "cancelled");
    EXPECT_EQ(state(two), "cancelled");
    EXPECT_EQ(element(paused.take_resumed(), 1), "1");
    EXPECT_EQ(element(paused.complete(), 3), "completed");
    // A retry would be a new start.
    EXPECT_EQ(element(working.fail({.retry_policy = R"({"max_retries":3})"}), 3),
              "retry_scheduled");
    EXPECT_EQ(element(flow.cancel_members(), 5), "1");
    EXPECT_EQ(state(working), "cancelled");
    EXPECT_FALSE(score(flow.index("cancel_backlog"), flow.id()).has_value());
    EXPECT_NE(flow.core("cancel_completed_at"), "");
}

TEST_P(Ch05Cancel, OwedCancelsCarryTheOriginalReason) {
    const Flow flow = new_flow();
    const Execution e = member(flow);
    flow.cancel("cancel_all", "0", "why not");
    // Any server finds the flow in the backlog and needs nothing but its id.
    EXPECT_LE(score(flow.index("cancel_backlog"), flow.id()).value_or(0), now());
    EXPECT_EQ(element(flow.cancel_members(), 5), "1");
    EXPECT_EQ(e.core("cancellation_reason"), "why not");
    EXPECT_EQ(e.core("cancelled_by"), "operator_override");
}

TEST_P(Ch05Cancel, AFailingMemberBacksOffAlone) {
    const Flow flow = new_flow();
    Execution broken = member(flow);
    broken.take();
    const Execution fine = member(flow);
    command({"SET", broken.key("waitpoints"), "not a set"});
    flow.cancel();
    EXPECT_EQ(flat(flow.cancel_members()),
              (List{"1", "OK", "1", "0", "1", "0", "0", "0", "1", broken.id()}));
    EXPECT_EQ(state(fine), "cancelled");
    std::int64_t last = 0;
    for (int round = 0; round < 8; ++round) {
        const std::int64_t before = now();
        flow.cancel_members();
        const std::int64_t pause =
            score(flow.index("cancel_backlog"), flow.id()).value_or(0) - before;
        EXPECT_GE(pause + 100, last);
        EXPECT_LE(pause, 601'000);
        last = pause;
    }
    EXPECT_GE(last, 599'000);
}

TEST_P(Ch05Cancel, ALargeFlowIsCancelledInOnePass) {
    constexpr int kMembers = 1000;
    Flow flow(host(), tag());
    Plan plan;
    plan.flow(R"("flow_kind":"k","namespace":"ns","seal":true)");
    for (int i = 0; i < kMembers; ++i) plan.node(execution());
    ASSERT_EQ(element(flow.submit(plan.json()), 2), "OK");
    EXPECT_EQ(flow.cancel().items.size(), 3U + kMembers);
    std::string cursor = "0";
    std::int64_t cancelled = 0;
    int calls = 0;
    do {
        const RespValue page = flow.cancel_members("500", cursor);
        ASSERT_EQ(element(page, 2), "OK") << to_string(page);
        cancelled += std::stoll(element(page, 5));
        cursor = element(page, 4);
    } while (cursor != "0" && ++calls < 50);
    EXPECT_EQ(cancelled, kMembers);
    EXPECT_FALSE(exists(flow.key("pending_cancels")));
    EXPECT_FALSE(score(flow.index("cancel_backlog"), flow.id()).has_value());
    EXPECT_EQ(flat(flow.cancel("flow_only")),
              (List{"0", "flow_already_terminal", "cancelled", "cancel_all", "stop"}));
}

TEST_P(Ch05Cancel, S51_TheLastAcknowledgementEndsTheBacklog) {
    const Flow flow = new_flow();
    const Execution a = member(flow);
    const Execution b = member(flow);
    flow.cancel();
    EXPECT_EQ(flat(flow.ack(a)), (List{"1", "OK"}));
    EXPECT_TRUE(score(flow.index("cancel_backlog"), flow.id()).has_value());
    EXPECT_EQ(flat(flow.ack(b)), (List{"1", "OK"}));
    EXPECT_FALSE(score(flow.index("cancel_backlog"), flow.id()).has_value());
    EXPECT_NE(flow.core("cancel_completed_at"), "");
}

TEST_P(Ch05Cancel, S52_FailFastCancelsTheRest) {
    Flow flow = new_flow({"", "fail_fast"});
    Execution a = member(flow);
    const Execution below = member(flow);
    const Execution beside = member(flow);
    flow.stage(a, below);
    fail(a);
    EXPECT_EQ(flow.core("public_flow_state"), "failed");
    flow.cascade(a);
    flow.cancel_members();
    for (const Execution* e : {&below, &beside}) {
        EXPECT_EQ(state(*e), "cancelled");
        EXPECT_EQ(e->core("cancellation_reason"), "fail_fast");
    }
    EXPECT_FALSE(exists(flow.key("pending_cancels")));
}

TEST_P(Ch05Cancel, S53_AReplayedSkipWaitsForANewRun) {
    Flow flow = new_flow();
    Execution a = member(flow);
    const Execution b = member(flow);
    flow.stage(a, b);
    fail(a);
    ASSERT_EQ(state(b), "skipped");
    EXPECT_EQ(flat(b.replay()), (List{"1", "OK", "1", "waiting_children"}));
    EXPECT_EQ(b.vector(), vector_l3("pending_replay_attempt"));
    EXPECT_EQ(hash(b.key("dep:" + flow.edge_id())).at("state"), "unsatisfied");
    flow.cascade(a);
    reconcile_dependencies(host(), b);
    flow.resolve(a, b, "", "1");
    EXPECT_EQ(state(b), "waiting_children");
    EXPECT_EQ(element(a.replay(), 4), "waiting");
    succeed(a);
    EXPECT_EQ(state(b), "waiting");
}

TEST_P(Ch05Cancel, S54_ASubgraphIsReplayedWhole) {
    Flow flow = new_flow();
    Execution a = member(flow);
    Execution b = member(flow);
    Execution c = member(flow);
    flow.stage(a, b);
    flow.stage(b, c);
    flow.seal();
    fail(a);
    EXPECT_EQ(flow.core("public_flow_state"), "failed");
    EXPECT_EQ(flat(flow.replay_subgraph(a)), (List{"1", "OK", "3", a.id(), b.id(), c.id()}));
    EXPECT_EQ(state(a), "waiting");
    EXPECT_EQ(state(b), "waiting_children");
    EXPECT_EQ(state(c), "waiting_children");
    EXPECT_EQ(flow.core("public_flow_state"), "open");
    EXPECT_EQ(flow.core("reopen_count"), "1");
    EXPECT_EQ(element(flow.replay_subgraph(a), 2), "execution_not_terminal");
    succeed(a);
    succeed(b);
    succeed(c);
    EXPECT_EQ(flow.core("public_flow_state"), "completed");
    const Flow cancelled = new_flow();
    Execution d = member(cancelled);
    succeed(d);
    cancelled.cancel();
    EXPECT_EQ(flat(cancelled.replay_subgraph(d)), (List{"0", "flow_already_terminal", d.id()}));
}

}  // namespace
}  // namespace ff::contract
