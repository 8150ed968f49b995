#include "engine/flow_resolve.h"

#include "engine/execution_keys.h"

namespace ff::engine {
namespace {

constexpr std::string_view kResolve = "ff_resolve_dependency";
constexpr std::string_view kCascade = "ff_cascade_completion";
constexpr std::string_view kReconcile = "ff_reconcile_dependencies";
constexpr std::string_view kEvaluate = "ff_evaluate_flow_eligibility";
constexpr std::string_view kPromote = "ff_promote_blocked_to_eligible";

}  // namespace

void ResolveDependency::write(CallWriter& to) const {
    const ExecutionKeys keys(downstream);
    const auto flow_keys = flow.keys();
    to.begin(kResolve, 14);
    to.key("exec_core", keys.exec.core());
    to.key("deps_meta", keys.exec.deps_meta());
    to.key("deps_unresolved", keys.exec.deps_unresolved());
    to.key("dep", keys.exec.dep(edge_id));
    to.key("eligible", keys.derived);
    to.key("terminal", keys.derived);
    to.key("blocked_deps", keys.derived);
    to.key("attempt_hash", keys.derived);
    to.key("stream_meta", keys.derived);
    to.key("payload", keys.exec.payload());
    to.key("upstream_result", model::ExecKeys(upstream).result());
    to.key("edge_group", flow_keys.edge_group(downstream));
    to.key("in", flow_keys.in(downstream));
    to.key("pending_cancel_groups", flow.index().pending_cancel_groups());
    to.arg("edge_id", edge_id.to_string());
    to.arg("upstream_outcome", "");
    to.arg("now_ms", "");
    to.arg("flow_id", flow.id.to_string());
    to.arg("downstream_execution_id", keys.exec.id());
    to.flag("verify", true);
}

Result<ResolveDependency::Outcome> ResolveDependency::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kResolve, reply));
    FF_TRY(const std::string_view result, reader.text(3, "result"));
    return Outcome{.result = std::string(result), .effect = std::string(reader.text_or_empty(4))};
}

void CascadeCompletion::write(CallWriter& to) const {
    const ExecutionKeys keys(execution_id);
    to.begin(kCascade, 3);
    to.key("exec_core", keys.exec.core());
    to.key("flow_core", flow.keys().core());
    to.key("cascade_pending", keys.index.cascade_pending());
    to.arg("execution_id", keys.exec.id());
    to.arg("flow_id", flow.id.to_string());
    to.arg("max_edges", edges_max);
    to.arg("cursor", cursor);
}

Result<CascadeCompletion::Outcome> CascadeCompletion::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kCascade, reply));
    FF_TRY(const std::int64_t resolved, reader.integer(3, "resolved"));
    FF_TRY(const std::int64_t eligible, reader.integer(4, "made_eligible"));
    FF_TRY(const std::int64_t skipped, reader.integer(5, "skipped"));
    FF_TRY(const std::string_view next, reader.text(6, "cursor"));
    FF_TRY(const std::int64_t flagged, reader.integer(7, "groups_flagged"));
    return Outcome{.resolved = resolved,
                   .made_eligible = eligible,
                   .skipped = skipped,
                   .cursor = std::string(next),
                   .groups_flagged = flagged};
}

void ReconcileDependencies::write(CallWriter& to) const {
    const model::ExecKeys keys(execution_id);
    to.begin(kReconcile, 1);
    to.key("exec_core", keys.core());
    to.arg("execution_id", keys.id());
}

Result<ReconcileDependencies::Outcome> ReconcileDependencies::read(
    const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kReconcile, reply));
    FF_TRY(const std::int64_t resolved, reader.integer(3, "resolved"));
    FF_TRY(const std::string_view result, reader.text(4, "result"));
    return Outcome{.resolved = resolved, .result = std::string(result)};
}

void EvaluateFlowEligibility::write(CallWriter& to) const {
    const model::ExecKeys keys(execution_id);
    to.begin(kEvaluate, 2);
    to.key("exec_core", keys.core());
    to.key("deps_meta", keys.deps_meta());
}

Result<std::string> EvaluateFlowEligibility::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kEvaluate, reply));
    FF_TRY(const std::string_view state, reader.text(3, "state"));
    return std::string(state);
}

void PromoteBlockedToEligible::write(CallWriter& to) const {
    const ExecutionKeys keys(execution_id);
    to.begin(kPromote, 5);
    to.key("exec_core", keys.exec.core());
    to.key("blocked_deps", keys.derived);
    to.key("eligible", keys.derived);
    to.key("deps_meta", keys.exec.deps_meta());
    to.key("deps_unresolved", keys.exec.deps_unresolved());
    to.arg("execution_id", keys.exec.id());
    to.arg("now_ms", "");
}

Result<PromoteBlockedToEligible::Outcome> PromoteBlockedToEligible::read(
    const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kPromote, reply));
    return Outcome{.delayed = reader.text_or_empty(3) == "delayed"};
}

}  // namespace ff::engine
