#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/task.h"
#include "model/ids.h"
#include "sched/lane_directory.h"
#include "service/context.h"

namespace ff::service {

struct LaneView {
    model::LaneId lane_id;
    sched::LaneState state = sched::LaneState::Active;
    std::uint32_t scheduling_weight = 1;
    std::optional<std::int64_t> default_priority{};
    /// JSON text; empty when there is none.
    std::string default_policy_json{};
    /// Executions by state, as the scanner last counted them.
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

/// Queues by name: what they accept, and how they share workers (spec 06, section 7).
class Lanes {
  public:
    /// `configured` are served whether or not the store knows them.
    Lanes(const Context& context, std::vector<model::LaneId> configured);

    /// In the order of their ids.
    Task<std::vector<LaneView>> list();
    Task<Done> set(LaneChange change);
    /// Enters the configured lanes in the index, as every boot does.
    Task<Done> register_configured();

  private:
    Task<std::vector<model::LaneId>> known();

    const Context& context_;
    std::vector<model::LaneId> configured_;
};

}  // namespace ff::service
