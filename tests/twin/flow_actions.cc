#include <algorithm>

#include "twin/actions.h"

namespace ff::twin {
namespace {

constexpr std::size_t kFlowsMax = 12;
constexpr std::size_t kNodesMax = 9;

KnownFlow& new_flow(World& world, Partition& partition) {
    if (partition.flows.size() >= kFlowsMax) partition.flows.pop_front();
    partition.flows.push_back({.flow = {world.host(), partition.tag, world.uuid()}});
    return partition.flows.back();
}

KnownFlow* any_flow(World& world, Partition& partition) {
    if (partition.flows.empty()) return nullptr;
    return &partition.flows[world.below(partition.flows.size())];
}

void create(World& world, Partition& partition, Task&) {
    const KnownFlow& made = new_flow(world, partition);
    made.flow.create({"", world.pick({"", "fail_fast", "isolate_failures"}),
                      world.pick({"", "leaves", "strict"}), "me"});
}

std::string node_json(World& world, const Task& task, bool has_payload, bool is_joined) {
    std::string out =
        R"({"eid":")" + task.execution.id() + R"(","lane":"lane","kind":"k","priority":)" +
        world.number(5) +
        R"(,"creator":"me","policy":"","delay_until":"","deadline_at":"","payload":)" +
        (has_payload ? "0" : "-1");
    if (is_joined) {
        out +=
            world.pick({R"(,"join":{"policy":"any_of","on_satisfied":"cancel_remaining"})",
                        R"(,"join":{"policy":"any_of","on_satisfied":"let_run"})",
                        R"(,"join":{"policy":"quorum","k":1,"on_satisfied":"cancel_remaining"})"});
    }
    if (world.one_in(5)) out += R"(,"tags":{"app.a":"1","app.b":"2"})";
    return out + "}";
}

std::string edge_json(World& world, const Edge& edge) {
    return R"({"id":")" + edge.id + R"(","up":")" + edge.upstream + R"(","down":")" +
           edge.downstream + R"(","kind":")" + world.pick({"", "success_only", "always"}) +
           (world.one_in(5) ? R"(","data":"input:)" + edge.id.substr(0, 4) : "") + "\"}";
}

/// Nodes in topological order, each behind one to three of those before it, or behind none.
std::string plan(World& world, Partition& partition, KnownFlow& known, std::string_view header) {
    std::string nodes;
    std::string edges;
    const std::uint64_t count = 1 + world.below(kNodesMax);
    for (std::uint64_t i = 0; i < count; ++i) {
        Task& task = world.new_task(partition);
        std::vector<std::string> behind;
        while (known.members.size() > behind.size() && behind.size() < 3 && !world.one_in(3)) {
            const std::string& upstream = world.pick(known.members);
            if (std::ranges::find(behind, upstream) != behind.end()) break;
            behind.push_back(upstream);
        }
        for (const std::string& upstream : behind) {
            known.edges.push_back({world.uuid(), upstream, task.execution.id()});
            edges += (edges.empty() ? "" : ",") + edge_json(world, known.edges.back());
        }
        nodes += (nodes.empty() ? "" : ",") +
                 node_json(world, task, world.one_in(3), !behind.empty() && world.one_in(3));
        known.members.push_back(task.execution.id());
        task.flow_id = known.flow.id();
    }
    return "{\"flow\":{" + std::string(header) + "},\"nodes\":[" + nodes + "],\"edges\":[" + edges +
           "]}";
}

void submit(World& world, Partition& partition, Task&) {
    KnownFlow& made = new_flow(world, partition);
    const std::string header =
        R"("flow_kind":"k","namespace":"ns","tags":{"app.x":"1","app.y":"2"},"seal":)" +
        world.pick({"true", "false"}) +
        world.pick({"", R"(,"failure_policy":"fail_fast")", R"(,"outcome_policy":"leaves")"});
    made.flow.submit(plan(world, partition, made, header), {world.bytes(30)});
}

void expand(World& world, Partition& partition, Task&) {
    KnownFlow* known = any_flow(world, partition);
    if (known == nullptr) return;
    const std::string mutation = "m" + world.number(1000);
    List args{known->flow.id(), "expand", mutation, plan(world, partition, *known, ""), "", "p"};
    world.host().fcall("ff_submit_flow", known->flow.submit_keys(mutation), args);
}

void add_member(World& world, Partition& partition, Task& task) {
    KnownFlow* known = any_flow(world, partition);
    if (known == nullptr) return;
    known->flow.add(task.execution);
    known->members.push_back(task.execution.id());
}

void stage(World& world, Partition& partition, Task& task) {
    KnownFlow* known = any_flow(world, partition);
    if (known == nullptr || known->members.size() < 2) return;
    Task* upstream = world.find(partition, world.pick(known->members));
    Task* downstream = world.one_in(5) ? &task : world.find(partition, known->members.back());
    if (upstream == nullptr || downstream == nullptr) return;
    const Edge edge{world.uuid(), upstream->execution.id(), downstream->execution.id()};
    const contract::EdgeArgs args{
        .kind = world.pick({"", "always"}), .apply = world.pick({"1", ""}), .id = edge.id};
    known->flow.stage(upstream->execution, downstream->execution, args);
    if (args.apply.empty()) known->flow.apply(upstream->execution, downstream->execution, args);
    known->edges.push_back(edge);
}

void set_group(World& world, Partition& partition, Task& task) {
    KnownFlow* known = any_flow(world, partition);
    if (known == nullptr) return;
    known->flow.set_group(task.execution, {.variant = world.pick({"all_of", "any_of", "quorum"}),
                                           .on_satisfied = world.pick({"", "let_run"}),
                                           .k = world.pick({"", "1", "2"})});
}

void set_tags(World& world, Partition& partition, Task&) {
    if (const KnownFlow* known = any_flow(world, partition)) {
        known->flow.tags({"app.x", world.number(5), "app.z" + world.number(5), "1"});
    }
}

void seal(World& world, Partition& partition, Task&) {
    if (const KnownFlow* known = any_flow(world, partition)) known->flow.seal();
}

void cancel(World& world, Partition& partition, Task&) {
    const KnownFlow* known = any_flow(world, partition);
    if (known == nullptr || !world.one_in(3)) return;
    known->flow.cancel(world.pick({"cancel_all", "cancel_pending", "let_run"}),
                       world.pick({"", "", "1000"}));
    known->flow.cancel_members(world.pick({"", "2"}));
    Task* member =
        known->members.empty() ? nullptr : world.find(partition, world.pick(known->members));
    if (member != nullptr) known->flow.ack(member->execution);
}

void cancel_members(World& world, Partition& partition, Task&) {
    if (const KnownFlow* known = any_flow(world, partition)) known->flow.cancel_members();
}

void project(World& world, Partition& partition, Task&) {
    if (const KnownFlow* known = any_flow(world, partition)) known->flow.project();
}

void purge(World& world, Partition& partition, Task&) {
    if (const KnownFlow* known = any_flow(world, partition)) {
        known->flow.purge(world.pick({"0", "60000"}), world.pick({"", "3"}));
    }
}

}  // namespace

void add_flow_actions(ActionTable& table) {
    using enum Stage;
    table.add({Eligible}, add_member);
    table.add({Eligible, WaitingChildren}, stage);
    table.add({Eligible}, set_group);
    for (const Action action :
         {create, submit, submit, expand, set_tags, seal, cancel, cancel_members, project, purge}) {
        table.add_idle(action);
    }
}

}  // namespace ff::twin
