#pragma once

#include <cstdint>
#include <vector>

#include "contract/scheduling.h"
#include "twin/world.h"

namespace ff::twin {

/// Submitters and workers that send many tasks in one call. They keep to one size for a while, and
/// then to another: code that was compiled for one must serve the next.
class Batches {
  public:
    explicit Batches(World& world) : world_(world) {}

    /// How many tasks the calls to come have; at most kTasksMax.
    void set_size(std::uint64_t size) { size_ = size; }
    static constexpr std::uint64_t kTasksMax = 1000;

    /// One call, whichever of the three is due.
    void step(Partition& partition);
    /// Leases of a partition that is gone are worth nothing.
    void forget() { held_.clear(); }

  private:
    void create(Partition& partition);
    void claim(Partition& partition);
    void complete_and_claim(Partition& partition);
    void remember(const RespValue& claim_reply);
    List claim_args(std::uint64_t tasks);
    List lane_keys(const Partition& partition) const;

    World& world_;
    std::uint64_t size_ = 1;
    /// Created in batches and not claimed yet, about.
    std::int64_t waiting_ = 0;
    std::vector<contract::ClaimedTask> held_{};
};

}  // namespace ff::twin
