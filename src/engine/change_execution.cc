#include "engine/change_execution.h"

#include "model/exec_keys.h"

namespace ff::engine {
namespace {

constexpr std::string_view kSetTags = "ff_set_execution_tags";
constexpr std::string_view kProgress = "ff_update_progress";
constexpr std::string_view kPriority = "ff_change_priority";
constexpr std::string_view kReplay = "ff_replay_execution";

}  // namespace

void SetExecutionTags::write(CallWriter& to) const {
    const model::ExecKeys keys(execution_id);
    to.begin(kSetTags, 1);
    to.key("exec_core", keys.core());
    for (const auto& [name, value] : tags) {
        to.arg("key", name);
        to.arg("value", value);
    }
}

Result<SetExecutionTags::Outcome> SetExecutionTags::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kSetTags, reply));
    FF_TRY(const std::int64_t count, reader.integer(3, "pairs"));
    return Outcome{.count = count};
}

void UpdateProgress::write(CallWriter& to) const {
    const model::ExecKeys keys(execution_id);
    to.begin(kProgress, 1);
    to.key("exec_core", keys.core());
    to.arg("execution_id", keys.id());
    to.arg("lease_id", fence.lease_id.to_string());
    to.arg("lease_epoch", fence.lease_epoch.to_string());
    to.arg("progress_pct", progress_pct);
    to.arg("progress_message", message);
    to.arg("attempt_id", fence.attempt_id.to_string());
    to.arg("usage_json", usage_json);
    to.arg("usage_seq", usage_seq);
    to.arg("usage_dedup_id", usage_dedup_id);
}

Result<Done> UpdateProgress::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kProgress, reply));
    if (reader.word() != "OK" && reader.word() != "ALREADY_APPLIED") return reader.fault("word");
    return Done{};
}

void ChangePriority::write(CallWriter& to) const {
    const model::ExecKeys keys(execution_id);
    to.begin(kPriority, 1);
    to.key("exec_core", keys.core());
    to.arg("execution_id", keys.id());
    to.arg("new_priority", new_priority);
}

Result<ChangePriority::Outcome> ChangePriority::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kPriority, reply));
    FF_TRY(const std::int64_t before, reader.integer(3, "old_priority"));
    FF_TRY(const std::int64_t after, reader.integer(4, "new_priority"));
    return Outcome{.old_priority = before, .new_priority = after};
}

void ReplayExecution::write(CallWriter& to) const {
    const model::ExecKeys keys(execution_id);
    to.begin(kReplay, 1);
    to.key("exec_core", keys.core());
    to.arg("execution_id", keys.id());
    to.arg("now_ms", "");
    to.arg("reason", reason);
    to.arg("requested_by", requested_by);
    to.flag("keep_steps", keep_steps);
}

Result<ReplayExecution::Outcome> ReplayExecution::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kReplay, reply));
    FF_TRY(const std::int64_t unsatisfied, reader.integer(3, "unsatisfied"));
    FF_TRY(const std::string_view text, reader.text(4, "public_state"));
    const auto state = model::parse_state<model::PublicState>(text);
    if (!state) return reader.fault("public_state");
    return Outcome{.unsatisfied_dependencies = unsatisfied, .public_state = *state};
}

}  // namespace ff::engine
