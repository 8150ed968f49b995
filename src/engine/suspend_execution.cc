#include "engine/suspend_execution.h"

#include "model/exec_keys.h"

namespace ff::engine {
namespace {

constexpr std::string_view kSuspend = "ff_suspend_execution";
constexpr std::string_view kResume = "ff_resume_execution";
constexpr std::string_view kExpire = "ff_expire_suspension";

std::string key_text(const WaitpointBinding& binding) {
    return binding.key ? binding.key->text() : std::string();
}

Result<BoundWaitpoint> read_waitpoint(const ReplyReader& reader, std::size_t from) {
    FF_TRY(const model::WaitpointId id, reader.parsed<model::WaitpointId>(from, "waitpoint_id"));
    FF_TRY(const std::string_view key, reader.text(from + 1, "waitpoint_key"));
    FF_TRY(model::WaitpointToken token,
           reader.parsed<model::WaitpointToken>(from + 2, "waitpoint_token"));
    return BoundWaitpoint{.id = id, .key = std::string(key), .token = std::move(token)};
}

}  // namespace

void ApprovalRequest::write(CallWriter& to) const {
    to.arg("prompt", prompt);
    to.arg("assignees", assignees_json);
    to.arg("form", form_json);
    to.arg("context", context);
    to.arg("context_type", context_type);
    to.arg("due_at", due_at ? due_at->to_string() : std::string());
}

void SuspendExecution::write(CallWriter& to) const {
    const model::ExecKeys keys(execution_id);
    to.begin(kSuspend, 1);
    to.key("exec_core", keys.core());
    to.arg("execution_id", keys.id());
    to.arg("attempt_index", attempt_index.to_string());
    to.arg("attempt_id", fence.attempt_id.to_string());
    to.arg("lease_id", fence.lease_id.to_string());
    to.arg("lease_epoch", fence.lease_epoch.to_string());
    to.arg("suspension_id", suspension_id.to_string());
    to.arg("waitpoint_id", waitpoint.id.to_string());
    to.arg("waitpoint_key", key_text(waitpoint));
    to.arg("reason_code", reason_code);
    to.arg("requested_by", requested_by);
    to.arg("timeout_at", timeout_at ? timeout_at->to_string() : std::string());
    to.arg("resume_condition_json", resume_condition_json);
    to.arg("resume_policy_json", resume_policy_json);
    to.arg("continuation_metadata_pointer", continuation);
    to.flag("use_pending_waitpoint", !waitpoint.key.has_value());
    to.arg("timeout_behavior", timeout_behavior);
    to.arg("lease_history_maxlen", "");
    to.arg("idempotency_key", idempotency_key ? idempotency_key->text() : std::string());
    to.arg("dedup_ttl_ms", dedup_ttl);
    to.arg("num_additional", static_cast<std::int64_t>(additional.size()));
    for (const WaitpointBinding& one : additional) {
        to.arg("waitpoint_id", one.id.to_string());
        to.arg("waitpoint_key", key_text(one));
    }
    // Steps stand behind what a person is asked, also where nobody is.
    if (approval || !steps.empty()) approval.value_or(ApprovalRequest{}).write(to);
    write_steps_if_any(to, steps);
}

Result<SuspendExecution::Outcome> SuspendExecution::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kSuspend, reply));
    FF_TRY(const std::string_view suspension, reader.text(3, "suspension_id"));
    FF_TRY(BoundWaitpoint primary, read_waitpoint(reader, 4));
    FF_TRY(const std::int64_t count, reader.integer(7, "num_additional"));
    Outcome outcome{.already_satisfied = reader.word() == "ALREADY_SATISFIED",
                    .replayed = reader.word() == "DUPLICATE",
                    .suspension_id = std::string(suspension),
                    .waitpoint = std::move(primary)};
    for (std::int64_t i = 0; i < count; ++i) {
        FF_TRY(BoundWaitpoint one, read_waitpoint(reader, 8 + 3 * static_cast<std::size_t>(i)));
        outcome.additional.push_back(std::move(one));
    }
    return outcome;
}

std::string_view to_string(ResumeTrigger trigger) {
    switch (trigger) {
        case ResumeTrigger::Signal:
            return "signal";
        case ResumeTrigger::Operator:
            return "operator";
        case ResumeTrigger::AutoResume:
            return "auto_resume";
    }
    return {};
}

void ResumeExecution::write(CallWriter& to) const {
    const model::ExecKeys keys(execution_id);
    to.begin(kResume, 1);
    to.key("exec_core", keys.core());
    to.arg("execution_id", keys.id());
    to.arg("trigger_type", to_string(trigger));
    to.arg("resume_delay_ms", resume_delay);
    to.arg("expected_suspension_id",
           expected_suspension_id ? expected_suspension_id->to_string() : std::string());
    to.arg("actor", actor);
}

Result<ResumeExecution::Outcome> ResumeExecution::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kResume, reply));
    FF_TRY(const std::string_view state, reader.text(3, "public_state"));
    return Outcome{.public_state = std::string(state)};
}

void ExpireSuspension::write(CallWriter& to) const {
    const model::ExecKeys keys(execution_id);
    to.begin(kExpire, 1);
    to.key("exec_core", keys.core());
    to.arg("execution_id", keys.id());
}

Result<ExpireSuspension::Outcome> ExpireSuspension::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kExpire, reply));
    FF_TRY(const std::string_view result, reader.text(3, "result"));
    return Outcome{.result = std::string(result)};
}

}  // namespace ff::engine
