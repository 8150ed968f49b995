#include "model/execution_policy.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include "base/json.h"
#include "base/near_name.h"
#include "model/execution_policy_check.h"
#include "model/key_text.h"

namespace ff::model {
namespace {

constexpr std::array<std::string_view, 6> kTimeoutBehaviors = {
    "fail", "cancel", "expire", "auto_resume", "auto_resume_with_timeout_signal", "escalate",
};

struct Durability {
    std::string_view spelling;
    std::string_view frame_mode;
};
constexpr Durability kDurabilities[] = {
    {"durable_full", "durable"},
    {"durable", "durable"},
    {"buffered", "durable"},
    {"durable_summary", "summary"},
    {"best_effort_live", "best_effort"},
};

const Durability* find_durability(std::string_view spelling) {
    const auto* const found =
        std::find_if(std::begin(kDurabilities), std::end(kDurabilities),
                     [&](const Durability& row) { return row.spelling == spelling; });
    return found == std::end(kDurabilities) ? nullptr : found;
}

/// What becomes of members that this version does not know: those of stored policies are kept.
enum class Unknown : std::uint8_t { Keep, Refuse };

/// Reads the members of one object whose numbers have been checked. The first wrong type is kept
/// and decides in the end; members that nobody asked for are the unknown ones.
class Reader {
  public:
    Reader(const json::Value& object, std::string path, Unknown unknown)
        : object_(object), path_(std::move(path)), unknown_(unknown) {}

    Unknown unknown() const { return unknown_; }

    std::optional<json::Value> take(std::string_view name) {
        taken_.push_back(name);
        return object_.find(name);
    }
    std::optional<std::int64_t> integer(std::string_view name) {
        const auto value = take(name);
        return value ? value->as_integer() : std::nullopt;
    }
    std::optional<double> number(std::string_view name) {
        const auto value = take(name);
        return value ? value->as_number() : std::nullopt;
    }
    std::optional<bool> boolean(std::string_view name) {
        const auto value = take(name);
        if (!value) return std::nullopt;
        const auto flag = value->as_bool();
        if (!flag) fail(name, "not_boolean");
        return flag;
    }
    std::optional<std::string> text(std::string_view name) {
        const auto value = take(name);
        if (!value) return std::nullopt;
        const auto string = value->as_string();
        if (!string) {
            fail(name, "not_string");
            return std::nullopt;
        }
        return std::string(*string);
    }
    std::vector<json::Value> list(std::string_view name) {
        const auto value = take(name);
        std::vector<json::Value> out;
        if (value && !is_policy_list(*value)) fail(name, "not_array");
        if (!value || !value->is_array()) return out;
        for (std::size_t at = 0; at < value->size(); ++at) out.push_back(value->element(at));
        return out;
    }
    std::vector<std::string> texts(std::string_view name) {
        std::vector<std::string> out;
        for (const json::Value& element : list(name)) {
            if (const auto string = element.as_string())
                out.emplace_back(*string);
            else
                fail(name, "not_string");
        }
        return out;
    }
    template <class Id>
    std::optional<Id> uuid(std::string_view name, const json::Value& value) {
        auto id = Id::parse(value.as_string().value_or(std::string_view()));
        if (id) return *std::move(id);
        fail(name, "not_uuid");
        return std::nullopt;
    }

    void fail(std::string_view name, std::string_view why) {
        if (!error_) error_ = policy_error(path_.empty() ? name : concat({path_, ".", name}), why);
    }
    /// Call last: what is left are the members this version does not know.
    Result<OtherMembers> finish() {
        if (error_) return *error_;
        OtherMembers other;
        for (std::size_t at = 0; object_.is_object() && at < object_.size(); ++at) {
            const auto [name, value] = object_.member(at);
            const bool known = std::find(taken_.begin(), taken_.end(), name) != taken_.end();
            if (!known && unknown_ == Unknown::Refuse) return unknown_member(name);
            if (!known && !value.is_null())
                other.push_back({.name = std::string(name), .json = value.to_text()});
        }
        return other;
    }

  private:
    Error unknown_member(std::string_view name) const {
        Error error = policy_error(path_.empty() ? name : concat({path_, ".", name}), "unknown");
        const std::string place = path_.empty() ? "policy" : path_;
        error.message = unknown_name_text("field", name, taken_) + " (in " + place + ")";
        return error;
    }

    json::Value object_;
    std::string path_;
    Unknown unknown_;
    std::vector<std::string_view> taken_{};
    std::optional<Error> error_{};
};

Result<Backoff> read_backoff(const json::Value& value, Unknown unknown) {
    Reader reader(value, "retry_policy.backoff", unknown);
    Backoff out;
    if (const auto type = reader.text("type"))
        out.type = *type == "fixed" ? BackoffType::Fixed : BackoffType::Exponential;
    out.delay_ms = reader.integer("delay_ms");
    out.initial_delay_ms = reader.integer("initial_delay_ms");
    out.max_delay_ms = reader.integer("max_delay_ms");
    out.multiplier = reader.number("multiplier");
    out.jitter = reader.boolean("jitter");
    FF_TRY(out.other, reader.finish());
    return out;
}

Result<RetryPolicy> read_retry(const json::Value& value, Unknown unknown) {
    Reader reader(value, "retry_policy", unknown);
    RetryPolicy out;
    out.max_retries = reader.integer("max_retries");
    if (const auto backoff = reader.take("backoff")) {
        FF_TRY(out.backoff, read_backoff(*backoff, unknown));
    }
    out.retryable_categories = reader.texts("retryable_categories");
    FF_TRY(out.other, reader.finish());
    return out;
}

Result<TimeoutPolicy> read_timeout(const json::Value& value, Unknown unknown) {
    Reader reader(value, "timeout_policy", unknown);
    TimeoutPolicy out;
    out.attempt_timeout_ms = reader.integer("attempt_timeout_ms");
    out.execution_deadline_ms = reader.integer("execution_deadline_ms");
    out.max_reclaim_count = reader.integer("max_reclaim_count");
    FF_TRY(out.other, reader.finish());
    return out;
}

Result<SuspensionPolicy> read_suspension(const json::Value& value, Unknown unknown) {
    Reader reader(value, "suspension_policy", unknown);
    SuspensionPolicy out;
    out.default_timeout_ms = reader.integer("default_timeout_ms");
    if (const auto text = reader.text("timeout_behavior")) {
        out.timeout_behavior = parse_timeout_behavior(*text);
        if (!out.timeout_behavior) reader.fail("timeout_behavior", "unknown_value");
    }
    FF_TRY(out.other, reader.finish());
    return out;
}

Result<FallbackTier> read_tier(const json::Value& value, Unknown unknown) {
    Reader reader(value, "fallback_policy.tiers", unknown);
    FallbackTier out;
    out.provider = reader.text("provider").value_or("");
    out.model = reader.text("model").value_or("");
    out.timeout_ms = reader.integer("timeout_ms");
    FF_TRY(out.other, reader.finish());
    return out;
}

Result<FallbackPolicy> read_fallback(const json::Value& value, Unknown unknown) {
    Reader reader(value, "fallback_policy", unknown);
    FallbackPolicy out;
    for (const json::Value& tier : reader.list("tiers")) {
        FF_TRY(FallbackTier read, read_tier(tier, unknown));
        out.tiers.push_back(std::move(read));
    }
    FF_TRY(out.other, reader.finish());
    return out;
}

Result<RoutingRequirements> read_routing(const json::Value& value, Unknown unknown) {
    Reader reader(value, "routing_requirements", unknown);
    RoutingRequirements out;
    const std::vector<std::string> texts = reader.texts("required_capabilities");
    const std::vector<std::string_view> tokens(texts.begin(), texts.end());
    FF_TRY(out.required_capabilities, CapabilitySet::parse(tokens, "required"));
    out.preferred_locality = reader.text("preferred_locality");
    out.isolation_level = reader.text("isolation_level");
    FF_TRY(out.other, reader.finish());
    return out;
}

Result<StreamPolicy> read_stream(const json::Value& value, Unknown unknown) {
    Reader reader(value, "stream_policy", unknown);
    StreamPolicy out;
    out.durability_mode = reader.text("durability_mode");
    if (out.durability_mode && find_durability(*out.durability_mode) == nullptr)
        reader.fail("durability_mode", "unknown_value");
    out.retention_maxlen = reader.integer("retention_maxlen");
    out.retention_ttl_ms = reader.integer("retention_ttl_ms");
    FF_TRY(out.other, reader.finish());
    return out;
}

/// Reads the object member of that name, if there is one, into `into`.
template <class T>
Result<Done> read_part(Reader& reader, std::string_view name, std::optional<T>& into,
                       Result<T> (*read)(const json::Value&, Unknown)) {
    const auto value = reader.take(name);
    if (!value) return Done{};
    FF_TRY(into, read(*value, reader.unknown()));
    return Done{};
}

Result<ExecutionPolicy> read_policy(const json::Value& root, Unknown unknown) {
    Reader reader(root, "", unknown);
    ExecutionPolicy out;
    out.priority = reader.integer("priority");
    out.delay_until = reader.integer("delay_until");
    FF_CHECK(read_part(reader, "retry_policy", out.retry_policy, read_retry));
    FF_CHECK(read_part(reader, "timeout_policy", out.timeout_policy, read_timeout));
    out.max_reclaim_count = reader.integer("max_reclaim_count");
    out.max_replay_count = reader.integer("max_replay_count");
    FF_CHECK(read_part(reader, "suspension_policy", out.suspension_policy, read_suspension));
    FF_CHECK(read_part(reader, "fallback_policy", out.fallback_policy, read_fallback));
    for (const json::Value& element : reader.list("budget_ids"))
        if (auto id = reader.uuid<BudgetId>("budget_ids", element)) out.budget_ids.push_back(*id);
    if (const auto value = reader.take("quota_policy_id"))
        out.quota_policy_id = reader.uuid<QuotaPolicyId>("quota_policy_id", *value);
    FF_CHECK(read_part(reader, "routing_requirements", out.routing_requirements, read_routing));
    out.dedup_window_ms = reader.integer("dedup_window_ms");
    FF_CHECK(read_part(reader, "stream_policy", out.stream_policy, read_stream));
    out.max_signals_per_execution = reader.integer("max_signals_per_execution");
    out.max_steps_bytes = reader.integer("max_steps_bytes");
    out.retention_ms = reader.integer("retention_ms");
    FF_TRY(out.other, reader.finish());
    return out;
}

Result<ExecutionPolicy> parse_policy(std::string_view text, Unknown unknown) {
    if (text.empty()) return ExecutionPolicy{};
    const auto document = json::Document::parse(text);
    if (!document) return policy_error("", "malformed");
    FF_CHECK(check_policy(document->root()));
    return read_policy(document->root(), unknown);
}

}  // namespace

std::string_view to_string(TimeoutBehavior behavior) {
    return kTimeoutBehaviors[static_cast<std::size_t>(behavior)];
}

std::optional<TimeoutBehavior> parse_timeout_behavior(std::string_view text) {
    const auto* const found = std::find(kTimeoutBehaviors.begin(), kTimeoutBehaviors.end(), text);
    if (found == kTimeoutBehaviors.end()) return std::nullopt;
    return static_cast<TimeoutBehavior>(found - kTimeoutBehaviors.begin());
}

std::string_view StreamPolicy::frame_mode() const {
    const Durability* row = durability_mode ? find_durability(*durability_mode) : nullptr;
    return row != nullptr ? row->frame_mode : "durable";
}

Result<ExecutionPolicy> ExecutionPolicy::parse(std::string_view text) {
    return parse_policy(text, Unknown::Keep);
}

Result<ExecutionPolicy> ExecutionPolicy::parse_given(std::string_view text) {
    return parse_policy(text, Unknown::Refuse);
}

Result<std::string> ExecutionPolicy::stored_text(std::string_view given) {
    FF_TRY(ExecutionPolicy policy, parse(given));
    if (policy == ExecutionPolicy{}) return std::string();
    if (!policy.retry_policy || policy.retry_policy->max_retries) return std::string(given);
    policy.retry_policy->max_retries = RetryPolicy::kApiMaxRetries;
    return policy.to_json();
}

}  // namespace ff::model
