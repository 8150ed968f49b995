#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/task.h"
#include "base/time.h"
#include "model/capability_set.h"
#include "model/execution_id.h"
#include "model/ids.h"
#include "store/store.h"

namespace ff::sched {

/// An execution that could be granted, as its record says.
struct Candidate {
    model::ExecutionId execution_id;
    double score = 0;
    /// From a route queue: it must be unblocked before it can be granted.
    bool from_route = false;
    std::string ns{};
    std::string flow_id{};
    std::string required_csv{};
    std::string budget_ids_csv{};
    std::string quota_policy_id{};
    /// Under which quotas are asked for its next run.
    std::int64_t admission_epoch = 1;
    std::optional<Timestamp> grant_until{};
};

/// Where to look for work, and for whom.
struct CandidateSearch {
    std::uint16_t partition = 0;
    model::LaneId lane;
    model::CapabilitySet capabilities{};
    /// Members read from the head of each queue.
    std::size_t depth = 16;
};

/// The heads of the eligible queue and of every route queue that the capabilities cover, best
/// first. Two round trips.
Task<std::vector<Candidate>> find_candidates(store::Store& store, CandidateSearch search);

/// Executions of the lane whose lease was lost, from a position that moves with time.
Task<std::vector<model::ExecutionId>> find_lost(store::Store& store, CandidateSearch search,
                                                Timestamp now);

}  // namespace ff::sched
