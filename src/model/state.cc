#include "model/state.h"

#include <algorithm>
#include <array>
#include <string>

#include "model/error_catalogue.h"

namespace ff::model {
namespace {

constexpr std::string_view kLifecyclePhaseNames[] = {
    "submitted", "runnable", "active", "suspended", "terminal",
};
static_assert(std::size(kLifecyclePhaseNames) ==
              static_cast<std::size_t>(LifecyclePhase::Terminal) + 1);

constexpr std::string_view kOwnershipStateNames[] = {
    "unowned",
    "leased",
    "lease_expired_reclaimable",
    "lease_revoked",
};
static_assert(std::size(kOwnershipStateNames) ==
              static_cast<std::size_t>(OwnershipState::LeaseRevoked) + 1);

constexpr std::string_view kEligibilityStateNames[] = {
    "eligible_now",          "not_eligible_until_time", "blocked_by_dependencies",
    "blocked_by_budget",     "blocked_by_quota",        "blocked_by_route",
    "blocked_by_lane_state", "blocked_by_operator",     "not_applicable",
};
static_assert(std::size(kEligibilityStateNames) ==
              static_cast<std::size_t>(EligibilityState::NotApplicable) + 1);

constexpr std::string_view kBlockingReasonNames[] = {
    "none",
    "waiting_for_worker",
    "waiting_for_retry_backoff",
    "waiting_for_resume_delay",
    "waiting_for_delay",
    "waiting_for_signal",
    "waiting_for_approval",
    "waiting_for_callback",
    "waiting_for_tool_result",
    "waiting_for_children",
    "waiting_for_budget",
    "waiting_for_quota",
    "waiting_for_capable_worker",
    "waiting_for_locality_match",
    "paused_by_operator",
    "paused_by_policy",
    "paused_by_flow_cancel",
};
static_assert(std::size(kBlockingReasonNames) ==
              static_cast<std::size_t>(BlockingReason::PausedByFlowCancel) + 1);

constexpr std::string_view kTerminalOutcomeNames[] = {
    "none", "success", "failed", "cancelled", "expired", "skipped",
};
static_assert(std::size(kTerminalOutcomeNames) ==
              static_cast<std::size_t>(TerminalOutcome::Skipped) + 1);

constexpr std::string_view kAttemptStateNames[] = {
    "none",
    "pending_first_attempt",
    "running_attempt",
    "attempt_interrupted",
    "pending_retry_attempt",
    "pending_replay_attempt",
    "attempt_terminal",
};
static_assert(std::size(kAttemptStateNames) ==
              static_cast<std::size_t>(AttemptState::AttemptTerminal) + 1);

constexpr std::string_view kPublicStateNames[] = {
    "waiting",   "delayed", "rate_limited", "waiting_children", "active",  "suspended",
    "completed", "failed",  "cancelled",    "expired",          "skipped", "resumable",
};
static_assert(std::size(kPublicStateNames) == static_cast<std::size_t>(PublicState::Resumable) + 1);

template <StateEnum E>
Result<E> read_field(std::string_view name, std::string_view text) {
    if (const auto value = parse_state<E>(text)) return *value;
    return make_error("parse_error", {std::string(name), std::string(text)});
}

PublicState of_outcome(TerminalOutcome outcome) {
    switch (outcome) {
        case TerminalOutcome::Success:
            return PublicState::Completed;
        case TerminalOutcome::None:
        case TerminalOutcome::Failed:
            return PublicState::Failed;
        case TerminalOutcome::Cancelled:
            return PublicState::Cancelled;
        case TerminalOutcome::Expired:
            return PublicState::Expired;
        case TerminalOutcome::Skipped:
            return PublicState::Skipped;
    }
    return PublicState::Failed;
}

PublicState of_eligibility(EligibilityState eligibility) {
    switch (eligibility) {
        case EligibilityState::NotEligibleUntilTime:
            return PublicState::Delayed;
        case EligibilityState::BlockedByDependencies:
            return PublicState::WaitingChildren;
        case EligibilityState::BlockedByBudget:
        case EligibilityState::BlockedByQuota:
            return PublicState::RateLimited;
        case EligibilityState::EligibleNow:
        case EligibilityState::BlockedByRoute:
        case EligibilityState::BlockedByLaneState:
        case EligibilityState::BlockedByOperator:
        case EligibilityState::NotApplicable:
            return PublicState::Waiting;
    }
    return PublicState::Waiting;
}

template <class E>
bool is_one_of(E value, std::initializer_list<E> values) {
    return std::find(values.begin(), values.end(), value) != values.end();
}

bool waits_for_an_attempt(AttemptState state) {
    using enum AttemptState;
    return is_one_of(state, {PendingFirstAttempt, PendingRetryAttempt, PendingReplayAttempt,
                             AttemptInterrupted});
}

/// Whether an execution may be suspended for this reason (chapter 03 section 2.3).
bool is_suspension_reason(BlockingReason reason) {
    using enum BlockingReason;
    return is_one_of(
        reason, {WaitingForSignal, WaitingForApproval, WaitingForCallback, WaitingForToolResult,
                 PausedByOperator, PausedByPolicy, WaitingForBudget});
}

std::optional<int> runnable_number(EligibilityState eligibility, BlockingReason reason) {
    using enum BlockingReason;
    const auto number_if = [](bool legal, int number) {
        return legal ? std::optional<int>(number) : std::nullopt;
    };
    switch (eligibility) {
        case EligibilityState::EligibleNow:
            return number_if(reason == WaitingForWorker, 1);
        case EligibilityState::NotEligibleUntilTime:
            return number_if(
                is_one_of(reason, {WaitingForDelay, WaitingForRetryBackoff, WaitingForResumeDelay}),
                2);
        case EligibilityState::BlockedByDependencies:
            return number_if(reason == WaitingForChildren, 3);
        case EligibilityState::BlockedByBudget:
            return number_if(reason == WaitingForBudget, 4);
        case EligibilityState::BlockedByQuota:
            return number_if(reason == WaitingForQuota, 5);
        case EligibilityState::BlockedByRoute:
            return number_if(is_one_of(reason, {WaitingForCapableWorker, WaitingForLocalityMatch}),
                             6);
        case EligibilityState::BlockedByLaneState:
            return number_if(reason == PausedByPolicy, 7);
        case EligibilityState::BlockedByOperator:
            return number_if(is_one_of(reason, {PausedByOperator, PausedByFlowCancel}), 8);
        case EligibilityState::NotApplicable:
            return std::nullopt;
    }
    return std::nullopt;
}

std::optional<int> active_number(const StateVector& vector) {
    const bool lost = vector.blocking_reason == BlockingReason::WaitingForWorker &&
                      vector.attempt_state == AttemptState::AttemptInterrupted;
    switch (vector.ownership_state) {
        case OwnershipState::Unowned:
            return std::nullopt;
        case OwnershipState::Leased:
            if (vector.blocking_reason != BlockingReason::None) return std::nullopt;
            if (vector.attempt_state != AttemptState::RunningAttempt) return std::nullopt;
            return 9;
        case OwnershipState::LeaseExpiredReclaimable:
            return lost ? std::optional<int>(10) : std::nullopt;
        case OwnershipState::LeaseRevoked:
            return lost ? std::optional<int>(11) : std::nullopt;
    }
    return std::nullopt;
}

std::optional<int> terminal_number(const StateVector& vector) {
    if (vector.blocking_reason != BlockingReason::None) return std::nullopt;
    const bool ran = vector.attempt_state == AttemptState::AttemptTerminal;
    const bool never_claimed = vector.attempt_state == AttemptState::PendingFirstAttempt;
    switch (vector.terminal_outcome) {
        case TerminalOutcome::None:
            return std::nullopt;
        case TerminalOutcome::Success:
            return ran ? std::optional<int>(13) : std::nullopt;
        case TerminalOutcome::Failed:
            return ran ? std::optional<int>(14) : std::nullopt;
        case TerminalOutcome::Cancelled:
            return ran || never_claimed ? std::optional<int>(15) : std::nullopt;
        case TerminalOutcome::Expired:
            return ran || never_claimed ? std::optional<int>(16) : std::nullopt;
        case TerminalOutcome::Skipped:
            if (!ran && vector.attempt_state != AttemptState::None) return std::nullopt;
            return 17;
    }
    return std::nullopt;
}

}  // namespace

template <>
std::span<const std::string_view> state_names<LifecyclePhase>() {
    return kLifecyclePhaseNames;
}
template <>
std::span<const std::string_view> state_names<OwnershipState>() {
    return kOwnershipStateNames;
}
template <>
std::span<const std::string_view> state_names<EligibilityState>() {
    return kEligibilityStateNames;
}
template <>
std::span<const std::string_view> state_names<BlockingReason>() {
    return kBlockingReasonNames;
}
template <>
std::span<const std::string_view> state_names<TerminalOutcome>() {
    return kTerminalOutcomeNames;
}
template <>
std::span<const std::string_view> state_names<AttemptState>() {
    return kAttemptStateNames;
}
template <>
std::span<const std::string_view> state_names<PublicState>() {
    return kPublicStateNames;
}

Result<StateVector> StateVector::parse(const StateTexts& texts) {
    StateVector out;
    FF_TRY(out.lifecycle_phase,
           read_field<LifecyclePhase>("lifecycle_phase", texts.lifecycle_phase));
    FF_TRY(out.ownership_state,
           read_field<OwnershipState>("ownership_state", texts.ownership_state));
    FF_TRY(out.eligibility_state,
           read_field<EligibilityState>("eligibility_state", texts.eligibility_state));
    FF_TRY(out.blocking_reason,
           read_field<BlockingReason>("blocking_reason", texts.blocking_reason));
    FF_TRY(out.terminal_outcome,
           read_field<TerminalOutcome>("terminal_outcome", texts.terminal_outcome));
    FF_TRY(out.attempt_state, read_field<AttemptState>("attempt_state", texts.attempt_state));
    FF_TRY(out.public_state, read_field<PublicState>("public_state", texts.public_state));
    return out;
}

PublicState derive_public_state(const StateVector& vector) {
    switch (vector.lifecycle_phase) {
        case LifecyclePhase::Terminal:
            return of_outcome(vector.terminal_outcome);
        case LifecyclePhase::Suspended:
            return PublicState::Suspended;
        case LifecyclePhase::Active:
            return PublicState::Active;
        case LifecyclePhase::Runnable:
            return of_eligibility(vector.eligibility_state);
        case LifecyclePhase::Submitted:
            return PublicState::Waiting;
    }
    return PublicState::Waiting;
}

std::optional<int> legal_vector_number(const StateVector& vector) {
    if (vector.public_state != derive_public_state(vector)) return std::nullopt;
    const bool ended = vector.terminal_outcome != TerminalOutcome::None;
    if (ended != (vector.lifecycle_phase == LifecyclePhase::Terminal)) return std::nullopt;
    const bool owned = vector.ownership_state != OwnershipState::Unowned;
    if (owned != (vector.lifecycle_phase == LifecyclePhase::Active)) return std::nullopt;
    if (vector.lifecycle_phase == LifecyclePhase::Runnable) {
        if (!waits_for_an_attempt(vector.attempt_state)) return std::nullopt;
        return runnable_number(vector.eligibility_state, vector.blocking_reason);
    }
    if (vector.eligibility_state != EligibilityState::NotApplicable) return std::nullopt;
    switch (vector.lifecycle_phase) {
        case LifecyclePhase::Active:
            return active_number(vector);
        case LifecyclePhase::Suspended:
            if (!is_suspension_reason(vector.blocking_reason)) return std::nullopt;
            if (vector.attempt_state != AttemptState::AttemptInterrupted) return std::nullopt;
            return 12;
        case LifecyclePhase::Terminal:
            return terminal_number(vector);
        case LifecyclePhase::Submitted:
        case LifecyclePhase::Runnable:
            return std::nullopt;
    }
    return std::nullopt;
}

}  // namespace ff::model
