#include "engine/flow_resolve.h"

#include "model/exec_keys.h"

namespace ff::engine {
namespace {

constexpr std::string_view kResolve = "ff_resolve_dependency";
constexpr std::string_view kCascade = "ff_cascade_completion";
constexpr std::string_view kReconcile = "ff_reconcile_dependencies";
constexpr std::string_view kEvaluate = "ff_evaluate_flow_eligibility";
constexpr std::string_view kPromote = "ff_promote_blocked_to_eligible";

}  // namespace

void ResolveDependency::write(CallWriter& to) const {
    const model::ExecKeys keys(downstream);
    to.begin(kResolve, 1);
    to.key("exec_core", keys.core());
    to.arg("edge_id", edge_id.to_string());
    to.arg("upstream_outcome", "");
    to.arg("now_ms", "");
    to.arg("flow_id", flow.id.to_string());
    to.arg("downstream_execution_id", keys.id());
    to.flag("verify", true);
}

Result<ResolveDependency::Outcome> ResolveDependency::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kResolve, reply));
    FF_TRY(const std::string_view result, reader.text(3, "result"));
    return Outcome{.result = std::string(result), .effect = std::string(reader.text_or_empty(4))};
}

void CascadeCompletion::write(CallWriter& to) const {
    const model::ExecKeys keys(execution_id);
    to.begin(kCascade, 1);
    to.key("exec_core", keys.core());
    to.arg("execution_id", keys.id());
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
    to.begin(kEvaluate, 1);
    to.key("exec_core", keys.core());
}

Result<std::string> EvaluateFlowEligibility::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kEvaluate, reply));
    FF_TRY(const std::string_view state, reader.text(3, "state"));
    return std::string(state);
}

void PromoteBlockedToEligible::write(CallWriter& to) const {
    const model::ExecKeys keys(execution_id);
    to.begin(kPromote, 1);
    to.key("exec_core", keys.core());
    to.arg("execution_id", keys.id());
    to.arg("now_ms", "");
}

Result<PromoteBlockedToEligible::Outcome> PromoteBlockedToEligible::read(
    const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kPromote, reply));
    return Outcome{.delayed = reader.text_or_empty(3) == "delayed"};
}

}  // namespace ff::engine
