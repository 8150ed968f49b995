#include "twin/actions.h"

namespace ff::twin {
namespace {

KnownFlow* flow_of(Partition& partition, const Task& task) {
    for (KnownFlow& known : partition.flows) {
        if (known.flow.id() == task.flow_id) return &known;
    }
    return nullptr;
}

void cascade(World& world, Partition& partition, Task& task) {
    const KnownFlow* known = flow_of(partition, task);
    if (known != nullptr) known->flow.cascade(task.execution, world.pick({"", "", "1"}));
}

void resolve(World& world, Partition& partition, Task& task) {
    KnownFlow* known = flow_of(partition, task);
    if (known == nullptr) return;
    for (const Edge& edge : known->edges) {
        Task* downstream = world.find(partition, edge.downstream);
        if (edge.upstream != task.execution.id() || downstream == nullptr) continue;
        const contract::Execution& child = downstream->execution;
        List keys = known->flow.resolve_keys(task.execution, child);
        keys[3] = child.key("dep:" + edge.id);
        world.host().fcall("ff_resolve_dependency", keys,
                           {edge.id, world.pick({"success", "success", "failed", "cancelled"}), "",
                            known->flow.id(), child.id(), world.pick({"", "1"})});
        return;
    }
}

void reconcile(World& world, Partition&, Task& task) {
    contract::reconcile_dependencies(world.host(), task.execution);
}

void evaluate(World& world, Partition&, Task& task) {
    contract::evaluate_eligibility(world.host(), task.execution);
}

void promote(World& world, Partition&, Task& task) {
    contract::promote_blocked(world.host(), task.execution);
}

void drain(World& world, Partition& partition, Task& task) {
    const KnownFlow* known = flow_of(partition, task);
    if (known == nullptr) return;
    if (world.one_in(3)) {
        known->flow.reconcile_siblings(task.execution);
    } else {
        known->flow.drain(task.execution, world.pick({"1", "128"}));
    }
}

void replay_subgraph(World& world, Partition& partition, Task& task) {
    const KnownFlow* known = flow_of(partition, task);
    if (known != nullptr) known->flow.replay_subgraph(task.execution, world.pick({"", "3"}));
}

}  // namespace

void add_dependency_actions(ActionTable& table) {
    using enum Stage;
    for (int i = 0; i < 3; ++i) table.add({Ended}, cascade);
    table.add({Ended}, resolve);
    table.add({Ended}, replay_subgraph);
    table.add({WaitingChildren, Blocked}, reconcile);
    table.add({WaitingChildren, Blocked}, evaluate);
    table.add({WaitingChildren, Blocked}, promote);
    table.add({Eligible, Leased, Ended}, drain);
}

}  // namespace ff::twin
