#include "engine/due_execution.h"

#include "engine/execution_keys.h"

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
    const ExecutionKeys keys(execution_id);
    to.begin(kExpire, 14);
    to.key("exec_core", keys.exec.core());
    to.key("attempt_hash", keys.derived);
    to.key("stream_meta", keys.derived);
    to.key("lease_current", keys.exec.lease_current());
    to.key("lease_history", keys.exec.lease_history());
    to.key("lease_expiry", keys.index.lease_expiry());
    to.key("worker_leases", keys.derived);
    to.key("active", keys.derived);
    to.key("terminal", keys.derived);
    to.key("attempt_timeout", keys.index.attempt_timeout());
    to.key("execution_deadline", keys.index.execution_deadline());
    to.key("suspended", keys.derived);
    to.key("suspension_timeout", keys.index.suspension_timeout());
    to.key("suspension_current", keys.exec.suspension_current());
    to.arg("execution_id", keys.exec.id());
    to.arg("expire_reason", to_string(reason));
    to.flag("if_due", only_if_due);
}

Result<ExpireExecution::Outcome> ExpireExecution::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kExpire, reply));
    FF_TRY(const std::string_view result, reader.text(3, "result"));
    return Outcome{.result = std::string(result)};
}

void PromoteDelayed::write(CallWriter& to) const {
    const ExecutionKeys keys(execution_id);
    to.begin(kPromote, 3);
    to.key("exec_core", keys.exec.core());
    to.key("delayed", lane ? keys.index.lane(*lane).delayed() : keys.derived);
    to.key("eligible", keys.derived);
    to.arg("execution_id", keys.exec.id());
    to.arg("now_ms", "");
}

Result<PromoteDelayed::Outcome> PromoteDelayed::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kPromote, reply));
    FF_TRY(const std::string_view result, reader.text(3, "result"));
    return Outcome{.result = std::string(result)};
}

}  // namespace ff::engine
