#include "scan/kind.h"

#include <array>

namespace ff::scan {
namespace {

constexpr Millis kMs{1};
constexpr Millis kSecond{1'000};

constexpr std::array kKinds{
    KindFacts{Kind::LeaseExpiry, "lease_expiry", "FF_LEASE_EXPIRY_INTERVAL_MS", kMs, Millis(1'500)},
    KindFacts{Kind::DelayedPromoter, "delayed_promoter", "FF_DELAYED_PROMOTER_INTERVAL_MS", kMs,
              Millis(750)},
    KindFacts{Kind::AttemptTimeout, "attempt_timeout", "FF_ATTEMPT_TIMEOUT_INTERVAL_S", kSecond,
              2 * kSecond, false, true},
    KindFacts{Kind::ExecutionDeadline, "execution_deadline", "FF_EXECUTION_DEADLINE_INTERVAL_S",
              kSecond, 5 * kSecond, false, true},
    KindFacts{Kind::SuspensionTimeout, "suspension_timeout", "FF_SUSPENSION_TIMEOUT_INTERVAL_S",
              kSecond, 2 * kSecond, false, true},
    KindFacts{Kind::PendingWaitpointExpiry, "pending_wp_expiry", "FF_PENDING_WP_EXPIRY_INTERVAL_S",
              kSecond, 5 * kSecond, false, true},
    KindFacts{Kind::Unblock, "unblock", "FF_UNBLOCK_INTERVAL_S", kSecond, 5 * kSecond},
    KindFacts{Kind::CascadeDrainer, "cascade_drainer", "FF_CASCADE_DRAINER_INTERVAL_MS", kMs,
              Millis(1'000)},
    KindFacts{Kind::DependencyReconciler, "dependency_reconciler",
              "FF_DEPENDENCY_RECONCILER_INTERVAL_S", kSecond, 15 * kSecond},
    KindFacts{Kind::CancelReconciler, "cancel_reconciler", "FF_CANCEL_RECONCILER_INTERVAL_S",
              kSecond, 15 * kSecond},
    KindFacts{Kind::EdgeCancelDispatcher, "edge_cancel_dispatcher",
              "FF_EDGE_CANCEL_DISPATCHER_INTERVAL_S", kSecond, kSecond},
    KindFacts{Kind::EdgeCancelReconciler, "edge_cancel_reconciler",
              "FF_EDGE_CANCEL_RECONCILER_INTERVAL_S", kSecond, 10 * kSecond},
    KindFacts{Kind::FlowProjector, "flow_projector", "FF_FLOW_PROJECTOR_INTERVAL_S", kSecond,
              15 * kSecond},
    KindFacts{Kind::IndexReconciler, "index_reconciler", "FF_INDEX_RECONCILER_INTERVAL_S", kSecond,
              45 * kSecond, true},
    KindFacts{Kind::RetentionTrimmer, "retention_trimmer", "FF_RETENTION_TRIMMER_INTERVAL_S",
              kSecond, 60 * kSecond, false, true},
    KindFacts{Kind::FlowRetention, "flow_retention", "FF_FLOW_RETENTION_INTERVAL_S", kSecond,
              60 * kSecond, false, true},
    KindFacts{Kind::BudgetReset, "budget_reset", "FF_BUDGET_RESET_INTERVAL_S", kSecond,
              15 * kSecond},
    KindFacts{Kind::BudgetReconciler, "budget_reconciler", "FF_BUDGET_RECONCILER_INTERVAL_S",
              kSecond, 30 * kSecond},
    KindFacts{Kind::QuotaReconciler, "quota_reconciler", "FF_QUOTA_RECONCILER_INTERVAL_S", kSecond,
              30 * kSecond},
    KindFacts{Kind::QuotaRelease, "quota_release", "FF_QUOTA_RELEASE_INTERVAL_MS", kMs,
              Millis(250)},
    KindFacts{Kind::LaneCounts, "lane_counts", "FF_LANE_COUNTS_INTERVAL_S", kSecond, 30 * kSecond},
};

}  // namespace

std::span<const KindFacts> all_kinds() {
    return kKinds;
}

const KindFacts& facts_of(Kind kind) {
    return kKinds[static_cast<std::size_t>(kind)];
}

}  // namespace ff::scan
