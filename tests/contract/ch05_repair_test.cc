// Defects that verification of the whole found in flows, each by its number.

#include <set>

#include "contract/flows.h"

namespace ff::contract {
namespace {

FF_CONTRACT_SUITE(Ch05Repair, FlowContract);

TEST_P(Ch05Repair, Repair_03_WorkReturnedUnbegunWaitsForAnEdgeThatCameMeanwhile) {
    Flow flow = new_flow();
    Execution a = member(flow);
    Execution b = member(flow);
    ASSERT_EQ(element(b.take(), 2), "OK");
    EXPECT_EQ(flat(flow.stage(a, b)).back(), "not_gated:active");
    ASSERT_EQ(element(b.give_back("+0"), 2), "OK");
    EXPECT_EQ(b.vector(), vector_l3("attempt_interrupted"));
    EXPECT_EQ(b.memberships(), List{"blocked:dependencies"});
    EXPECT_EQ(element(b.take_resumed(), 1), "0");
    succeed(a);
    EXPECT_EQ(b.vector(), vector_l1("attempt_interrupted"));
    EXPECT_EQ(element(b.take_resumed(), 2), "OK");
}

TEST_P(Ch05Repair, Repair_03_ATimeGivenWithItCountsBehindTheGate) {
    Flow flow = new_flow();
    Execution a = member(flow);
    Execution b = member(flow);
    b.take();
    flow.stage(a, b);
    ASSERT_EQ(element(b.give_back("+60000"), 2), "OK");
    EXPECT_EQ(state(b), "waiting_children");
    succeed(a);
    EXPECT_EQ(state(b), "delayed");
}

TEST_P(Ch05Repair, Repair_04_AReplayedMemberGoesOnWhenItsUpstreamSucceeds) {
    Flow flow = new_flow();
    Execution a = member(flow);
    Execution b = member(flow);
    Execution u = member(flow);
    flow.stage(a, b);
    succeed(a);
    succeed(b);
    EXPECT_EQ(flat(flow.stage(u, b)).back(), "not_gated:terminal");
    ASSERT_EQ(element(b.replay(), 3), "1");
    EXPECT_EQ(state(b), "waiting_children");
    EXPECT_EQ(flow.group(b, "group_state"), "pending");
    succeed(u);
    EXPECT_EQ(hash(b.key("deps:meta")).at("unsatisfied_required_count"), "0");
    EXPECT_EQ(state(b), "waiting");
    EXPECT_EQ(flow.group(b, "group_state"), "satisfied");
}

TEST_P(Ch05Repair, Repair_04_WithoutEarlierEdgesToo) {
    Flow flow = new_flow();
    Execution b = member(flow);
    Execution u = member(flow);
    Execution v = member(flow);
    succeed(b);
    flow.stage(u, b);
    flow.stage(v, b);
    ASSERT_EQ(element(b.replay(), 3), "2");
    succeed(u);
    EXPECT_EQ(state(b), "waiting_children");
    succeed(v);
    EXPECT_EQ(state(b), "waiting");
}

TEST_P(Ch05Repair, Repair_04_AnUpstreamThatEndedBeforeTheReplayLetsItRun) {
    Flow flow = new_flow();
    Execution a = member(flow);
    Execution b = member(flow);
    Execution u = member(flow);
    flow.stage(a, b);
    succeed(a);
    succeed(b);
    flow.stage(u, b);
    succeed(u);
    flow.cascade(u);
    ASSERT_EQ(element(b.replay(), 2), "OK");
    EXPECT_EQ(state(b), "waiting");
}

TEST_P(Ch05Repair, Repair_05_AResolvedEdgeIsNotLeftUnresolved) {
    Flow flow = new_flow();
    Execution a = member(flow);
    const Execution b = member(flow);
    flow.stage(a, b, {.apply = "0"});
    succeed(a);
    EXPECT_EQ(flow.edge(flow.edge_id(), "edge_state"), "satisfied");
    EXPECT_FALSE(in_set(b.key("deps:unresolved"), flow.edge_id()));
    EXPECT_TRUE(in_set(b.key("deps:all_edges"), flow.edge_id()));
    EXPECT_EQ(state(b), "waiting");
}

TEST_P(Ch05Repair, Repair_06_RepeatedCancelsLeaveTheTimeOfTheirCompletion) {
    Flow flow = new_flow();
    member(flow);
    flow.cancel();
    ASSERT_EQ(element(flow.cancel_members(), 3), "0");
    const std::string completed = flow.core("cancel_completed_at");
    ASSERT_FALSE(completed.empty());
    await_time(std::stoll(completed) + 2);
    EXPECT_EQ(element(flow.cancel_members(), 3), "0");
    EXPECT_EQ(flow.core("cancel_completed_at"), completed);
}

TEST_P(Ch05Repair, Repair_06_ANewCancelOfAReopenedFlowHasATimeOfItsOwn) {
    Flow flow = new_flow({"", "fail_fast"});
    Execution a = member(flow);
    const Execution b = member(flow);
    fail(a);
    flow.cancel_members();
    const std::string first = flow.core("cancel_completed_at");
    ASSERT_FALSE(first.empty());
    ASSERT_EQ(element(b.replay(), 2), "OK");
    await_time(std::stoll(first) + 2);
    flow.cancel();
    EXPECT_EQ(flow.core("cancel_completed_at"), "");
    flow.cancel_members();
    EXPECT_GT(std::stoll("0" + flow.core("cancel_completed_at")), std::stoll(first));
}

/// What a reader of another implementation knows of a flow's core and of an edge.
const std::set<std::string> kFlowFields{
    "flow_id",          "flow_kind",     "namespace",         "graph_revision",
    "node_count",       "edge_count",    "created_at",        "cancelled_at",
    "last_mutation_at", "cancel_reason", "public_flow_state", "cancellation_policy"};
const std::set<std::string> kEdgeFields{
    "edge_id",         "flow_id",          "upstream_execution_id",  "downstream_execution_id",
    "dependency_kind", "data_passing_ref", "satisfaction_condition", "edge_state",
    "created_at",      "created_by"};

TEST_P(Ch05Repair, Repair_35_ReadersWithStrictFieldListsUnderstandFlowsAndEdges) {
    Flow flow = new_flow({"", "fail_fast", "leaves", "me"});
    Execution a = member(flow);
    Execution b = member(flow);
    const Execution c = member(flow);
    flow.stage(a, b);
    const std::string edge = flow.edge_id();
    flow.stage(b, c);
    flow.tags({"team.name", "x"});
    flow.seal();
    succeed(a);
    fail(b);
    flow.cancel_members();
    for (const auto& [field, value] : hash(flow.key("core"))) {
        EXPECT_TRUE(kFlowFields.contains(field) || field.starts_with("ff.")) << field;
    }
    EXPECT_EQ(hash(flow.key("core")).at("ff.sealed"), "1");
    for (const auto& [field, value] : hash(flow.key("edge:" + edge))) {
        EXPECT_TRUE(kEdgeFields.contains(field)) << field;
    }
    const auto dependency = hash(b.key("dep:" + edge));
    EXPECT_NE(dependency.at("applied_at"), "");
    EXPECT_NE(dependency.at("last_resolved_at"), "");
    EXPECT_EQ(flow.edge(edge, "edge_state"), "satisfied");
    EXPECT_EQ(hash(flow.key("tags")).size(), 1U) << "our fields are no tags";
}

TEST_P(Ch05Repair, Repair_35_FlowsOfEarlierVersionsGoOn) {
    Flow flow = new_flow();
    Execution a = member(flow);
    Execution b = member(flow);
    succeed(a);
    flow.seal();
    for (const auto& [field, value] : hash(flow.key("core"))) {
        if (!field.starts_with("ff.")) continue;
        command({"HSET", flow.key("core"), field.substr(3), value});
        command({"HDEL", flow.key("core"), field});
    }
    EXPECT_EQ(element(flow.seal(), 2), "ALREADY_SATISFIED");
    succeed(b);
    EXPECT_EQ(flow.core("public_flow_state"), "completed");
    EXPECT_EQ(flow.core("term_success"), "2");
    EXPECT_FALSE(hash(flow.key("core")).contains("sealed"));
}

TEST_P(Ch05Repair, Repair_35_AClaimGateOfAnEarlierVersionHolds) {
    Flow flow = new_flow();
    Execution a = member(flow);
    command({"HSET", flow.key("core"), "claim_gate", "closed"});
    EXPECT_EQ(flat(a.take()), (List{"0", "execution_not_leaseable", "flow_cancelled"}));
}

}  // namespace
}  // namespace ff::contract
