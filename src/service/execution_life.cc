#include "service/execution_life.h"

#include <algorithm>

#include "model/exec_keys.h"
#include "service/failed_task.h"

namespace ff::service {

Millis retention_of(const model::ExecutionPolicy& policy, Millis otherwise) {
    if (policy.retention_ms) return Millis(*policy.retention_ms);
    const auto stream = policy.stream_policy ? policy.stream_policy->retention_ttl_ms
                                             : std::optional<std::int64_t>();
    return std::max(otherwise, Millis(stream.value_or(0)));
}

Millis retention_of(const std::string& policy_json, Millis otherwise) {
    const auto policy = model::ExecutionPolicy::parse(policy_json);
    return policy ? retention_of(*policy, otherwise) : otherwise;
}

Life life_of(const ExecutionInfo& info, const std::string& policy_json, Millis otherwise) {
    Life life{.retention =
                  info.own_retention ? *info.own_retention : retention_of(policy_json, otherwise)};
    const bool ended = info.state.lifecycle_phase == model::LifecyclePhase::Terminal;
    if (ended && info.completed_at) life.expires_at = *info.completed_at + life.retention;
    return life;
}

Task<std::vector<std::optional<ExecutionInfo>>> describe_all(const Context& context,
                                                             std::vector<model::ExecutionId> ids) {
    std::vector<store::Call> reads;
    for (const model::ExecutionId& id : ids) {
        reads.push_back(execution_info_call(id));
        reads.push_back(store::plain({"GET", model::ExecKeys(id).policy()}, true));
    }
    std::vector<std::optional<ExecutionInfo>> all;
    if (reads.empty()) co_return all;
    const auto replies = co_await context.store.pipeline(std::move(reads));
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const Result<store::Reply>& record = replies[2 * i];
        const Result<store::Reply>& policy = replies[2 * i + 1];
        if (!record) co_return record.error();
        if (!policy) co_return policy.error();
        FF_CO_TRY(std::optional<ExecutionInfo> info, read_execution_info(ids[i], *record));
        if (info) {
            info->policy_json = std::string(policy->text().value_or(""));
            info->retries = retries_in_words(info->policy_json, info->retry_count);
            info->life = life_of(*info, info->policy_json, context.rules.retention_default);
        }
        all.push_back(std::move(info));
    }
    co_return all;
}

}  // namespace ff::service
