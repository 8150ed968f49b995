#include "engine/retain_execution.h"

#include "model/exec_keys.h"
#include "model/index_keys.h"

namespace ff::engine {
namespace {

constexpr std::string_view kReconcile = "ff_reconcile_execution_index";
constexpr std::string_view kPurge = "ff_purge_execution";

}  // namespace

void ReconcileExecutionIndex::write(CallWriter& to) const {
    const model::ExecKeys keys(execution_id);
    to.begin(kReconcile, 1);
    to.key("exec_core", keys.core());
    to.arg("execution_id", keys.id());
    to.arg("mode", check_only ? "check" : "repair");
}

Result<ReconcileExecutionIndex::Outcome> ReconcileExecutionIndex::read(
    const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kReconcile, reply));
    FF_TRY(const std::string_view result, reader.text(3, "result"));
    FF_TRY(const std::int64_t changes, reader.integer(4, "n"));
    FF_TRY(const std::string_view ns, reader.text(5, "namespace"));
    FF_TRY(const std::string_view created_at, reader.text(6, "created_at"));
    Outcome outcome{.result = std::string(result),
                    .changes = changes,
                    .ns = std::string(ns),
                    .created_at = std::string(created_at)};
    for (std::size_t position = 7; position <= reader.size(); ++position) {
        FF_TRY(const std::string_view index, reader.text(position, "index"));
        outcome.indexes.emplace_back(index);
    }
    return outcome;
}

void PurgeExecution::write(CallWriter& to) const {
    const model::ExecKeys keys(execution_id);
    to.begin(kPurge, lane ? 2 : 1);
    to.key("exec_core", keys.core());
    if (lane) to.key("terminal", model::LaneKeys(execution_id.partition(), *lane).terminal());
    to.arg("execution_id", keys.id());
    to.arg("default_retention_ms", default_retention);
}

Result<PurgeExecution::Outcome> PurgeExecution::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kPurge, reply));
    FF_TRY(const std::string_view result, reader.text(3, "result"));
    Outcome outcome{.result = std::string(result)};
    if (reader.size() >= 4) {
        FF_TRY(outcome.number, reader.integer(4, "number"));
    }
    return outcome;
}

}  // namespace ff::engine
