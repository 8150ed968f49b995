#include "base/json.h"
#include "model/execution_policy.h"

namespace ff::model {
namespace {

void write(json::Writer& out, const Backoff& backoff);
void write(json::Writer& out, const RetryPolicy& retry);
void write(json::Writer& out, const TimeoutPolicy& timeout);
void write(json::Writer& out, const SuspensionPolicy& suspension);
void write(json::Writer& out, const FallbackPolicy& fallback);
void write(json::Writer& out, const RoutingRequirements& routing);
void write(json::Writer& out, const StreamPolicy& stream);

/// Writes the members of one object that are set.
class MemberWriter {
  public:
    explicit MemberWriter(json::Writer& out) : out_(out) { out_.begin_object(); }

    MemberWriter& integer(std::string_view name, const std::optional<std::int64_t>& value) {
        if (value) out_.key(name).integer(*value);
        return *this;
    }
    MemberWriter& number(std::string_view name, const std::optional<double>& value) {
        if (value) out_.key(name).number(*value);
        return *this;
    }
    MemberWriter& boolean(std::string_view name, const std::optional<bool>& value) {
        if (value) out_.key(name).boolean(*value);
        return *this;
    }
    MemberWriter& text(std::string_view name, std::optional<std::string_view> value) {
        if (value) out_.key(name).string(*value);
        return *this;
    }
    /// An empty list means the same as none.
    MemberWriter& texts(std::string_view name, const std::vector<std::string>& values) {
        if (values.empty()) return *this;
        out_.key(name).begin_array();
        for (const std::string& value : values) out_.string(value);
        out_.end_array();
        return *this;
    }
    template <class T>
    MemberWriter& part(std::string_view name, const std::optional<T>& value) {
        if (!value) return *this;
        out_.key(name);
        write(out_, *value);
        return *this;
    }
    void finish(const OtherMembers& other) {
        for (const OtherMember& member : other) out_.key(member.name).raw(member.json);
        out_.end_object();
    }

  private:
    json::Writer& out_;
};

void write(json::Writer& out, const Backoff& backoff) {
    std::optional<std::string_view> type;
    if (backoff.type) type = *backoff.type == BackoffType::Fixed ? "fixed" : "exponential";
    MemberWriter(out)
        .text("type", type)
        .integer("delay_ms", backoff.delay_ms)
        .integer("initial_delay_ms", backoff.initial_delay_ms)
        .integer("max_delay_ms", backoff.max_delay_ms)
        .number("multiplier", backoff.multiplier)
        .boolean("jitter", backoff.jitter)
        .finish(backoff.other);
}

void write(json::Writer& out, const RetryPolicy& retry) {
    MemberWriter(out)
        .integer("max_retries", retry.max_retries)
        .part("backoff", retry.backoff)
        .texts("retryable_categories", retry.retryable_categories)
        .finish(retry.other);
}

void write(json::Writer& out, const TimeoutPolicy& timeout) {
    MemberWriter(out)
        .integer("attempt_timeout_ms", timeout.attempt_timeout_ms)
        .integer("execution_deadline_ms", timeout.execution_deadline_ms)
        .integer("max_reclaim_count", timeout.max_reclaim_count)
        .finish(timeout.other);
}

void write(json::Writer& out, const SuspensionPolicy& suspension) {
    std::optional<std::string_view> behavior;
    if (suspension.timeout_behavior) behavior = to_string(*suspension.timeout_behavior);
    MemberWriter(out)
        .integer("default_timeout_ms", suspension.default_timeout_ms)
        .text("timeout_behavior", behavior)
        .finish(suspension.other);
}

void write(json::Writer& out, const FallbackPolicy& fallback) {
    out.begin_object();
    if (!fallback.tiers.empty()) {
        out.key("tiers").begin_array();
        for (const FallbackTier& tier : fallback.tiers) {
            MemberWriter(out)
                .text("provider", tier.provider)
                .text("model", tier.model)
                .integer("timeout_ms", tier.timeout_ms)
                .finish(tier.other);
        }
        out.end_array();
    }
    for (const OtherMember& member : fallback.other) out.key(member.name).raw(member.json);
    out.end_object();
}

void write(json::Writer& out, const RoutingRequirements& routing) {
    MemberWriter(out)
        .texts("required_capabilities", routing.required_capabilities.tokens())
        .text("preferred_locality", routing.preferred_locality)
        .text("isolation_level", routing.isolation_level)
        .finish(routing.other);
}

void write(json::Writer& out, const StreamPolicy& stream) {
    MemberWriter(out)
        .text("durability_mode", stream.durability_mode)
        .integer("retention_maxlen", stream.retention_maxlen)
        .integer("retention_ttl_ms", stream.retention_ttl_ms)
        .finish(stream.other);
}

}  // namespace

std::string ExecutionPolicy::to_json() const {
    std::vector<std::string> budgets;
    budgets.reserve(budget_ids.size());
    for (const BudgetId& id : budget_ids) budgets.push_back(id.to_string());
    std::optional<std::string> quota;
    if (quota_policy_id) quota = quota_policy_id->to_string();
    std::string text;
    json::Writer out(text);
    MemberWriter(out)
        .integer("priority", priority)
        .integer("delay_until", delay_until)
        .part("retry_policy", retry_policy)
        .part("timeout_policy", timeout_policy)
        .integer("max_reclaim_count", max_reclaim_count)
        .integer("max_replay_count", max_replay_count)
        .part("suspension_policy", suspension_policy)
        .part("fallback_policy", fallback_policy)
        .texts("budget_ids", budgets)
        .text("quota_policy_id", quota)
        .part("routing_requirements", routing_requirements)
        .integer("dedup_window_ms", dedup_window_ms)
        .part("stream_policy", stream_policy)
        .integer("max_signals_per_execution", max_signals_per_execution)
        .integer("max_steps_bytes", max_steps_bytes)
        .integer("retention_ms", retention_ms)
        .finish(other);
    return text;
}

}  // namespace ff::model
