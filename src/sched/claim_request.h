#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/claim_batch.h"
#include "model/capability_set.h"
#include "model/ids.h"

namespace ff::sched {

/// What a worker asks for.
struct ClaimRequest {
    static constexpr std::size_t kTasksMost = 256;

    model::WorkerId worker_id;
    model::WorkerInstanceId worker_instance_id;
    /// At least one.
    std::vector<model::LaneId> lanes{};
    model::CapabilitySet capabilities{};
    std::optional<model::Namespace> only_namespace{};
    /// 1 to kTasksMost.
    std::size_t tasks_max = 1;
    /// How long to wait for work if there is none.
    Millis wait{0};
    Millis lease_ttl{30'000};
    std::optional<std::int64_t> payload_bytes_max{};
    /// The same id while its leases last gives the same tasks, and claims nothing new.
    std::string claim_id{};
};

/// A task and the lane it came from.
struct LaneTask {
    model::LaneId lane;
    engine::ClaimedTask task;
};

}  // namespace ff::sched
