// Gates, resolution and data passing (chapter 05 section 5.15, scenarios 14 to 33).

#include "contract/flows.h"
#include "contract/scheduling.h"

namespace ff::contract {
namespace {

FF_CONTRACT_SUITE(Ch05Dependency, FlowContract);

TEST_P(Ch05Dependency, S14_AnAppliedEdgeBlocksTheChild) {
    Flow flow = new_flow();
    const Execution a = member(flow);
    const Execution b = member(flow);
    EXPECT_EQ(flat(flow.apply(a, b)), (List{"1", "OK", "1", "gated"}));
    EXPECT_EQ(b.vector(), vector_l3());
    EXPECT_EQ(b.memberships(), List{"blocked:dependencies"});
    EXPECT_EQ(flat(flow.apply(a, b, {.id = flow.edge_id()})),
              (List{"1", "OK", "already_applied", "1"}));
    EXPECT_EQ(hash(b.key("deps:meta")).at("unsatisfied_required_count"), "1");
    EXPECT_EQ(flow.group(b, "n"), "1");
    EXPECT_EQ(element(evaluate_eligibility(host(), b), 3), "blocked_by_dependencies");
}

TEST_P(Ch05Dependency, S15_AChainRunsNodeByNode) {
    Flow flow = new_flow();
    Execution a = member(flow);
    Execution b = member(flow);
    Execution c = member(flow);
    flow.stage(a, b);
    flow.stage(b, c);
    succeed(a);
    EXPECT_EQ(state(b), "waiting");
    EXPECT_EQ(state(c), "waiting_children");
    succeed(b);
    EXPECT_EQ(state(c), "waiting");
    succeed(c);
    for (const Execution* e : {&a, &b, &c}) EXPECT_EQ(e->core("terminal_outcome"), "success");
    EXPECT_EQ(command({"ZCARD", flow.index("cascade_pending")}).integer, 0);
}

/// A flow whose first node has `width` children, as one submission.
Flow fan_out(Host& host, const std::string& tag, const Execution& root, int width) {
    Flow flow(host, tag);
    List edges;
    Plan plan;
    plan.flow(R"("flow_kind":"k","namespace":"ns","seal":false)").node(root);
    int sent = 0;
    bool is_first = true;
    while (sent < width || is_first) {
        for (int i = 0; i < 900 && sent < width; ++i, ++sent) {
            const Execution child(host, tag);
            plan.node(child).edge(root, child);
        }
        const RespValue reply = is_first ? flow.submit(plan.json())
                                         : flow.expand("m" + std::to_string(sent), plan.json());
        EXPECT_EQ(element(reply, 2), "OK") << to_string(reply).substr(0, 200);
        plan = Plan();
        is_first = false;
    }
    return flow;
}

TEST_P(Ch05Dependency, S16_OneCallReleasesAllChildren) {
    Flow small = new_flow();
    Execution a = member(small);
    const Execution b = member(small);
    const Execution c = member(small);
    small.stage(a, b);
    small.stage(a, c);
    succeed(a);
    small.cascade(a);
    EXPECT_EQ(state(b), "waiting");
    EXPECT_EQ(state(c), "waiting");

    constexpr int kWidth = 10'000;
    Execution root = execution();
    const Flow flow = fan_out(host(), tag(), root, kWidth);
    const std::int64_t before = command({"ZCARD", lane_index("lane", "eligible")}).integer;
    succeed(root);
    EXPECT_TRUE(score(flow.index("cascade_pending"), root.id()).has_value());
    std::string cursor = "0";
    int calls = 0;
    std::int64_t resolved = 0;
    do {
        const RespValue reply = flow.cascade(root, "500", cursor);
        ASSERT_EQ(element(reply, 2), "OK") << to_string(reply);
        const std::int64_t page = std::stoll(element(reply, 3));
        EXPECT_LE(page, 1000);
        resolved += page;
        cursor = element(reply, 6);
        ++calls;
    } while (cursor != "0" && calls < 100);
    EXPECT_EQ(resolved, kWidth);
    EXPECT_LE(calls, 40);
    EXPECT_FALSE(score(flow.index("cascade_pending"), root.id()).has_value());
    EXPECT_EQ(command({"ZCARD", lane_index("lane", "eligible")}).integer, before - 1 + kWidth);
}

TEST_P(Ch05Dependency, S17_AFailureSkipsEverythingBelow) {
    Execution root = execution();
    Flow flow(host(), tag());
    Plan plan;
    plan.flow(R"("flow_kind":"k","namespace":"ns","seal":true)").node(root);
    std::vector<Execution> chain{root};
    for (int i = 0; i < 200; ++i) {
        const Execution next = execution();
        plan.node(next).edge(chain.back(), next);
        chain.push_back(next);
    }
    ASSERT_EQ(element(flow.submit(plan.json()), 2), "OK");
    fail(root);
    for (int round = 0; round < 10; ++round) {
        const RespValue left = command({"ZRANGE", flow.index("cascade_pending"), "0", "-1"});
        if (left.items.empty()) break;
        flow.cascade(known(left.items[0].text));
    }
    for (std::size_t i = 1; i < chain.size(); ++i) {
        const Execution& e = chain[i];
        ASSERT_EQ(state(e), "skipped") << i;
        EXPECT_EQ(e.core("skip_root_execution_id"), root.id());
        EXPECT_EQ(e.core("skip_cause_execution_id"), chain[i - 1].id());
        EXPECT_EQ(e.vector(), vector_terminal("skipped", "none"));
    }
    EXPECT_EQ(chain[1].memberships(), List{"terminal"});
    EXPECT_EQ(command({"ZCARD", lane_index("lane", "blocked:dependencies")}).integer, 0);
    EXPECT_EQ(flow.core("public_flow_state"), "failed");
}

TEST_P(Ch05Dependency, S18_AnEdgeResolvesOnce) {
    Flow flow = new_flow();
    const Execution a = member(flow);
    const Execution b = member(flow);
    flow.stage(a, b);
    EXPECT_EQ(flat(flow.resolve(a, b, "failed")), (List{"1", "OK", "impossible", "child_skipped"}));
    EXPECT_EQ(flat(flow.resolve(a, b, "success")), (List{"1", "OK", "already_resolved"}));
    EXPECT_EQ(state(b), "skipped");
}

TEST_P(Ch05Dependency, S19_UnknownOutcomesAreRefused) {
    Flow flow = new_flow();
    const Execution a = member(flow);
    const Execution b = member(flow);
    flow.stage(a, b);
    const auto before = host().contents(tag());
    for (const char* outcome : {"none", "", "done"}) {
        EXPECT_EQ(element(flow.resolve(a, b, outcome), 2), "invalid_input");
    }
    EXPECT_EQ(flat(flow.resolve(a, b, "", "1")), (List{"1", "OK", "stale_upstream", ""}));
    Flow other(host(), tag(), flow.id());
    EXPECT_EQ(element(other.resolve(a, b, "success"), 2), "invalid_input");
    EXPECT_EQ(host().contents(tag()), before);
    EXPECT_EQ(flat(host().fcall("ff_resolve_dependency", flow.resolve_keys(a, b),
                                {"unknown", "success", ""})),
              (List{"0", "invalid_dependency"}));
}

TEST_P(Ch05Dependency, S20_NoMessageIsNeededForTheNextNode) {
    Flow flow = new_flow();
    Execution a = member(flow);
    const Execution b = member(flow);
    flow.stage(a, b);
    succeed(a);
    EXPECT_EQ(state(b), "waiting");
}

TEST_P(Ch05Dependency, S21_WhatACallDidNotFollowIsLeftAsATrace) {
    Execution root = execution();
    const Flow flow = fan_out(host(), tag(), root, 200);
    succeed(root);
    EXPECT_TRUE(score(flow.index("cascade_pending"), root.id()).has_value());
    const RespValue reply = flow.cascade(root);
    EXPECT_EQ(flat(reply), (List{"1", "OK", "200", "200", "0", "0", "0"}));
    EXPECT_EQ(command({"ZCARD", flow.index("cascade_pending")}).integer, 0);
    EXPECT_EQ(flat(flow.cascade(root)), (List{"1", "OK", "0", "0", "0", "0", "0"}));
}

TEST_P(Ch05Dependency, S22_AnEdgeFromAFinishedUpstreamIsTraced) {
    Flow flow = new_flow();
    Execution a = member(flow);
    const Execution b = member(flow);
    succeed(a);
    const auto heard = host().listen("ff:dag:completions");
    EXPECT_EQ(element(flow.stage(a, b), 6), "gated");
    EXPECT_TRUE(score(flow.index("cascade_pending"), a.id()).has_value());
    EXPECT_NE(heard->next().find(a.id()), std::string::npos);
    EXPECT_EQ(flat(flow.cascade(a)), (List{"1", "OK", "1", "1", "0", "0", "0"}));
    EXPECT_EQ(state(b), "waiting");
}

TEST_P(Ch05Dependency, TheReconcilerFindsAnUnnoticedEnd) {
    Flow flow = new_flow();
    Execution a = member(flow);
    const Execution b = member(flow);
    flow.stage(a, b);
    EXPECT_EQ(flat(reconcile_dependencies(host(), b)), (List{"1", "OK", "0", "blocked"}));
    // As if the hook had been lost.
    a.set_core("lifecycle_phase", "terminal");
    a.set_core("terminal_outcome", "success");
    EXPECT_EQ(flat(reconcile_dependencies(host(), b)), (List{"1", "OK", "1", "promoted"}));
    EXPECT_EQ(state(b), "waiting");
    EXPECT_EQ(flat(reconcile_dependencies(host(), b)), (List{"1", "OK", "0", "not_blocked"}));
    EXPECT_EQ(flat(reconcile_dependencies(host(), execution())),
              (List{"1", "OK", "0", "not_found"}));
}

TEST_P(Ch05Dependency, S24_ADelayOutlivesTheGate) {
    Flow flow = new_flow();
    Execution a = member(flow);
    const Execution b = member(flow, {.delay_until = "+10000", .hold = "dependencies"});
    flow.stage(a, b);
    const std::string due = b.core("delay_until");
    succeed(a);
    EXPECT_EQ(state(b), "delayed");
    EXPECT_EQ(b.memberships(), List{"delayed"});
    EXPECT_EQ(std::to_string(score(b.lane_key("delayed"), b.id()).value_or(0)), due);
}

TEST_P(Ch05Dependency, S25_AnEdgeIntoASuspendedMemberCountsWhenItResumes) {
    Flow flow = new_flow();
    Execution a = member(flow);
    Execution b = member(flow);
    b.take();
    suspend(b);
    EXPECT_EQ(element(flow.stage(a, b), 6), "not_gated:suspended");
    EXPECT_EQ(element(resume(b), 1), "1");
    EXPECT_EQ(b.vector(), vector_l3("attempt_interrupted"));
    EXPECT_EQ(b.memberships(), List{"blocked:dependencies"});
    succeed(a);
    EXPECT_EQ(state(b), "waiting");
    EXPECT_EQ(element(b.take_resumed(), 1), "1");
}

TEST_P(Ch05Dependency, S26_WaitingForNothingGoesOnAtOnceAndAHoldStays) {
    Flow flow = new_flow();
    Execution parent = member(flow);
    Execution child = member(flow);
    parent.take();
    EXPECT_EQ(element(flow.stage(child, parent), 6), "not_gated:active");
    succeed(child);
    EXPECT_EQ(element(parent.wait_for_children("1"), 3), "eligible");
    EXPECT_EQ(state(parent), "waiting");

    const Execution held = member(flow, {.hold = "dependencies"});
    EXPECT_EQ(flat(reconcile_dependencies(host(), held)), (List{"1", "OK", "0", "held"}));
    EXPECT_EQ(state(held), "waiting_children");
}

TEST_P(Ch05Dependency, S27_AnActiveChildIsSkippedWithItsLease) {
    Flow flow = new_flow();
    Execution a = member(flow);
    Execution b = member(flow);
    b.take();
    flow.stage(a, b);
    fail(a);
    EXPECT_EQ(b.vector(), vector_terminal("skipped"));
    EXPECT_EQ(b.memberships(), List{"terminal"});
    EXPECT_EQ(b.core("current_lease_id"), "");
    EXPECT_EQ(b.attempt(0, "failure_reason"), "dependency_impossible");
    const RespValue renewed = b.renew();
    EXPECT_EQ(element(renewed, 2), "execution_not_active");
    EXPECT_EQ(element(renewed, 3), "skipped");
}

TEST_P(Ch05Dependency, S28_AnAlwaysEdgeRunsAfterAFailure) {
    Flow flow = new_flow();
    Execution a = member(flow);
    const Execution b = member(flow);
    flow.stage(a, b, {.kind = "always"});
    fail(a);
    EXPECT_EQ(state(b), "waiting");
    EXPECT_EQ(element(flow.stage(b, member(flow), {.kind = "sometimes"}), 2), "invalid_dependency");
    EXPECT_EQ(element(flow.apply(a, b, {.kind = "sometimes"}), 2), "invalid_dependency");
}

TEST_P(Ch05Dependency, S29_APurgedUpstreamCannotBeWaitedFor) {
    Flow flow = new_flow();
    const Execution a = member(flow);
    const Execution b = member(flow);
    flow.stage(a, b);
    command({"DEL", a.key("core")});
    EXPECT_EQ(flat(reconcile_dependencies(host(), b)), (List{"1", "OK", "1", "skipped"}));
    EXPECT_EQ(state(b), "skipped");
}

TEST_P(Ch05Dependency, S30_OnlyASatisfiedHoldIsPromoted) {
    Flow flow = new_flow();
    const Execution a = member(flow);
    Execution active = member(flow);
    active.take();
    const Execution b = member(flow);
    flow.stage(a, b);
    EXPECT_EQ(element(promote_blocked(host(), execution()), 2), "execution_not_found");
    EXPECT_EQ(element(promote_blocked(host(), active), 2), "not_runnable");
    EXPECT_EQ(element(promote_blocked(host(), a), 2), "not_blocked_by_deps");
    EXPECT_EQ(flat(promote_blocked(host(), b)), (List{"0", "deps_not_satisfied", "1", "1"}));
    const Execution held = member(flow, {.hold = "dependencies"});
    EXPECT_EQ(flat(promote_blocked(host(), held)), (List{"1", "OK"}));
    EXPECT_EQ(state(held), "waiting");
}

TEST_P(Ch05Dependency, S31_GivingUpReclaimingSkipsTheRest) {
    Flow flow = new_flow();
    Execution a = member(flow, {.policy = R"({"max_reclaim_count":0})"});
    const Execution b = member(flow);
    flow.stage(a, b);
    a.take();
    a.lose_lease();
    a.grant("w2");
    EXPECT_EQ(element(a.reclaim({.worker = "w2"}), 2), "max_retries_exhausted");
    EXPECT_EQ(state(b), "skipped");
}

TEST_P(Ch05Dependency, S32_AResultBecomesThePayloadByteForByte) {
    Flow flow = new_flow();
    Execution a = member(flow);
    Execution b = member(flow);
    const std::string bytes("\x00\xff\x0a", 3);
    succeed(a, bytes);
    flow.stage(a, b, {.ref = "result"});
    EXPECT_EQ(flat(flow.resolve(a, b, "success")), (List{"1", "OK", "satisfied", "data_injected"}));
    EXPECT_EQ(command({"GET", b.key("payload")}).text, bytes);
    EXPECT_EQ(b.core("payload_len"), "3");

    Execution plain = member(flow);
    flow.stage(a, plain);
    EXPECT_EQ(flat(flow.resolve(a, plain, "success")), (List{"1", "OK", "satisfied", ""}));
    Execution empty = member(flow);
    succeed(empty, "");
    Execution c = member(flow);
    flow.stage(empty, c, {.ref = "result"});
    EXPECT_EQ(flat(flow.resolve(empty, c, "success")), (List{"1", "OK", "satisfied", ""}));
    Execution ended = member(flow);
    succeed(ended);
    flow.stage(a, ended, {.ref = "result"});
    EXPECT_EQ(flat(flow.resolve(a, ended, "success")), (List{"1", "OK", "satisfied", ""}));
    for (const Execution* e : {&plain, &c, &ended}) {
        EXPECT_EQ(command({"GET", e->key("payload")}).text, "in");
    }
}

TEST_P(Ch05Dependency, S33_NamedInputsStandBesideThePayload) {
    Flow flow = new_flow();
    Execution a = member(flow);
    Execution b = member(flow);
    const Execution c = member(flow);
    flow.stage(a, c, {.ref = "input:a"});
    const std::string first = flow.edge_id();
    EXPECT_EQ(element(flow.stage(b, c, {.ref = "input:a"}), 2), "data_passing_conflict");
    EXPECT_EQ(element(flow.stage(b, c, {.ref = "input:a b"}), 2), "invalid_input");
    EXPECT_EQ(element(flow.stage(b, c, {.ref = "input:b"}), 2), "OK");
    succeed(a, "from a");
    succeed(b, "from b");
    EXPECT_EQ(command({"GET", c.key("input:a")}).text, "from a");
    EXPECT_EQ(command({"GET", c.key("input:b")}).text, "from b");
    EXPECT_EQ(hash(c.key("inputs")).at("a"), first + "|" + a.id());
    EXPECT_EQ(command({"GET", c.key("payload")}).text, "in");
    EXPECT_EQ(state(c), "waiting");
}

TEST_P(Ch05Dependency, CompletingAndClaimingFollowsTheChainInOneCall) {
    Flow flow = new_flow();
    Execution a = member(flow);
    const Execution b = member(flow);
    flow.stage(a, b);
    a.take();
    List args{"1", a.id(), a.lease_id, a.epoch, a.attempt_id, "out", ""};
    const List claim = batch_args({});
    args.insert(args.end(), claim.begin(), claim.end());
    const RespValue reply = host().fcall(
        "ff_complete_and_claim",
        {lane_index("lane", "eligible"), lane_index("lane", "blocked:route"), index("lease_expiry"),
         index("worker:w1-1:leases"), lane_index("lane", "active"), index("attempt_timeout"),
         index("execution_deadline"), "ff:wake:" + tag()},
        args);
    ASSERT_EQ(reply.items.size(), 4U) << to_string(reply);
    EXPECT_EQ(BatchReply(reply.items[3]).ids(), List{b.id()});
}

}  // namespace
}  // namespace ff::contract
