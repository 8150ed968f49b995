// Membership, edges and tags of a flow (chapter 05 section 5.15, scenarios 4 to 13).

#include "contract/flows.h"

namespace ff::contract {
namespace {

FF_CONTRACT_SUITE(Ch05Graph, FlowContract);

TEST_P(Ch05Graph, S04_CreatingTwiceMakesOneFlow) {
    const Flow flow(host(), tag());
    EXPECT_EQ(flat(flow.create()), (List{"1", "OK", flow.id()}));
    const auto before = host().contents(tag());
    EXPECT_EQ(flat(flow.create()), (List{"1", "ALREADY_SATISFIED", flow.id()}));
    EXPECT_EQ(host().contents(tag()), before);
    EXPECT_EQ(flow.core("public_flow_state"), "open");
    EXPECT_EQ(flow.core("graph_revision"), "0");
    EXPECT_TRUE(in_set(flow.index("flow_index"), flow.id()));
    EXPECT_TRUE(score(flow.index("flows_by_time"), flow.id()).has_value());
    const RespValue other = host().fcall(
        "ff_create_flow", {flow.key("core"), flow.key("members"), flow.index("flow_index")},
        {flow.id(), "kind", "other"});
    EXPECT_EQ(flat(other), (List{"0", "flow_already_exists"}));
    EXPECT_EQ(element(flow.create({"", "sometimes"}), 2), "invalid_input");
}

TEST_P(Ch05Graph, S05_AddingCountsMembersOnce) {
    const Flow flow = new_flow();
    std::vector<Execution> members;
    for (int i = 1; i <= 3; ++i) {
        members.push_back(created());
        EXPECT_EQ(flat(flow.add(members.back())),
                  (List{"1", "OK", members.back().id(), std::to_string(i)}));
        EXPECT_EQ(members.back().core("flow_id"), flow.id());
    }
    EXPECT_EQ(flow.core("graph_revision"), "3");
    EXPECT_EQ(flat(flow.add(members[0])), (List{"1", "ALREADY_SATISFIED", members[0].id(), "3"}));
    EXPECT_EQ(flow.core("graph_revision"), "3");
    // At three keys the core is derived.
    const Execution more = created();
    EXPECT_EQ(
        element(host().fcall("ff_add_execution_to_flow",
                             {flow.key("core"), flow.key("members"), flow.index("flow_index")},
                             {flow.id(), more.id(), ""}),
                4),
        "4");
}

TEST_P(Ch05Graph, S06_RefusedMembersLeaveNoTrace) {
    const Flow unknown(host(), tag());
    const Execution e = created();
    const Flow flow = new_flow();
    const Flow other = new_flow();
    other.add(e);
    const Flow cancelled = new_flow();
    cancelled.cancel();
    const Flow sealed = new_flow();
    sealed.add(created());
    sealed.seal();
    const Execution free = created();
    Execution foreign(host(), another_tag());
    foreign.create();
    const Execution missing = execution();

    const auto before = host().contents(tag());
    EXPECT_EQ(flat(unknown.add(free)), (List{"0", "flow_not_found"}));
    EXPECT_EQ(flat(flow.add(missing)), (List{"0", "execution_not_found"}));
    EXPECT_EQ(flat(flow.add(e)),
              (List{"0", "already_member_of_different_flow:" + other.id(), other.id()}));
    EXPECT_EQ(flat(cancelled.add(free)), (List{"0", "flow_already_terminal"}));
    EXPECT_EQ(flat(sealed.add(free)), (List{"0", "flow_sealed"}));
    EXPECT_EQ(
        element(host().fcall("ff_add_execution_to_flow",
                             {flow.key("core"), flow.key("members"), flow.index("flow_index")},
                             {flow.id(), foreign.id(), ""}),
                2),
        "partition_mismatch");
    EXPECT_EQ(host().contents(tag()), before);
    EXPECT_EQ(foreign.core("flow_id"), "");
}

TEST_P(Ch05Graph, S07_TwoServersAddWithoutLosingOne) {
    const Flow flow = new_flow();
    const Flow same(host(), tag(), flow.id());
    const Execution a = created();
    const Execution b = created();
    EXPECT_EQ(element(flow.add(a), 2), "OK");
    EXPECT_EQ(element(same.add(b), 2), "OK");
    EXPECT_EQ(flow.core("node_count"), "2");
    EXPECT_TRUE(in_set(flow.key("members"), a.id()) && in_set(flow.key("members"), b.id()));
}

TEST_P(Ch05Graph, S08_EdgesRaiseTheRevisionAndCloseNoCycle) {
    Flow flow = new_flow();
    const Execution a = member(flow);
    const Execution b = member(flow);
    const Execution c = member(flow);
    EXPECT_EQ(element(flow.stage(a, b, {.expected_revision = "3", .apply = ""}), 4), "4");
    EXPECT_EQ(element(flow.stage(b, c, {.expected_revision = "4", .apply = ""}), 4), "5");
    const auto before = host().contents(tag());
    EXPECT_EQ(element(flow.stage(c, a), 2), "cycle_detected");
    EXPECT_EQ(element(flow.stage(a, a), 2), "self_referencing_edge");
    EXPECT_EQ(flat(flow.stage(a, c, {.expected_revision = "4"})),
              (List{"0", "stale_graph_revision", "5"}));
    EXPECT_EQ(element(flow.stage(a, created()), 2), "execution_not_in_flow");
    EXPECT_EQ(flow.core("graph_revision"), "5");
    EXPECT_EQ(flow.core("edge_count"), "2");
    EXPECT_EQ(before.at(flow.key("core")), host().contents(tag()).at(flow.key("core")));
}

TEST_P(Ch05Graph, S09_ARepeatedEdgeIsTheSameEdge) {
    Flow flow = new_flow();
    const Execution a = member(flow);
    const Execution b = member(flow);
    const Execution c = member(flow);
    const std::string id = new_uuid();
    EXPECT_EQ(element(flow.stage(a, b, {.expected_revision = "3", .apply = "", .id = id}), 2),
              "OK");
    EXPECT_EQ(flat(flow.stage(a, b, {.expected_revision = "3", .apply = "", .id = id})),
              (List{"1", "ALREADY_SATISFIED", id, "4"}));
    EXPECT_EQ(flat(flow.stage(a, c, {.id = id})), (List{"0", "dependency_already_exists", id}));
    EXPECT_EQ(flat(flow.stage(a, b)), (List{"0", "dependency_already_exists", id}));
    // Repeated with the flag, an edge that was only staged is applied.
    EXPECT_EQ(element(flow.stage(a, b, {.id = id}), 6), "gated");
    EXPECT_EQ(state(b), "waiting_children");
}

TEST_P(Ch05Graph, S10_ALongChainIsWalkedOrRefused) {
    Flow flow = new_flow();
    constexpr int kNodes = 10'002;  // the walk visits 10,000
    // The adjacency is written as staging leaves it: ten thousand calls would prove nothing more.
    std::vector<std::string> ids;
    for (int i = 0; i < kNodes; ++i) ids.push_back(tag() + ":" + new_uuid());
    for (int i = 0; i + 1 < kNodes; ++i) {
        const std::string edge = std::to_string(i);
        const auto at = static_cast<std::size_t>(i);
        command({"HSET", flow.key("edge:" + edge), "edge_id", edge, "upstream_execution_id",
                 ids[at], "downstream_execution_id", ids[at + 1], "edge_state", "pending"});
        command({"SADD", flow.key("out:" + ids[at]), edge});
        command({"SADD", flow.key("in:" + ids[at + 1]), edge});
    }
    const Execution head = known(ids.front());
    const Execution second = known(ids[1]);
    const Execution tail = known(ids.back());
    const Execution hung = member(flow);
    command({"SADD", flow.key("members"), head.id(), second.id(), tail.id()});
    EXPECT_EQ(element(flow.stage(tail, head, {.apply = ""}), 2), "graph_too_large");
    EXPECT_EQ(element(flow.stage(tail, second, {.apply = ""}), 2), "cycle_detected");
    EXPECT_EQ(element(flow.stage(tail, hung, {.apply = ""}), 2), "OK");
}

TEST_P(Ch05Graph, S11_StagingWithTheFlagGatesInTheSameCall) {
    Flow flow = new_flow();
    const Execution a = member(flow);
    const Execution b = member(flow);
    const RespValue reply = flow.stage(a, b);
    EXPECT_EQ(flat(reply), (List{"1", "OK", flow.edge_id(), "3", "1", "gated"}));
    EXPECT_EQ(b.vector(), vector_l3());
    EXPECT_NE(hash(b.key("dep:" + flow.edge_id()))["applied_at"], "");
}

TEST_P(Ch05Graph, S12_AnEdgeOnlyStagedIsAppliedByTheCascade) {
    Flow flow = new_flow();
    Execution a = member(flow);
    const Execution b = member(flow, {.hold = "dependencies"});
    flow.stage(a, b, {.apply = ""});
    EXPECT_FALSE(exists(b.key("deps:meta")));
    succeed(a);
    flow.cascade(a);
    EXPECT_EQ(state(b), "waiting");
    EXPECT_EQ(flow.edge(flow.edge_id(), "edge_state"), "satisfied");
    EXPECT_NE(hash(b.key("dep:" + flow.edge_id()))["applied_at"], "");
}

TEST_P(Ch05Graph, S13_TagsFollowTheirPattern) {
    const Flow flow = new_flow();
    EXPECT_EQ(flat(flow.tags({"app.x", "1"})), (List{"1", "OK", "1"}));
    for (const char* key : {"App.x", ".x", "app."}) {
        EXPECT_EQ(flat(flow.tags({key, "1"})), (List{"0", "invalid_tag_key", key}));
    }
    EXPECT_EQ(flat(Flow(host(), tag()).tags({"app.x", "1"})), (List{"0", "flow_not_found"}));
    EXPECT_EQ(element(flow.tags({"app.x", "1", "app.y"}), 2), "invalid_input");
    EXPECT_EQ(element(flow.tags({}), 2), "invalid_input");
    List many;
    for (int i = 0; i < 5000; ++i) {
        many.push_back("app.k" + std::to_string(i));
        many.push_back(std::to_string(i));
    }
    EXPECT_EQ(flat(flow.tags(many)), (List{"1", "OK", "5000"}));
    EXPECT_EQ(hash(flow.key("tags")).at("app.k4999"), "4999");
    EXPECT_EQ(hash(flow.key("tags")).size(), 5001U);
}

}  // namespace
}  // namespace ff::contract
