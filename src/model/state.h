#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"

namespace ff::model {

// The seven fields of exec_core that are always written together.

enum class LifecyclePhase : std::uint8_t { Submitted, Runnable, Active, Suspended, Terminal };

enum class OwnershipState : std::uint8_t { Unowned, Leased, LeaseExpiredReclaimable, LeaseRevoked };

enum class EligibilityState : std::uint8_t {
    EligibleNow,
    NotEligibleUntilTime,
    BlockedByDependencies,
    BlockedByBudget,
    BlockedByQuota,
    BlockedByRoute,
    BlockedByLaneState,
    BlockedByOperator,
    NotApplicable,
};

enum class BlockingReason : std::uint8_t {
    None,
    WaitingForWorker,
    WaitingForRetryBackoff,
    WaitingForResumeDelay,
    WaitingForDelay,
    WaitingForSignal,
    WaitingForApproval,
    WaitingForCallback,
    WaitingForToolResult,
    WaitingForChildren,
    WaitingForBudget,
    WaitingForQuota,
    WaitingForCapableWorker,
    WaitingForLocalityMatch,
    PausedByOperator,
    PausedByPolicy,
    PausedByFlowCancel,
};

enum class TerminalOutcome : std::uint8_t { None, Success, Failed, Cancelled, Expired, Skipped };

enum class AttemptState : std::uint8_t {
    None,
    PendingFirstAttempt,
    RunningAttempt,
    AttemptInterrupted,
    PendingRetryAttempt,
    PendingReplayAttempt,
    AttemptTerminal,
};

enum class PublicState : std::uint8_t {
    Waiting,
    Delayed,
    RateLimited,
    WaitingChildren,
    Active,
    Suspended,
    Completed,
    Failed,
    Cancelled,
    Expired,
    Skipped,
    /// Read where old data has it, never written.
    Resumable,
};

template <class E>
concept StateEnum = std::same_as<E, LifecyclePhase> || std::same_as<E, OwnershipState> ||
                    std::same_as<E, EligibilityState> || std::same_as<E, BlockingReason> ||
                    std::same_as<E, TerminalOutcome> || std::same_as<E, AttemptState> ||
                    std::same_as<E, PublicState>;

/// The stored text of every value, in the order of the enumerators.
template <StateEnum E>
std::span<const std::string_view> state_names();

template <StateEnum E>
std::string_view to_string(E value) {
    return state_names<E>()[static_cast<std::size_t>(value)];
}

/// Nothing for a text that is no value of the enum.
template <StateEnum E>
std::optional<E> parse_state(std::string_view text) {
    const auto names = state_names<E>();
    for (std::size_t at = 0; at < names.size(); ++at)
        if (names[at] == text) return static_cast<E>(at);
    return std::nullopt;
}

/// The vector as stored.
struct StateTexts {
    std::string_view lifecycle_phase{};
    std::string_view ownership_state{};
    std::string_view eligibility_state{};
    std::string_view blocking_reason{};
    std::string_view terminal_outcome{};
    std::string_view attempt_state{};
    std::string_view public_state{};
};

struct StateVector {
    LifecyclePhase lifecycle_phase = LifecyclePhase::Runnable;
    OwnershipState ownership_state = OwnershipState::Unowned;
    EligibilityState eligibility_state = EligibilityState::EligibleNow;
    BlockingReason blocking_reason = BlockingReason::WaitingForWorker;
    TerminalOutcome terminal_outcome = TerminalOutcome::None;
    AttemptState attempt_state = AttemptState::PendingFirstAttempt;
    PublicState public_state = PublicState::Waiting;

    /// `parse_error` with the name of the first field that holds no value of its enum.
    static Result<StateVector> parse(const StateTexts& texts);

    bool operator==(const StateVector&) const = default;
};

/// The public state that follows from the other six fields; the stored one is not looked at. Never
/// fails: corrupt vectors get the state that chapter 02 section 4.1 gives them.
PublicState derive_public_state(const StateVector& vector);

/// N of the legal vector LN (chapter 02 section 4.2) that this one is; nothing if it is none, also
/// when only `public_state` is not the derived one.
std::optional<int> legal_vector_number(const StateVector& vector);

}  // namespace ff::model
