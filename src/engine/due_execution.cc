#include "engine/due_execution.h"

#include "model/exec_keys.h"
#include "model/index_keys.h"

namespace ff::engine {
namespace {

constexpr std::string_view kExpire = "ff_expire_execution";
constexpr std::string_view kPromote = "ff_promote_delayed";

}  // namespace

std::string_view to_string(ExpireReason reason) {
    switch (reason) {
        case ExpireReason::AttemptTimeout:
            return "attempt_timeout";
        case ExpireReason::ExecutionDeadline:
            return "execution_deadline";
    }
    return {};
}

void ExpireExecution::write(CallWriter& to) const {
    const model::ExecKeys keys(execution_id);
    to.begin(kExpire, 1);
    to.key("exec_core", keys.core());
    to.arg("execution_id", keys.id());
    to.arg("expire_reason", to_string(reason));
    to.flag("if_due", only_if_due);
}

Result<ExpireExecution::Outcome> ExpireExecution::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kExpire, reply));
    FF_TRY(const std::string_view result, reader.text(3, "result"));
    return Outcome{.result = std::string(result)};
}

void PromoteDelayed::write(CallWriter& to) const {
    const model::ExecKeys keys(execution_id);
    to.begin(kPromote, lane ? 2 : 1);
    to.key("exec_core", keys.core());
    if (lane) to.key("delayed", model::LaneKeys(execution_id.partition(), *lane).delayed());
    to.arg("execution_id", keys.id());
    to.arg("now_ms", "");
}

Result<PromoteDelayed::Outcome> PromoteDelayed::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kPromote, reply));
    FF_TRY(const std::string_view result, reader.text(3, "result"));
    return Outcome{.result = std::string(result)};
}

}  // namespace ff::engine
