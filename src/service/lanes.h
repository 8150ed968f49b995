#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/task.h"
#include "model/ids.h"
#include "model/lane_counts.h"
#include "sched/lane_directory.h"
#include "service/context.h"
#include "service/indexes.h"

namespace ff::service {

struct LaneView {
    model::LaneId lane_id;
    sched::LaneState state = sched::LaneState::Active;
    std::uint32_t scheduling_weight = 1;
    std::optional<std::int64_t> default_priority{};
    /// JSON text; empty when there is none.
    std::string default_policy_json{};
    /// Executions by state.
    std::map<std::string, std::int64_t> counts{};
};

/// What to change; what is absent stays.
struct LaneChange {
    model::LaneId lane_id;
    std::optional<sched::LaneState> state{};
    std::optional<std::int64_t> scheduling_weight{};
    std::optional<std::int64_t> default_priority{};
    std::optional<std::string> default_policy_json{};
};

/// Queues by name: what they accept, and how they share workers (spec 06, section 7). Lives on the
/// context's loop.
class Lanes {
  public:
    /// `configured` are served whether or not the store knows them.
    Lanes(const Context& context, Indexes& indexes, std::vector<model::LaneId> configured);

    /// In the order of their ids, with counts as the scanner last made them. `count_now` makes them
    /// anew, unless there are so many lanes that this would hold up the store.
    Task<std::vector<LaneView>> list(bool count_now = false);
    Task<Done> set(LaneChange change);
    /// Forgets a disabled lane in which nothing is left to do, `lane_in_use` otherwise. False when
    /// there was none.
    Task<bool> remove(model::LaneId lane);
    /// Enters the configured lanes in the index, as every boot does.
    Task<Done> register_configured();

  private:
    Task<std::vector<model::LaneId>> known();
    Task<bool> enter(model::LaneId lane);
    /// How many executions stand in each index of a lane, over all partitions.
    Task<model::IndexSums> count(model::LaneId lane);
    Task<Done> require_disabled(model::LaneId lane);
    /// `lane_in_use` while any execution of the lane is not over.
    Task<Done> require_empty(model::LaneId lane);
    /// This server and all others forget what they know of the lane.
    Task<Done> announce(model::LaneId lane);

    const Context& context_;
    Indexes& indexes_;
    std::vector<model::LaneId> configured_;
};

}  // namespace ff::service
