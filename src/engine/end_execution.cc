#include "engine/end_execution.h"

#include "engine/fence_arguments.h"
#include "engine/own_success.h"
#include "model/exec_keys.h"
#include "model/index_keys.h"

namespace ff::engine {
namespace {

constexpr std::string_view kComplete = "ff_complete_execution";
constexpr std::string_view kFail = "ff_fail_execution";
constexpr std::string_view kCancel = "ff_cancel_execution";

/// The function needs one key; the index says the lane to whoever counts calls.
void begin(CallWriter& to, std::string_view function, const model::ExecKeys& keys,
           const std::optional<model::LaneId>& lane, const model::PartitionKey& partition) {
    to.begin(function, lane ? 2 : 1);
    to.key("exec_core", keys.core());
    if (lane) to.key("terminal", model::LaneKeys(partition, *lane).terminal());
}

}  // namespace

void CompleteExecution::write(CallWriter& to) const {
    const model::ExecKeys keys(execution_id);
    begin(to, kComplete, keys, lane, execution_id.partition());
    to.arg("execution_id", keys.id());
    write_fence(to, fence);
    to.arg("result_payload", result);
    write_source(to, fence);
    to.arg("result_encoding", result_encoding);
    write_steps_if_any(to, steps);
}

Result<CompleteExecution::Outcome> CompleteExecution::read(const store::Reply& reply) const {
    return read_parts(reply.items());
}

Result<CompleteExecution::Outcome> CompleteExecution::read_parts(
    std::span<const store::Reply> parts) const {
    const auto reader = ReplyReader::open(kComplete, parts);
    if (reader) return Outcome{.replayed = false};
    const auto released = released_by(reader.error(), fence);
    if (released && released->last_release_op == "completed") return Outcome{.replayed = true};
    return reader.error();
}

Result<CompleteExecution::Outcome> CompleteExecution::read_item(std::string_view function,
                                                                const store::Reply& item) const {
    const auto parts = item.items();
    char id[model::ExecutionId::kTextMax];
    const std::string_view expected(id, static_cast<std::size_t>(execution_id.write_text(id) - id));
    if (parts.empty() || parts.front().text() != expected) {
        return ReplyReader(function, parts).fault("execution_id");
    }
    return read_parts(parts.subspan(1));
}

void FailExecution::write(CallWriter& to) const {
    const model::ExecKeys keys(execution_id);
    begin(to, kFail, keys, lane, execution_id.partition());
    to.arg("execution_id", keys.id());
    write_fence(to, fence);
    to.arg("failure_reason", reason);
    to.arg("failure_category", category);
    to.arg("retry_policy_json", "");
    write_source(to, fence);
    to.arg("retry_policy_source", retry_by_policy ? "stored" : "");
    to.arg("fallback_to", fallback_to);
    write_steps_if_any(to, steps);
}

Result<FailExecution::Outcome> FailExecution::read(const store::Reply& reply) const {
    const auto opened = ReplyReader::open(kFail, reply);
    if (!opened) {
        const auto released = released_by(opened.error(), fence);
        if (!released) return opened.error();
        if (released->last_release_op == "failed_terminal") return Outcome{.replayed = true};
        if (released->last_release_op != "failed_retry_scheduled") return opened.error();
        return Outcome{.replayed = true,
                       .retry_scheduled = true,
                       .delay_until = released->delay_until.value_or(Timestamp())};
    }
    const ReplyReader& reader = *opened;
    FF_TRY(const std::string_view result, reader.text(3, "result"));
    if (result == "terminal_failed") {
        FF_TRY(const std::string_view why, reader.text(4, "why"));
        return Outcome{.why = std::string(why)};
    }
    if (result != "retry_scheduled") return reader.fault("result");
    FF_TRY(const Timestamp delay_until, reader.time(4, "delay_until"));
    FF_TRY(const model::AttemptIndex next,
           reader.parsed<model::AttemptIndex>(5, "next_attempt_index"));
    return Outcome{.retry_scheduled = true, .delay_until = delay_until, .next_attempt = next};
}

void CancelExecution::write(CallWriter& to) const {
    const model::ExecKeys keys(execution_id);
    to.begin(kCancel, 1);
    to.key("exec_core", keys.core());
    to.arg("execution_id", keys.id());
    to.arg("reason", reason);
    to.arg("source", source);
    write_fence(to, fence);
}

Result<CancelExecution::Outcome> CancelExecution::read(const store::Reply& reply) const {
    const auto opened = ReplyReader::open(kCancel, reply);
    if (!opened) {
        const auto released = released_by(opened.error(), fence);
        const bool own = released && released->last_release_op == "cancelled";
        const bool done_anyway = !fence && outcome_told_by(opened.error()) == "cancelled";
        if (own || done_anyway) return Outcome{.replayed = true};
        return opened.error();
    }
    FF_TRY(const std::string_view phase, opened->text(4, "previous_phase"));
    return Outcome{.previous_phase = std::string(phase)};
}

}  // namespace ff::engine
