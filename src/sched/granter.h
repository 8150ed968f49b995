#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/task.h"
#include "engine/grant.h"
#include "model/capability_set.h"
#include "model/solo_partition.h"
#include "sched/admission.h"
#include "sched/candidate.h"
#include "sched/lane_directory.h"
#include "sched/rotation.h"
#include "store/store.h"

namespace ff::sched {

struct GrantSearch {
    model::LaneId lane;
    model::WorkerId worker_id;
    model::WorkerInstanceId worker_instance_id;
    model::CapabilitySet capabilities{};
    Millis grant_ttl{5'000};
};

struct FoundGrant {
    model::ExecutionId execution_id;
    model::LaneId lane;
    engine::Grant grant{};
};

/// Finds work for a worker that claims against the store itself: asks capability, budgets and
/// quotas, and leaves a grant. Lives on one loop.
class Granter {
  public:
    /// Over how many partitions a lane is spread.
    using SpreadOf = std::function<std::uint16_t(const model::LaneId&)>;

    /// Without `spread_of` every lane has one partition.
    Granter(store::Store& store, const model::SoloPartitioner& partitioner,
            model::PartitionConfig partitions, LaneDirectory& lanes, Admission& admission,
            SpreadOf spread_of = {})
        : store_(store),
          partitioner_(partitioner),
          partitions_(partitions),
          lanes_(lanes),
          admission_(admission),
          spread_of_(std::move(spread_of)) {}

    /// Nothing if no partition it looked at has work for this worker.
    Task<std::optional<FoundGrant>> find(GrantSearch search);
    /// A partition where work for a lane has just appeared.
    void on_wake(const std::string& lane, std::uint16_t partition);

  private:
    static constexpr std::size_t kDepth = 16;
    static constexpr std::size_t kHintsMax = 4096;

    std::vector<std::uint16_t> partition_order(const GrantSearch& search, Timestamp now);
    Task<std::optional<FoundGrant>> grant_in(const GrantSearch& search, std::uint16_t partition,
                                             Timestamp now);
    Task<std::optional<FoundGrant>> try_candidate(const GrantSearch& search, Candidate candidate,
                                                  Timestamp now);
    Task<std::optional<FoundGrant>> grant_lost(const GrantSearch& search, std::uint16_t partition,
                                               Timestamp now);
    Task<Done> block_for_route(const GrantSearch& search, const Candidate& candidate,
                               std::string missing_csv);
    engine::GrantRequest request_for(const GrantSearch& search, const model::ExecutionId& id) const;

    store::Store& store_;
    const model::SoloPartitioner& partitioner_;
    model::PartitionConfig partitions_;
    LaneDirectory& lanes_;
    Admission& admission_;
    SpreadOf spread_of_;
    /// Of a spread lane another partition is the first each time.
    std::uint16_t turn_ = 0;
    Rotation rotation_{};
    std::set<std::pair<std::string, std::uint16_t>> hints_{};
    /// Lost work that a capability set cannot run, until when it is passed over.
    std::map<std::pair<std::string, std::string>, Timestamp> incapable_{};
};

}  // namespace ff::sched
