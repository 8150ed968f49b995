#include "engine/flow_build.h"

#include "model/exec_keys.h"

namespace ff::engine {
namespace {

constexpr std::string_view kCreate = "ff_create_flow";
constexpr std::string_view kAdd = "ff_add_execution_to_flow";
constexpr std::string_view kStage = "ff_stage_dependency_edge";
constexpr std::string_view kApply = "ff_apply_dependency_to_child";
constexpr std::string_view kGroup = "ff_set_edge_group_policy";
constexpr std::string_view kTags = "ff_set_flow_tags";
constexpr std::string_view kSeal = "ff_seal_flow";
constexpr std::string_view kSubmit = "ff_submit_flow";

}  // namespace

void CreateFlow::write(CallWriter& to) const {
    const auto keys = flow.keys();
    to.begin(kCreate, 1);
    to.key("flow_core", keys.core());
    to.arg("flow_id", flow.id.to_string());
    to.arg("flow_kind", flow_kind);
    to.arg("namespace", ns.text());
    to.arg("now_ms", "");
    to.arg("failure_policy", failure_policy);
    to.arg("outcome_policy", outcome_policy);
    to.arg("created_by", created_by);
}

Result<CreateFlow::Outcome> CreateFlow::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kCreate, reply));
    return Outcome{.already_satisfied = reader.word() == "ALREADY_SATISFIED"};
}

void AddExecutionToFlow::write(CallWriter& to) const {
    const auto keys = flow.keys();
    to.begin(kAdd, 1);
    to.key("flow_core", keys.core());
    to.arg("flow_id", flow.id.to_string());
    to.arg("execution_id", execution_id.to_string());
    to.arg("now_ms", "");
    to.arg("added_by", added_by);
    to.arg("parent_execution_id", parent ? parent->to_string() : std::string());
}

Result<AddExecutionToFlow::Outcome> AddExecutionToFlow::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kAdd, reply));
    FF_TRY(const std::int64_t count, reader.integer(4, "node_count"));
    return Outcome{.already_member = reader.word() == "ALREADY_SATISFIED", .node_count = count};
}

void StageDependencyEdge::write(CallWriter& to) const {
    const auto keys = flow.keys();
    to.begin(kStage, 1);
    to.key("flow_core", keys.core());
    to.arg("flow_id", flow.id.to_string());
    to.arg("edge_id", edge.id.to_string());
    to.arg("upstream_execution_id", edge.upstream.to_string());
    to.arg("downstream_execution_id", edge.downstream.to_string());
    to.arg("dependency_kind", edge.kind);
    to.arg("data_passing_ref", edge.data_passing_ref);
    to.arg("expected_graph_revision", expected_graph_revision);
    to.arg("now_ms", "");
    to.flag("apply", apply);
}

Result<StageDependencyEdge::Outcome> StageDependencyEdge::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kStage, reply));
    FF_TRY(const std::int64_t revision, reader.integer(4, "graph_revision"));
    return Outcome{.already_satisfied = reader.word() == "ALREADY_SATISFIED",
                   .graph_revision = revision};
}

void ApplyDependencyToChild::write(CallWriter& to) const {
    const model::ExecKeys keys(edge.downstream);
    to.begin(kApply, 1);
    to.key("exec_core", keys.core());
    to.arg("flow_id", flow.id.to_string());
    to.arg("edge_id", edge.id.to_string());
    to.arg("upstream_execution_id", edge.upstream.to_string());
    to.arg("graph_revision", graph_revision);
    to.arg("dependency_kind", edge.kind);
    to.arg("data_passing_ref", edge.data_passing_ref);
    to.arg("now_ms", "");
}

Result<ApplyDependencyToChild::Outcome> ApplyDependencyToChild::read(
    const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kApply, reply));
    FF_TRY(const std::string_view first, reader.text(3, "result"));
    if (first == "already_applied") {
        FF_TRY(const std::int64_t count, reader.integer(4, "unsatisfied"));
        return Outcome{.already_applied = true, .unsatisfied_count = count};
    }
    FF_TRY(const std::int64_t count, reader.integer(3, "unsatisfied"));
    FF_TRY(const std::string_view gate, reader.text(4, "gated"));
    return Outcome{.unsatisfied_count = count, .gated = gate == "gated"};
}

void SetEdgeGroupPolicy::write(CallWriter& to) const {
    const auto keys = flow.keys();
    to.begin(kGroup, 2);
    to.key("flow_core", keys.core());
    to.key("edge_group", keys.edge_group(downstream));
    to.arg("policy_variant", policy);
    to.arg("on_satisfied", on_satisfied);
    to.arg("k", k);
    to.arg("now_ms", "");
    to.arg("expected_n", expected_n);
}

Result<SetEdgeGroupPolicy::Outcome> SetEdgeGroupPolicy::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kGroup, reply));
    FF_TRY(const std::string_view result, reader.text(3, "result"));
    return Outcome{.already_set = result == "already_set"};
}

void SetFlowTags::write(CallWriter& to) const {
    const auto keys = flow.keys();
    to.begin(kTags, 1);
    to.key("flow_core", keys.core());
    for (const auto& [name, value] : tags) {
        to.arg("key", name);
        to.arg("value", value);
    }
}

Result<SetFlowTags::Outcome> SetFlowTags::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kTags, reply));
    FF_TRY(const std::int64_t count, reader.integer(3, "pairs"));
    return Outcome{.count = count};
}

void SealFlow::write(CallWriter& to) const {
    to.begin(kSeal, 1);
    to.key("flow_core", flow.keys().core());
    to.arg("flow_id", flow.id.to_string());
    to.arg("expected_graph_revision", expected_graph_revision);
}

Result<SealFlow::Outcome> SealFlow::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kSeal, reply));
    if (reader.word() == "ALREADY_SATISFIED") return Outcome{.already_sealed = true};
    FF_TRY(const std::string_view state, reader.text(3, "public_flow_state"));
    return Outcome{.public_flow_state = std::string(state)};
}

void SubmitFlow::write(CallWriter& to) const {
    const auto keys = flow.keys();
    to.begin(kSubmit, 1);
    to.key("flow_core", keys.core());
    to.arg("flow_id", flow.id.to_string());
    to.arg("mode", expand ? "expand" : "create");
    to.arg("mutation_id", mutation_id);
    to.arg("plan", plan_json);
    to.arg("expected_graph_revision", expected_graph_revision);
    for (const std::string& payload : payloads) to.arg("payload", payload);
}

Result<SubmitFlow::Outcome> SubmitFlow::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kSubmit, reply));
    FF_TRY(const std::int64_t revision, reader.integer(4, "graph_revision"));
    FF_TRY(const std::int64_t nodes, reader.integer(5, "node_count"));
    FF_TRY(const std::int64_t edges, reader.integer(6, "edge_count"));
    FF_TRY(const std::int64_t eligible, reader.integer(7, "eligible_now_count"));
    return Outcome{.already_satisfied = reader.word() == "ALREADY_SATISFIED",
                   .graph_revision = revision,
                   .node_count = nodes,
                   .edge_count = edges,
                   .eligible_now_count = eligible};
}

}  // namespace ff::engine
