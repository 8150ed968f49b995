#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/capability_set.h"
#include "model/ids.h"

namespace ff::model {

/// A member this version does not know, kept as its JSON text.
struct OtherMember {
    std::string name{};
    std::string json{};
    bool operator==(const OtherMember&) const = default;
};
using OtherMembers = std::vector<OtherMember>;

// What is not given stays absent: a default filled in here would hide those of the caller and of
// the functions. The defaults are in chapter 02 section 6.

enum class BackoffType : std::uint8_t { Fixed, Exponential };

struct Backoff {
    std::optional<BackoffType> type{};
    std::optional<std::int64_t> delay_ms{};
    std::optional<std::int64_t> initial_delay_ms{};
    std::optional<std::int64_t> max_delay_ms{};
    std::optional<double> multiplier{};
    std::optional<bool> jitter{};
    OtherMembers other{};
    bool operator==(const Backoff&) const = default;
};

struct RetryPolicy {
    /// What a policy that comes in through the API without the number is stored with.
    static constexpr std::int64_t kApiMaxRetries = 3;

    std::optional<std::int64_t> max_retries{};
    std::optional<Backoff> backoff{};
    std::vector<std::string> retryable_categories{};
    OtherMembers other{};
    bool operator==(const RetryPolicy&) const = default;
};

struct TimeoutPolicy {
    std::optional<std::int64_t> attempt_timeout_ms{};
    /// Below 10^11 a span from now, otherwise a point in time.
    std::optional<std::int64_t> execution_deadline_ms{};
    std::optional<std::int64_t> max_reclaim_count{};
    OtherMembers other{};
    bool operator==(const TimeoutPolicy&) const = default;
};

enum class TimeoutBehavior : std::uint8_t {
    Fail,
    Cancel,
    Expire,
    AutoResume,
    AutoResumeWithTimeoutSignal,
    Escalate,
};
std::string_view to_string(TimeoutBehavior behavior);
std::optional<TimeoutBehavior> parse_timeout_behavior(std::string_view text);

struct SuspensionPolicy {
    std::optional<std::int64_t> default_timeout_ms{};
    std::optional<TimeoutBehavior> timeout_behavior{};
    OtherMembers other{};
    bool operator==(const SuspensionPolicy&) const = default;
};

struct FallbackTier {
    std::string provider{};
    std::string model{};
    std::optional<std::int64_t> timeout_ms{};
    OtherMembers other{};
    bool operator==(const FallbackTier&) const = default;
};

struct FallbackPolicy {
    /// Tier 0 is the primary.
    std::vector<FallbackTier> tiers{};
    OtherMembers other{};
    bool operator==(const FallbackPolicy&) const = default;
};

struct RoutingRequirements {
    CapabilitySet required_capabilities{};
    std::optional<std::string> preferred_locality{};
    std::optional<std::string> isolation_level{};
    OtherMembers other{};
    bool operator==(const RoutingRequirements&) const = default;
};

struct StreamPolicy {
    /// One of the spellings of chapter 04 section 2, as given.
    std::optional<std::string> durability_mode{};
    std::optional<std::int64_t> retention_maxlen{};
    std::optional<std::int64_t> retention_ttl_ms{};
    OtherMembers other{};

    /// The frame mode that the durability mode stands for: `durable`, `summary`, `best_effort`.
    std::string_view frame_mode() const;
    bool operator==(const StreamPolicy&) const = default;
};

/// How an execution wants to be treated. Stored as JSON at creation.
struct ExecutionPolicy {
    static constexpr std::size_t kBudgetsMax = 16;

    /// Checks in the order of chapter 02 section 6 and refuses with `invalid_policy_json` or
    /// `invalid_capabilities` and its details; then the members that functions only hand on. Empty
    /// text is an empty policy.
    static Result<ExecutionPolicy> parse(std::string_view text);

    /// The same for one that somebody brings: a member that this version does not know is refused
    /// with detail `<path>:unknown` and the name that was probably meant.
    static Result<ExecutionPolicy> parse_given(std::string_view text);

    /// What the API stores for a policy it was given: the same text, unless a retry policy lacks
    /// its number of retries. No policy (`` or `{}`) is empty text.
    static Result<std::string> stored_text(std::string_view given);

    /// All members that are set, unknown ones last.
    std::string to_json() const;

    std::optional<std::int64_t> priority{};
    std::optional<std::int64_t> delay_until{};
    std::optional<RetryPolicy> retry_policy{};
    std::optional<TimeoutPolicy> timeout_policy{};
    std::optional<std::int64_t> max_reclaim_count{};
    std::optional<std::int64_t> max_replay_count{};
    std::optional<SuspensionPolicy> suspension_policy{};
    std::optional<FallbackPolicy> fallback_policy{};
    std::vector<BudgetId> budget_ids{};
    std::optional<QuotaPolicyId> quota_policy_id{};
    std::optional<RoutingRequirements> routing_requirements{};
    std::optional<std::int64_t> dedup_window_ms{};
    std::optional<StreamPolicy> stream_policy{};
    std::optional<std::int64_t> max_signals_per_execution{};
    std::optional<std::int64_t> max_steps_bytes{};
    std::optional<std::int64_t> retention_ms{};
    OtherMembers other{};

    bool operator==(const ExecutionPolicy&) const = default;
};

}  // namespace ff::model
