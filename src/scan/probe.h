#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "model/ids.h"
#include "scan/kind.h"

namespace ff::scan {

/// What one cycle of a scanner came to.
struct CycleFacts {
    Kind kind{};
    std::chrono::nanoseconds duration{0};
    std::uint64_t items = 0;
    std::uint64_t errors = 0;
    /// False when only what had just become due was served, between two cycles.
    bool full = true;
};

/// What is told for metrics. Every method may be left as it is.
class Probe {
  public:
    virtual ~Probe() = default;
    virtual void cycle_ended(const CycleFacts& /*facts*/) {}
    /// A scanner failed as a whole and begins again after a pause.
    virtual void restarted(Kind /*kind*/) {}
    /// Flows that owe cancels; told only by cycles that read every partition.
    virtual void cancel_backlog(std::uint64_t /*flows*/) {}
    /// Ended members whose edges are still to be resolved; told like the backlog.
    virtual void cascade_pending(std::uint64_t /*members*/) {}
    virtual void queue_depth(const model::LaneId& /*lane*/, std::string_view /*state*/,
                             std::uint64_t /*executions*/) {}
    virtual void unblocked(std::uint64_t /*executions*/) {}
    /// `pending`, `drained`, `already_drained` or `drained_sans_group`.
    virtual void sibling_group_drained(std::string_view /*result*/) {}
    /// `no_op`, `sremmed_stale` or `completed_drain`.
    virtual void sibling_group_reconciled(std::string_view /*action*/) {}
    virtual void index_repaired(std::string_view /*index*/) {}
    virtual void quota_corrected() {}
};

}  // namespace ff::scan
