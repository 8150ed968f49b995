#include "service/flows.h"

#include <algorithm>

#include "engine/operation.h"
#include "model/error_catalogue.h"
#include "model/exec_keys.h"
#include "service/hash_record.h"
#include "service/scope_gate.h"

namespace ff::service {

Flows::Flows(const Context& context, Indexes& indexes)
    : context_(context),
      indexes_(indexes),
      limits_(context_),
      views_(context),
      list_(context),
      cancels_(context.loop, context.store, {.partitions = context.rules.partitions}) {}

Task<CreatedFlow> Flows::create(NewFlow flow) {
    FF_CO_CHECK(co_await indexes_.know_namespace(flow.ns));
    const model::FlowId id = flow.id ? *flow.id : model::FlowId::mint(context_.random);
    engine::CreateFlow create{.flow = address(id),
                              .flow_kind = flow.flow_kind,
                              .ns = flow.ns,
                              .failure_policy = flow.failure_policy,
                              .outcome_policy = flow.outcome_policy,
                              .created_by = flow.created_by};
    FF_CO_TRY(const auto created, co_await engine::run(context_.store, std::move(create)));
    co_return CreatedFlow{.id = id, .already_satisfied = created.already_satisfied};
}

Task<engine::SealFlow::Outcome> Flows::seal(model::FlowId flow,
                                            std::optional<std::int64_t> expected_graph_revision) {
    engine::SealFlow seal{.flow = address(flow),
                          .expected_graph_revision = expected_graph_revision};
    co_return co_await engine::run(context_.store, std::move(seal));
}

Task<engine::AddExecutionToFlow::Outcome> Flows::add_member(model::FlowId flow,
                                                            model::ExecutionId execution_id) {
    FF_CO_CHECK(model::check_same_partition(execution_id, flow, context_.rules.partitions));
    const model::FlowKeys keys(flow, context_.rules.partitions);
    const std::string flow_core = keys.core();
    const std::string members = keys.members();
    const std::string core = model::ExecKeys(execution_id).core();
    const std::string id = execution_id.to_string();
    std::vector<store::Call> reads;
    reads.push_back(store::plain({"HGET", flow_core, "namespace"}, true));
    reads.push_back(store::plain({"HGET", core, "namespace"}, true));
    reads.push_back(store::plain({"SISMEMBER", members, id}, true));
    const auto replies = co_await context_.store.pipeline(std::move(reads));
    for (const auto& reply : replies) {
        if (!reply) co_return reply.error();
    }
    const auto flow_ns = replies[0]->text();
    const auto execution_ns = replies[1]->text();
    // Who is not there at all, the function says.
    if (flow_ns && execution_ns && *flow_ns != *execution_ns) {
        co_return model::make_error("namespace_mismatch",
                                    {std::string(*flow_ns), std::string(*execution_ns)});
    }
    if (replies[2]->to_integer() != 1) FF_CO_CHECK(co_await check_flow_open(context_, flow));
    engine::AddExecutionToFlow add{.flow = address(flow), .execution_id = execution_id};
    co_return co_await engine::run(context_.store, std::move(add));
}

Task<engine::StageDependencyEdge::Outcome> Flows::stage_edge(NewEdge edge) {
    const model::PartitionConfig& partitions = context_.rules.partitions;
    FF_CO_CHECK(model::check_same_partition(edge.edge.upstream, edge.flow_id, partitions));
    FF_CO_CHECK(model::check_same_partition(edge.edge.downstream, edge.flow_id, partitions));
    engine::StageDependencyEdge stage{.flow = address(edge.flow_id),
                                      .edge = std::move(edge.edge),
                                      .expected_graph_revision = edge.expected_graph_revision,
                                      .apply = edge.apply};
    co_return co_await engine::run(context_.store, std::move(stage));
}

Task<engine::ApplyDependencyToChild::Outcome> Flows::apply_edge(NewEdge edge,
                                                                std::int64_t graph_revision) {
    const model::PartitionConfig& partitions = context_.rules.partitions;
    FF_CO_CHECK(model::check_same_partition(edge.edge.upstream, edge.flow_id, partitions));
    FF_CO_CHECK(model::check_same_partition(edge.edge.downstream, edge.flow_id, partitions));
    engine::ApplyDependencyToChild apply{.flow = address(edge.flow_id),
                                         .edge = std::move(edge.edge),
                                         .graph_revision = graph_revision};
    co_return co_await engine::run(context_.store, std::move(apply));
}

Task<engine::SetEdgeGroupPolicy::Outcome> Flows::set_edge_group(engine::SetEdgeGroupPolicy policy) {
    FF_CO_CHECK(
        model::check_same_partition(policy.downstream, policy.flow.id, context_.rules.partitions));
    co_return co_await engine::run(context_.store, std::move(policy));
}

Task<std::int64_t> Flows::set_tags(model::FlowId flow, TextMap tags) {
    engine::SetFlowTags set{.flow = address(flow), .tags = std::move(tags)};
    FF_CO_TRY(const auto outcome, co_await engine::run(context_.store, std::move(set)));
    co_return outcome.count;
}

}  // namespace ff::service
