#pragma once

#include <string>
#include <vector>

#include "engine/claim_batch.h"
#include "engine/stream_read.h"
#include "sched/world.h"

namespace ff::testing {

/// An execution that a worker holds.
struct Attempt {
    model::LaneId lane;
    engine::ClaimedTask task;

    engine::StreamAddress stream() const {
        return {.execution_id = task.execution_id, .attempt_index = task.attempt_index};
    }
};

/// Claims what waits in a partition.
engine::ClaimedTask claim_one(World& world, const model::LaneId& lane,
                              const model::ExecutionId& execution);
/// A new execution on a lane of that name, claimed.
Attempt start_attempt(World& world, std::string_view lane_name);
/// Durable frames whose payloads are their numbers.
engine::AppendFrames frames_of(const Attempt& attempt, int first, int count);
void append(World& world, const Attempt& attempt, int first, int count);
void complete(World& world, const Attempt& attempt);
std::string payload_of(const engine::StreamEntry& entry);

}  // namespace ff::testing
