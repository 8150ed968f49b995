#include "model/execution_policy_check.h"

#include <cmath>
#include <optional>
#include <vector>

#include "model/capability_set.h"
#include "model/error_catalogue.h"
#include "model/execution_policy.h"
#include "model/key_text.h"

namespace ff::model {
namespace {

constexpr std::string_view kObjects[] = {
    "retry_policy",    "timeout_policy",       "suspension_policy",
    "fallback_policy", "routing_requirements", "stream_policy",
};

constexpr std::string_view kPriority = "priority";
constexpr std::string_view kMultiplier = "retry_policy.backoff.multiplier";
constexpr std::string_view kTiers = "fallback_policy.tiers";

/// Integers of at least 0.
constexpr std::string_view kCounts[] = {
    "delay_until",
    "retry_policy.max_retries",
    "retry_policy.backoff.delay_ms",
    "retry_policy.backoff.initial_delay_ms",
    "retry_policy.backoff.max_delay_ms",
    "timeout_policy.attempt_timeout_ms",
    "timeout_policy.execution_deadline_ms",
    "timeout_policy.max_reclaim_count",
    "max_reclaim_count",
    "max_replay_count",
    "suspension_policy.default_timeout_ms",
    "dedup_window_ms",
    "stream_policy.retention_maxlen",
    "stream_policy.retention_ttl_ms",
    "max_signals_per_execution",
    "max_steps_bytes",
    "retention_ms",
};

/// The value at a path with dots; nothing if any part of the way is absent or null.
std::optional<json::Value> value_at(const json::Value& root, std::string_view path) {
    std::optional<json::Value> value = root;
    while (value && !path.empty()) {
        const std::size_t dot = path.find('.');
        value = value->find(path.substr(0, dot));
        path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
    }
    return value;
}

Result<Done> check_count(const json::Value& parent, std::string_view member,
                         std::string_view path) {
    const auto value = value_at(parent, member);
    if (!value) return Done{};
    const auto integer = value->as_integer();
    if (!integer || *integer < 0) return policy_error(path, "not_integer");
    return Done{};
}

Result<Done> check_tiers(const json::Value& root) {
    const auto tiers = value_at(root, kTiers);
    if (!tiers || !tiers->is_array()) return Done{};
    for (std::size_t at = 0; at < tiers->size(); ++at) {
        const json::Value tier = tiers->element(at);
        if (!is_policy_object(tier)) return policy_error(kTiers, "not_object");
        FF_CHECK(check_count(tier, "timeout_ms", "fallback_policy.tiers.timeout_ms"));
    }
    return Done{};
}

Result<Done> check_numbers(const json::Value& root) {
    if (const auto priority = root.find(kPriority); priority && !priority->as_integer())
        return policy_error(kPriority, "not_integer");
    for (const std::string_view path : kCounts) FF_CHECK(check_count(root, path, path));
    if (const auto multiplier = value_at(root, kMultiplier)) {
        const auto number = multiplier->as_number();
        if (!number || !std::isfinite(*number) || *number < 1)
            return policy_error(kMultiplier, "not_integer");
    }
    return check_tiers(root);
}

Result<Done> check_backoff(const json::Value& root) {
    const auto backoff = value_at(root, "retry_policy.backoff");
    if (!backoff) return Done{};
    const auto type = backoff->find("type");
    if (!type) return Done{};
    const auto text = type->as_string();
    if (text == "fixed" || text == "exponential") return Done{};
    return policy_error("retry_policy", "backoff_type");
}

Error capability_error(std::string_view why) {
    return make_error("invalid_capabilities", {concat({"required:", why})});
}

Result<Done> check_capabilities(const json::Value& root) {
    const auto list = value_at(root, "routing_requirements.required_capabilities");
    if (!list) return Done{};
    if (!is_policy_list(*list)) return capability_error("not_array");
    std::vector<std::string_view> tokens;
    for (std::size_t at = 0; list->is_array() && at < list->size(); ++at) {
        const auto token = list->element(at).as_string();
        if (!token) return capability_error("non_string_token");
        tokens.push_back(*token);
    }
    FF_TRY([[maybe_unused]] const CapabilitySet set, CapabilitySet::parse(tokens, "required"));
    return Done{};
}

}  // namespace

Error policy_error(std::string_view path, std::string_view why) {
    std::string detail(path);
    if (!path.empty()) detail += ':';
    detail += why;
    return make_error("invalid_policy_json", {std::move(detail)});
}

bool is_policy_object(const json::Value& value) {
    return value.is_object() || (value.is_array() && value.size() == 0);
}

bool is_policy_list(const json::Value& value) {
    return value.is_array() || (value.is_object() && value.size() == 0);
}

Result<Done> check_policy(const json::Value& root) {
    if (!root.is_object()) return policy_error("", "not_object");
    for (const std::string_view member : kObjects) {
        const auto value = root.find(member);
        if (value && !is_policy_object(*value)) return policy_error(member, "not_object");
    }
    const auto backoff = value_at(root, "retry_policy.backoff");
    if (backoff && !is_policy_object(*backoff))
        return policy_error("retry_policy.backoff", "not_object");
    FF_CHECK(check_numbers(root));
    FF_CHECK(check_backoff(root));
    const auto budgets = root.find("budget_ids");
    if (budgets && budgets->is_array() && budgets->size() > ExecutionPolicy::kBudgetsMax)
        return policy_error("budget_ids", "too_many");
    return check_capabilities(root);
}

}  // namespace ff::model
