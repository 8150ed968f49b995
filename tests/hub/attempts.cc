#include "hub/attempts.h"

#include <stdexcept>

#include "engine/end_execution.h"

namespace ff::testing {

engine::ClaimedTask claim_one(World& world, const model::LaneId& lane,
                              const model::ExecutionId& execution) {
    engine::ClaimBatch claim{.partition = execution.partition(),
                             .worker_id = *model::WorkerId::parse("pool"),
                             .worker_instance_id = *model::WorkerInstanceId::parse("pool-1"),
                             .lane = lane,
                             .lease_ttl = Millis(120'000),
                             .request_id = model::Uuid::mint_v4(world.random()).to_string(),
                             .leases = {{.lease_id = model::LeaseId::mint(world.random()),
                                         .attempt_id = model::AttemptId::mint(world.random())}}};
    engine::ClaimedBatch batch = world.must(std::move(claim));
    if (batch.claimed.size() != 1) throw std::runtime_error("nothing to claim");
    return std::move(batch.claimed.front());
}

Attempt start_attempt(World& world, std::string_view lane_name) {
    model::LaneId lane = world.lane(lane_name);
    const model::ExecutionId execution = world.create(lane);
    engine::ClaimedTask task = claim_one(world, lane, execution);
    return {.lane = std::move(lane), .task = std::move(task)};
}

engine::AppendFrames frames_of(const Attempt& attempt, int first, int count) {
    engine::AppendFrames frames{.stream = attempt.stream(), .fence = attempt.task.fence};
    for (int i = first; i < first + count; ++i) {
        frames.frames.push_back({.type = "token", .payload = std::to_string(i)});
    }
    return frames;
}

void append(World& world, const Attempt& attempt, int first, int count) {
    world.must(frames_of(attempt, first, count));
}

void complete(World& world, const Attempt& attempt) {
    world.must(engine::CompleteExecution{.execution_id = attempt.task.execution_id,
                                         .fence = attempt.task.fence});
}

std::string payload_of(const engine::StreamEntry& entry) {
    for (const auto& [name, value] : entry.fields) {
        if (name == "payload") return std::string(value);
    }
    return {};
}

}  // namespace ff::testing
