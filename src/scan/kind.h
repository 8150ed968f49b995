#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/time.h"

namespace ff::scan {

/// The scanners of spec 07, section 6, in the order of its table.
enum class Kind : std::uint8_t {
    LeaseExpiry,
    DelayedPromoter,
    AttemptTimeout,
    ExecutionDeadline,
    SuspensionTimeout,
    PendingWaitpointExpiry,
    Unblock,
    CascadeDrainer,
    DependencyReconciler,
    CancelReconciler,
    EdgeCancelDispatcher,
    EdgeCancelReconciler,
    FlowProjector,
    IndexReconciler,
    RetentionTrimmer,
    FlowRetention,
    BudgetReset,
    BudgetReconciler,
    QuotaReconciler,
    QuotaRelease,
    LaneCounts,
};

struct KindFacts {
    Kind kind{};
    std::string_view name{};
    /// The setting that changes the interval; it counts in `unit`.
    std::string_view setting{};
    Millis unit{1};
    Millis interval{0};
    /// Looks through everything there is, for what nobody waits for.
    bool upkeep = false;
    /// What it does cannot be taken back where the clock turns out to be wrong.
    bool destructive = false;
};

/// All scanners, by the number of their kind.
std::span<const KindFacts> all_kinds();
const KindFacts& facts_of(Kind kind);

}  // namespace ff::scan
