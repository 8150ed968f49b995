#include "service/effective_policy.h"

#include "model/policy_merge.h"

namespace ff::service {
namespace {

constexpr std::string_view kOfLane = "default policy of the lane";

}  // namespace

Result<EffectivePolicy> effective_policy(std::string_view given,
                                         std::optional<std::int64_t> given_priority,
                                         const sched::LaneConfig& lane) {
    EffectivePolicy effective;
    FF_TRY(effective.policy, model::ExecutionPolicy::parse_given(given));
    std::string text(given);
    if (!lane.default_policy_json.empty()) {
        Result<std::string> merged = model::merge_policies(given, lane.default_policy_json);
        if (!merged) return std::move(merged).error().within(kOfLane);
        text = *std::move(merged);
        Result<model::ExecutionPolicy> policy = model::ExecutionPolicy::parse(text);
        if (!policy) return std::move(policy).error().within(kOfLane);
        effective.policy = *std::move(policy);
    }
    if (!text.empty()) {
        FF_TRY(effective.text, model::ExecutionPolicy::stored_text(text));
    }
    if (!given_priority) given_priority = effective.policy.priority;
    if (!given_priority) given_priority = lane.default_priority;
    effective.priority = given_priority.value_or(0);
    return effective;
}

}  // namespace ff::service
