// Edge groups and sibling cancels (chapter 05 section 5.15, scenarios 34 to 42).

#include "contract/flows.h"

namespace ff::contract {
namespace {

/// A child behind a group of upstreams.
class GroupContract : public FlowContract {
  protected:
    struct Voters {
        Flow flow;
        std::vector<Execution> ups{};
        Execution child;
    };
    Voters voters(int count, const GroupArgs& group) const {
        Voters made{.flow = new_flow(), .child = execution()};
        for (int i = 0; i < count; ++i) made.ups.push_back(member(made.flow));
        made.child = member(made.flow);
        EXPECT_EQ(element(made.flow.set_group(made.child, group), 3), "set");
        for (const Execution& up : made.ups) {
            EXPECT_EQ(element(made.flow.stage(up, made.child), 2), "OK");
        }
        return made;
    }
    bool is_flagged(const Voters& v) const {
        return in_set(v.flow.index("pending_cancel_groups"), v.flow.id() + "|" + v.child.id());
    }
};

FF_CONTRACT_SUITE(Ch05Group, GroupContract);

TEST_P(Ch05Group, S34_AnyOfCancelsTheRest) {
    Voters v = voters(3, {.variant = "any_of", .on_satisfied = "cancel_remaining"});
    v.flow.seal();
    v.ups[1].take();
    succeed(v.ups[0]);
    EXPECT_EQ(flat(v.flow.cascade(v.ups[0])), (List{"1", "OK", "1", "1", "0", "0", "1"}));
    EXPECT_EQ(state(v.child), "waiting");
    EXPECT_TRUE(is_flagged(v));
    EXPECT_EQ(flat(v.flow.drain(v.child)), (List{"1", "OK", "drained", ""}));
    EXPECT_FALSE(is_flagged(v));
    for (int i : {1, 2}) {
        const Execution& up = v.ups[static_cast<std::size_t>(i)];
        EXPECT_EQ(state(up), "cancelled");
        EXPECT_EQ(up.core("cancellation_reason"), "sibling_quorum_satisfied");
    }
    EXPECT_EQ(flat(v.flow.drain(v.child)), (List{"1", "OK", "already_drained", ""}));
    succeed(v.child);
    EXPECT_EQ(v.flow.core("public_flow_state"), "completed");
    EXPECT_EQ(v.flow.core("term_benign"), "2");
}

TEST_P(Ch05Group, S35_AQuorumFiresOnceAndLetsTheRestRun) {
    Voters v = voters(5, {.variant = "quorum", .on_satisfied = "let_run", .k = "3"});
    succeed(v.ups[0]);
    succeed(v.ups[1]);
    EXPECT_EQ(state(v.child), "waiting_children");
    succeed(v.ups[2]);
    EXPECT_EQ(state(v.child), "waiting");
    v.child.take();
    EXPECT_EQ(element(v.flow.resolve(v.ups[4], v.child, "success"), 3), "already_fired");
    EXPECT_EQ(state(v.child), "active");
    EXPECT_EQ(state(v.ups[3]), "waiting");
    EXPECT_FALSE(is_flagged(v));
}

TEST_P(Ch05Group, S36_AQuorumOutOfReachSkipsTheChild) {
    for (const char* rest : {"cancel_remaining", "let_run"}) {
        Voters v = voters(5, {.variant = "quorum", .on_satisfied = rest, .k = "3"});
        for (std::size_t i = 0; i < 3; ++i) {
            EXPECT_EQ(state(v.child), "waiting_children");
            fail(v.ups[i]);
            v.flow.cascade(v.ups[i]);
        }
        EXPECT_EQ(state(v.child), "skipped");
        const bool cancels = std::string_view(rest) == "cancel_remaining";
        EXPECT_EQ(is_flagged(v), cancels);
        if (cancels) {
            EXPECT_EQ(element(v.flow.drain(v.child), 3), "drained");
        }
        EXPECT_EQ(state(v.ups[4]), cancels ? "cancelled" : "waiting");
        EXPECT_EQ(v.ups[4].core("cancellation_reason"), cancels ? "sibling_quorum_impossible" : "");
    }
}

TEST_P(Ch05Group, S37_AnIncompleteGroupWaitsForItsEdges) {
    Voters few = voters(2, {.variant = "quorum", .on_satisfied = "let_run", .k = "3"});
    fail(few.ups[0]);
    EXPECT_EQ(state(few.child), "waiting_children");
    succeed(few.ups[1]);
    EXPECT_EQ(state(few.child), "waiting_children");
    Voters expected =
        voters(2, {.variant = "quorum", .on_satisfied = "let_run", .k = "3", .expected_n = "5"});
    fail(expected.ups[0]);
    fail(expected.ups[1]);
    EXPECT_EQ(state(expected.child), "waiting_children");
    EXPECT_EQ(expected.flow.group(expected.child, "group_state"), "pending");
}

TEST_P(Ch05Group, S38_PoliciesAreCheckedAndFixedByTheFirstEdge) {
    Flow flow = new_flow();
    const Execution a = member(flow);
    const Execution b = member(flow);
    const auto refused = [&](const GroupArgs& args) { return flat(flow.set_group(b, args)); };
    EXPECT_EQ(refused({.variant = "quorum", .on_satisfied = "let_run", .k = "0"}),
              (List{"0", "invalid_input", "quorum k must be >= 1"}));
    EXPECT_EQ(refused({.variant = "some"}),
              (List{"0", "invalid_input", "unsupported_policy_variant: some"}));
    EXPECT_EQ(refused({.variant = "any_of"}),
              (List{"0", "invalid_input", "on_satisfied required"}));
    EXPECT_EQ(
        refused({.variant = "quorum", .on_satisfied = "let_run", .k = "3", .expected_n = "2"}),
        (List{"0", "invalid_input", "k exceeds expected_n"}));
    const GroupArgs two{.variant = "quorum", .on_satisfied = "let_run", .k = "2"};
    EXPECT_EQ(element(flow.set_group(b, two), 3), "set");
    EXPECT_EQ(element(flow.set_group(b, two), 3), "already_set");
    GroupArgs three = two;
    three.variant = "count";
    three.k = "3";
    EXPECT_EQ(element(flow.set_group(b, three), 3), "set");
    flow.stage(a, b, {.apply = ""});
    EXPECT_EQ(element(flow.set_group(b, three), 3), "already_set");
    EXPECT_EQ(flat(flow.set_group(b, two)),
              (List{"0", "invalid_input", "edge_group_policy_already_fixed"}));
}

TEST_P(Ch05Group, S39_ASiblingNeededElsewhereIsSpared) {
    const GroupArgs any{.variant = "any_of", .on_satisfied = "cancel_remaining"};
    Voters v = voters(2, any);
    Execution other_up = member(v.flow);
    const Execution other = member(v.flow);
    v.flow.set_group(other, any);
    v.flow.stage(v.ups[1], other);
    v.flow.stage(other_up, other);
    succeed(v.ups[0]);
    v.flow.cascade(v.ups[0]);
    EXPECT_EQ(v.flow.group(v.child, "cancel_siblings_spared"), "1");
    EXPECT_EQ(element(v.flow.drain(v.child), 3), "drained");
    EXPECT_EQ(state(v.ups[1]), "waiting");
    succeed(other_up);
    v.flow.cascade(other_up);
    EXPECT_EQ(element(v.flow.drain(other), 3), "drained");
    EXPECT_EQ(state(v.ups[1]), "cancelled");
}

TEST_P(Ch05Group, ASkipAndASiblingCancelAreARaceThatChangesNothingElse) {
    const GroupArgs any{.variant = "any_of", .on_satisfied = "cancel_remaining"};
    for (const bool cancel_is_first : {true, false}) {
        SCOPED_TRACE(cancel_is_first ? "cancel first" : "skip first");
        Flow flow = new_flow({"", "", "leaves"});
        Execution up = member(flow);
        Execution winner = member(flow);
        Execution sibling = member(flow);
        Execution child = member(flow);
        flow.set_group(sibling, any);
        flow.stage(up, sibling);
        flow.set_group(child, any);
        flow.stage(sibling, child);
        flow.stage(winner, child);
        flow.seal();
        fail(up);
        succeed(winner);
        flow.cascade(winner);
        EXPECT_EQ(state(sibling), "waiting_children") << "nobody has told it of its upstream";
        if (cancel_is_first) {
            EXPECT_EQ(element(flow.drain(child), 3), "drained");
        }
        flow.cascade(up);
        if (!cancel_is_first) {
            EXPECT_EQ(element(flow.drain(child), 3), "drained");
        }
        EXPECT_EQ(state(sibling), cancel_is_first ? "cancelled" : "skipped");
        EXPECT_EQ(flow.group(sibling, "group_state"), "impossible");
        succeed(child);
        EXPECT_EQ(flow.core("public_flow_state"), "completed");
        EXPECT_EQ(element(sibling.replay(), 2), "OK");
        EXPECT_EQ(state(sibling), "waiting_children") << "it waits for a new run of its upstream";
    }
}

TEST_P(Ch05Group, S40_EverySiblingEndsAndAFailingOneStopsNoOther) {
    constexpr std::size_t kSiblings = 3000;
    constexpr std::size_t kPage = 500;
    constexpr std::size_t kRunning = 50;
    Flow flow(host(), tag());
    Execution winner = execution();
    const Execution child = execution();
    const std::string join = R"("join":{"policy":"any_of","on_satisfied":"cancel_remaining"})";
    const Plan first = Plan()
                           .flow(R"("flow_kind":"k","namespace":"ns","seal":false)")
                           .node(winner)
                           .node(child, join)
                           .edge(winner, child);
    ASSERT_EQ(element(flow.submit(first.json()), 2), "OK");
    std::vector<Execution> siblings;
    while (siblings.size() < kSiblings) {
        Plan more;
        for (std::size_t i = 0; i < kPage; ++i) {
            siblings.push_back(execution());
            more.node(siblings.back()).edge(siblings.back(), child);
        }
        const RespValue reply = flow.expand(new_uuid(), more.json());
        ASSERT_EQ(element(reply, 2), "OK") << to_string(reply);
    }
    for (std::size_t i = 1; i < kRunning; ++i) siblings[i].take();
    siblings[0].take();
    command({"SET", siblings[0].key("waitpoints"), "not a set"});
    succeed(winner);
    EXPECT_EQ(element(flow.cascade(winner), 7), "1");
    EXPECT_EQ(element(flow.drain(child), 3), "pending");
    for (std::size_t round = 0; round < kSiblings / 128 + 1; ++round) flow.drain(child);
    EXPECT_EQ(flat(flow.drain(child)), (List{"1", "OK", "pending", "1"}));
    EXPECT_EQ(state(siblings[0]), "active");
    for (std::size_t i = 1; i < siblings.size(); ++i) ASSERT_EQ(state(siblings[i]), "cancelled");
    EXPECT_TRUE(in_set(flow.index("pending_cancel_groups"), flow.id() + "|" + child.id()));
    command({"DEL", siblings[0].key("waitpoints")});
    EXPECT_EQ(element(flow.drain(child), 3), "drained");
    EXPECT_EQ(state(siblings[0]), "cancelled");
}

TEST_P(Ch05Group, S41_TheReconcilerClearsWhatIsDone) {
    Voters v = voters(2, {.variant = "any_of", .on_satisfied = "cancel_remaining"});
    EXPECT_EQ(flat(v.flow.reconcile_siblings(v.child)), (List{"1", "OK", "no_op", "not_in_set"}));
    succeed(v.ups[0]);
    v.flow.cascade(v.ups[0]);
    const auto before = host().contents(tag());
    EXPECT_EQ(flat(v.flow.reconcile_siblings(v.child)),
              (List{"1", "OK", "no_op", "siblings_running"}));
    EXPECT_EQ(host().contents(tag()), before);
    v.ups[1].cancel("x", "operator_override");
    EXPECT_EQ(flat(v.flow.reconcile_siblings(v.child)), (List{"1", "OK", "completed_drain", ""}));
    EXPECT_FALSE(is_flagged(v));
    command({"SADD", v.flow.index("pending_cancel_groups"), v.flow.id() + "|" + v.child.id()});
    EXPECT_EQ(flat(v.flow.reconcile_siblings(v.child)),
              (List{"1", "OK", "sremmed_stale", "flag_cleared"}));
    command({"SADD", v.flow.index("pending_cancel_groups"), v.flow.id() + "|" + v.child.id()});
    command({"DEL", v.flow.key("edgegroup:" + v.child.id())});
    EXPECT_EQ(flat(v.flow.reconcile_siblings(v.child)),
              (List{"1", "OK", "sremmed_stale", "missing_edgegroup"}));
    EXPECT_FALSE(is_flagged(v));
}

TEST_P(Ch05Group, S42_OnlyAllOfReopens) {
    Voters v = voters(2, {.variant = "any_of", .on_satisfied = "let_run"});
    succeed(v.ups[0]);
    EXPECT_EQ(element(v.flow.stage(member(v.flow), v.child), 2), "group_already_terminal");

    Flow flow = new_flow();
    Execution first = member(flow);
    Execution coordinator = member(flow);
    flow.stage(first, coordinator);
    succeed(first);
    coordinator.take();
    EXPECT_EQ(flow.group(coordinator, "group_state"), "satisfied");
    Execution spawned = member(flow);
    EXPECT_EQ(element(flow.stage(spawned, coordinator), 6), "not_gated:active");
    EXPECT_EQ(flow.group(coordinator, "group_state"), "pending");
    EXPECT_EQ(element(coordinator.wait_for_children("1"), 3), "blocked");
    succeed(spawned);
    EXPECT_EQ(state(coordinator), "waiting");
    EXPECT_EQ(element(coordinator.take_resumed(), 1), "1");
}

}  // namespace
}  // namespace ff::contract
