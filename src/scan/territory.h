#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/deadline.h"
#include "base/steady_clock.h"
#include "base/task.h"
#include "model/ids.h"
#include "model/partition.h"
#include "scan/options.h"
#include "store/store.h"

namespace ff::scan {

/// Where there is anything to scan: the lanes, and those partitions of this server's share that
/// hold an execution, a flow or a quota place to give back. A partition with none of these has
/// nothing in any index, so one look at it stands for the looks of all scanners. Lives on one loop.
class Territory {
  public:
    /// How late it learns that a partition is no longer empty, unless it is told.
    static constexpr Millis kLookEvery{2'000};
    /// How late it learns that one has become empty, which only costs reads.
    static constexpr Millis kForgetEvery{60'000};
    static constexpr Millis kLanesEvery{1'000};

    Territory(store::Store& store, const Options& options);

    /// Looks again where it is time to. What cannot be read stays as it was, and the first failure
    /// is the outcome.
    Task<Done> refresh();
    /// Looks at all lanes, and at all partitions that were empty when last seen, whatever the time.
    Task<Done> look_now();
    /// Whether it has looked at all of them so short a time ago.
    bool looked_within(Millis span) const;
    /// There is something in the partition.
    void touch(std::uint16_t partition);

    const std::vector<model::LaneId>& lanes() const { return lanes_; }
    /// Of the family Flow.
    std::vector<std::uint16_t> occupied() const;
    /// All partitions of a family that are this server's to scan.
    std::vector<std::uint16_t> share(model::PartitionFamily family) const;
    /// Of the family Flow, whatever was seen there last.
    std::vector<std::uint16_t> share() const { return share(model::PartitionFamily::Flow); }

  private:
    Task<Done> look_at_lanes();
    Task<Done> look_at_partitions(bool at_all);

    store::Store& store_;
    const Options& options_;
    std::vector<model::LaneId> lanes_{};
    std::vector<bool> occupied_{};
    Deadline lanes_due_ = Deadline::after(Millis(0));
    Deadline look_due_ = Deadline::after(Millis(0));
    Deadline forget_due_ = Deadline::after(Millis(0));
    std::optional<SteadyClock::time_point> looked_at_{};
};

}  // namespace ff::scan
