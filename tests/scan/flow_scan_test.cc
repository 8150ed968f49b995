#include "engine/end_execution.h"
#include "engine/flow_build.h"
#include "engine/flow_cancel.h"
#include "engine/flow_retain.h"
#include "hub/completion_listener.h"
#include "model/flow_keys.h"
#include "scan/scan_world.h"

namespace ff::testing {
namespace {

using scan::Kind;

/// More edges than the call that ends a member resolves itself.
constexpr std::size_t kManyChildren = 150;

class FlowScanTest : public ScanTest {
  protected:
    struct Graph {
        model::FlowId flow;
        model::LaneId lane;
        std::vector<model::ExecutionId> members{};
        std::string nodes{};
        std::string edges{};
    };

    Graph graph(std::string_view lane_name) {
        return {.flow = model::FlowId::mint(world.random()), .lane = world.lane(lane_name)};
    }
    engine::FlowAddress address(const Graph& graph) {
        return {.id = graph.flow, .partitions = world.partitions()};
    }
    model::FlowKeys keys(const Graph& graph) { return {graph.flow, world.partitions()}; }
    model::FlowIndexKeys index(const Graph& graph) {
        return model::FlowIndexKeys(model::partition_of(graph.flow, world.partitions()));
    }
    model::ExecutionId add(Graph& graph, const std::string& more = "") {
        const auto id =
            model::ExecutionId::for_flow(graph.flow, world.partitions(), world.random());
        graph.members.push_back(id);
        graph.nodes += (graph.nodes.empty() ? "" : ",");
        graph.nodes += R"({"eid":")" + id.to_string() + R"(","lane":")" + graph.lane.text() +
                       R"(","kind":"noop","priority":0,"creator":"me","policy":"","payload":-1,)" +
                       R"("delay_until":"","deadline_at":"")" + more + "}";
        return id;
    }
    void link(Graph& graph, const model::ExecutionId& up, const model::ExecutionId& down) {
        graph.edges += (graph.edges.empty() ? "" : ",");
        graph.edges += R"({"id":")" + model::EdgeId::mint(world.random()).to_string() +
                       R"(","up":")" + up.to_string() + R"(","down":")" + down.to_string() +
                       R"(","kind":"success_only","data":""})";
    }
    void submit(const Graph& graph, const std::string& more = "") {
        std::string plan = R"({"flow":{"flow_kind":"test","namespace":"acme","seal":true)" + more;
        plan += R"(},"nodes":[)" + graph.nodes + R"(],"edges":[)" + graph.edges + "]";
        plan += "}";
        world.must(engine::SubmitFlow{.flow = address(graph), .plan_json = std::move(plan)});
    }
    void end(const Graph& graph) {
        const auto tasks = claim(graph.lane, graph.members[0].partition(), 1);
        ASSERT_EQ(tasks.size(), 1U);
        complete(tasks[0]);
    }
    std::size_t count(const Graph& graph, std::string_view name, std::string_view value) {
        std::size_t found = 0;
        for (const auto& id : graph.members) found += field(id, name) == value ? 1U : 0U;
        return found;
    }
    std::string flow_field(const Graph& graph, std::string_view name) {
        const store::Reply reply = world.command({"HGET", keys(graph).core(), name});
        return std::string(reply.text().value_or(""));
    }
    /// One member, and many that wait for it.
    Graph fan(std::string_view lane_name) {
        Graph made = graph(lane_name);
        const auto first = add(made);
        for (std::size_t i = 0; i < kManyChildren; ++i) {
            const auto child = add(made);
            link(made, first, child);
        }
        submit(made);
        return made;
    }
    /// Two that race for a third; the loser is to be cancelled.
    Graph race(std::string_view lane_name) {
        Graph made = graph(lane_name);
        const auto one = add(made);
        const auto two = add(made);
        const auto child =
            add(made, R"(,"join":{"policy":"any_of","on_satisfied":"cancel_remaining"})");
        link(made, one, child);
        link(made, two, child);
        submit(made);
        return made;
    }
};

class Ch07Flows : public FlowScanTest {};
class Ch05Scan : public FlowScanTest {};

TEST_P(Ch07Flows, S41_ChildrenRunAfterADrainerCycleWhenNobodyHeardTheMessage) {
    const Graph made = fan("fan");
    lanes = {made.lane};
    end(made);
    EXPECT_EQ(count(made, "eligibility_state", "eligible_now"), 0U);
    const std::string pending = model::IndexKeys(made.members[0].partition()).cascade_pending();
    ASSERT_TRUE(has(pending, made.members[0].to_string()));
    cycle(Kind::CascadeDrainer);
    EXPECT_EQ(count(made, "eligibility_state", "eligible_now"), kManyChildren);
    EXPECT_FALSE(has(pending, made.members[0].to_string()));
}

TEST_P(Ch07Flows, ACascadeThatFailsIsPutOff) {
    const auto stray = world.task(world.lane("stray"));
    const auto id = world.create(stray);
    const std::string pending = model::IndexKeys(id.partition()).cascade_pending();
    const std::string core = model::ExecKeys(id).core();
    const std::string flow = model::FlowId::mint(world.random()).to_string();
    world.command({"HSET", core, "flow_id", flow, "lifecycle_phase", "terminal"});
    const std::string out =
        "ff:flow:" + model::ExecKeys(id).tag() + ":" + flow + ":out:" + id.to_string();
    world.command({"SET", out, "no list of edges"});
    world.command({"ZADD", pending, "1", id.to_string()});
    // Of no flow at all: nothing to inform.
    const auto solo_id = world.create(world.lane("stray"));
    world.command({"ZADD", pending, "1", solo_id.to_string()});
    cycle(Kind::CascadeDrainer);
    EXPECT_FALSE(has(pending, solo_id.to_string()));
    // What leads on from it cannot be read: it stays on the list, and the next try is seconds away.
    const std::string soon = std::to_string(store_now_ms() + 2'000);
    EXPECT_EQ(world.command({"ZCOUNT", pending, soon, "+inf"}).to_integer(), 1);
    world.command({"ZREM", pending, id.to_string()});
    world.command({"DEL", out});
}

/// Spec 05, section 5.7: by message, at once; nothing but the message can be what did it.
TEST_P(Ch07Flows, TheLoserOfARaceIsCancelledAtOnce) {
    const Graph made = race("race");
    lanes = {made.lane};
    start_patient();
    hub::StoreCascade cascade(world.store(), world.partitions());
    hub::CompletionListener listener(world.loop().get_executor(), world.store(), cascade,
                                     {.partitions = world.partitions()});
    listener.start();
    EXPECT_TRUE(until([&] { return listener.passes() == 1; }));
    end(made);
    EXPECT_TRUE(until([&] { return count(made, "public_state", "cancelled") == 1; }));
    EXPECT_TRUE(until([&] {
        return world.command({"SCARD", index(made).pending_cancel_groups()}).to_integer() == 0;
    }));
    EXPECT_EQ(field(made.members[2], "eligibility_state"), "eligible_now");
    run(world.loop(), listener.stop());
}

TEST_P(Ch07Flows, TheDispatcherAndItsReconcilerClearGroupsByThemselves) {
    const Graph made = race("alone");
    lanes = {made.lane};
    end(made);
    cycle(Kind::CascadeDrainer);
    const std::string groups = index(made).pending_cancel_groups();
    EXPECT_EQ(world.command({"SCARD", groups}).to_integer(), 1);
    cycle(Kind::EdgeCancelReconciler);
    EXPECT_EQ(world.command({"SCARD", groups}).to_integer(), 1);
    world.command({"SADD", groups, "no tuple"});
    cycle(Kind::EdgeCancelDispatcher);
    EXPECT_EQ(count(made, "public_state", "cancelled"), 1U);
    EXPECT_EQ(world.command({"SCARD", groups}).to_integer(), 0);
    EXPECT_EQ(probe.of[Kind::EdgeCancelDispatcher].errors, 1U);
    // A tuple whose group is decided and gone.
    world.command({"SADD", groups, made.flow.to_string() + "|" + made.members[2].to_string()});
    cycle(Kind::EdgeCancelReconciler);
    EXPECT_EQ(world.command({"SCARD", groups}).to_integer(), 0);
}

/// Ruling 28 of spec 00: fail fast cancels at once; the grace is only for the second try.
TEST_P(Ch07Flows, TheMembersOfAFlowThatFailedAreCancelledAtOnce) {
    Graph made = graph("fast");
    lanes = {made.lane};
    for (int i = 0; i < 5; ++i) add(made);
    submit(made, R"(,"failure_policy":"fail_fast")");
    start_patient();
    const auto tasks = claim(made.lane, made.members[0].partition(), 1);
    ASSERT_EQ(tasks.size(), 1U);
    world.must(engine::FailExecution{.execution_id = tasks[0].execution_id,
                                     .fence = tasks[0].fence,
                                     .reason = "broken",
                                     .category = "permanent"});
    EXPECT_EQ(flow_field(made, "public_flow_state"), "failed");
    EXPECT_TRUE(until([&] { return count(made, "public_state", "cancelled") == 4; }));
    // The summary of a flow that has ended follows without waiting for a cycle.
    EXPECT_TRUE(until([&] {
        const store::Reply state =
            world.command({"HGET", keys(made).summary(), "public_flow_state"});
        return state.text().value_or("") == "failed";
    }));
}

TEST_P(Ch07Flows, OwedCancelsAreMadeGoodWithTheReasonThatWasGiven) {
    Graph made = graph("owed");
    lanes = {made.lane};
    for (int i = 0; i < 700; ++i) add(made);
    submit(made);
    world.must(engine::CancelFlow{
        .flow = address(made), .reason = "operator said so", .grace = Millis(0)});
    EXPECT_EQ(count(made, "public_state", "cancelled"), 0U);
    wait_for_time(store_now_ms() + 1);
    cycle(Kind::CancelReconciler);
    EXPECT_EQ(count(made, "public_state", "cancelled"), made.members.size());
    EXPECT_EQ(count(made, "cancellation_reason", "operator said so"), made.members.size());
    EXPECT_EQ(probe.backlog, 0U);
    EXPECT_FALSE(has(index(made).cancel_backlog(), made.flow.to_string()));
}

TEST_P(Ch07Flows, FlowsThatAreOverAreProjectedAndThenForgotten) {
    Graph made = graph("over");
    lanes = {made.lane};
    add(made);
    submit(made);
    cycle(Kind::FlowProjector);
    const auto summary = [&](std::string_view name) {
        const store::Reply value = world.command({"HGET", keys(made).summary(), name});
        return std::string(value.text().value_or(""));
    };
    EXPECT_EQ(summary("public_flow_state"), "open");
    EXPECT_EQ(summary("members_waiting"), "1");
    end(made);
    cycle(Kind::FlowProjector);
    EXPECT_EQ(summary("public_flow_state"), "completed");
    cycle(Kind::FlowRetention);
    EXPECT_NE(flow_field(made, "public_flow_state"), "");
    scanners.reset();
    scan::Options options;
    options.flow_retention = Millis(1);
    wait_for_time(store_now_ms() + 3);
    scanners = make(std::move(options));
    cycle(Kind::FlowRetention);
    EXPECT_EQ(flow_field(made, "public_flow_state"), "");
    EXPECT_FALSE(has(index(made).flows_by_time(), made.flow.to_string()));
}

/// The reconciler keeps its place between rounds, so what is rightly blocked hides nobody.
TEST_P(Ch05Scan, S23_ABlockedChildBehindAThousandOthersIsReached) {
    const auto lane = world.lane("thousand");
    lanes = {lane};
    Graph late = graph("thousand");
    const auto partition = model::partition_of(late.flow, world.partitions());
    const auto one = add(late);
    const auto child = add(late);
    link(late, one, child);
    submit(late);
    // Held from the beginning of time, in the same partition and lane.
    const std::string blocked = model::IndexKeys(partition).lane(lane).blocked_dependencies();
    for (int i = 0; i < 1000; ++i) {
        auto task = world.task(lane);
        task.execution_id =
            model::ExecutionId::for_flow(late.flow, world.partitions(), world.random());
        task.hold_for_dependencies = true;
        const auto id = world.create(std::move(task));
        world.command({"ZADD", blocked, std::to_string(1 + i / 10), id.to_string()});
    }
    // The upstream ended, and the trace that it left was lost.
    const std::string core = model::ExecKeys(one).core();
    world.command({"ZREM", model::IndexKeys(partition).lane(lane).eligible(), one.to_string()});
    world.command({"HSET", core, "lifecycle_phase", "terminal", "terminal_outcome", "success",
                   "public_state", "completed", "ownership_state", "unowned", "eligibility_state",
                   "not_applicable", "blocking_reason", "none", "attempt_state",
                   "attempt_terminal"});
    EXPECT_EQ(field(child, "eligibility_state"), "blocked_by_dependencies");
    cycle(Kind::DependencyReconciler);
    EXPECT_EQ(field(child, "eligibility_state"), "eligible_now");
    EXPECT_EQ(world.command({"ZCARD", blocked}).to_integer(), 1000);
}

INSTANTIATE_TEST_SUITE_P(Hosts, Ch07Flows, ::testing::Values("embedded", "valkey", "cluster"),
                         [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(Hosts, Ch05Scan, ::testing::Values("embedded", "valkey", "cluster"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ff::testing
