#include "engine/pause_execution.h"

#include "engine/fence_arguments.h"
#include "engine/own_success.h"
#include "model/exec_keys.h"

namespace ff::engine {
namespace {

constexpr std::string_view kDelay = "ff_delay_execution";
constexpr std::string_view kWaitChildren = "ff_move_to_waiting_children";

}  // namespace

void DelayExecution::write(CallWriter& to) const {
    const model::ExecKeys keys(execution_id);
    to.begin(kDelay, 1);
    to.key("exec_core", keys.core());
    to.arg("execution_id", keys.id());
    write_fence(to, fence);
    to.arg("delay_until", delay_until.to_string());
    write_source(to, fence);
    to.flag("unbegun", unbegun);
    write_steps_if_any(to, steps);
}

Result<DelayExecution::Outcome> DelayExecution::read(const store::Reply& reply) const {
    const auto opened = ReplyReader::open(kDelay, reply);
    if (!opened) {
        const auto released = released_by(opened.error(), fence);
        const std::string_view own = unbegun ? "returned" : "worker_delay";
        if (!released || released->last_release_op != own) return opened.error();
        return Outcome{.replayed = true,
                       .delay_until = released->delay_until.value_or(Timestamp())};
    }
    FF_TRY(const Timestamp until, opened->time(3, "delay_until"));
    return Outcome{.delay_until = until};
}

void MoveToWaitingChildren::write(CallWriter& to) const {
    const model::ExecKeys keys(execution_id);
    to.begin(kWaitChildren, 1);
    to.key("exec_core", keys.core());
    to.arg("execution_id", keys.id());
    write_fence(to, fence);
    write_source(to, fence);
    to.flag("resolve_empty", true);
    write_steps_if_any(to, steps);
}

Result<MoveToWaitingChildren::Outcome> MoveToWaitingChildren::read(
    const store::Reply& reply) const {
    const auto opened = ReplyReader::open(kWaitChildren, reply);
    if (!opened) {
        const auto released = released_by(opened.error(), fence);
        if (!released || released->last_release_op != "waiting_children") return opened.error();
        return Outcome{.replayed = true};
    }
    FF_TRY(const std::string_view result, opened->text(3, "result"));
    if (result != "blocked" && result != "eligible") return opened->fault("result");
    return Outcome{.blocked = result == "blocked"};
}

}  // namespace ff::engine
