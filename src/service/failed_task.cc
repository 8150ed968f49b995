#include "service/failed_task.h"

#include "model/execution_policy.h"

namespace ff::service {
namespace {

constexpr std::string_view kEnds = "the execution ends as failed";

}  // namespace

std::string why_final(const engine::FailExecution::Outcome& outcome, bool asked_for_retry) {
    std::string why;
    if (!asked_for_retry) {
        why = "no retry was wanted: ";
    } else if (outcome.why == "no_policy") {
        why = "no retry policy: ";
    } else if (outcome.why == "category_not_retryable") {
        why = "the retry policy has no retry for failures of this category: ";
    } else if (outcome.why == "retries_exhausted") {
        why = "all retries of the retry policy are used: ";
    }
    return why + std::string(kEnds);
}

std::string retries_in_words(const std::string& policy_json, std::int64_t used) {
    const auto policy = model::ExecutionPolicy::parse(policy_json);
    if (!policy || !policy->retry_policy) return "no retry policy: a failure ends the execution";
    const std::int64_t most = policy->retry_policy->max_retries.value_or(0);
    if (most == 0) return "the retry policy allows no retry: a failure ends the execution";
    return std::to_string(used) + " of " + std::to_string(most) + " retries used";
}

}  // namespace ff::service
