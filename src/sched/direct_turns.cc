#include "sched/direct_turns.h"

#include <algorithm>

#include "model/partition.h"

namespace ff::sched {

DirectTurns::Turn DirectTurns::begin(const model::WorkerInstanceId& worker,
                                     const std::vector<model::LaneId>& lanes,
                                     std::uint16_t partition_count) {
    if (positions_.size() >= kWorkersMax && !positions_.contains(worker.text())) positions_.clear();
    const auto [found, is_first] = positions_.try_emplace(worker.text());
    Position& position = found->second;
    if (is_first) position.next_partition = model::direct_claim_start(worker, partition_count);
    Turn turn{.lanes = lanes};
    const auto last = std::ranges::find(turn.lanes, position.last_lane, &model::LaneId::text);
    if (last != turn.lanes.end()) std::ranges::rotate(turn.lanes, std::next(last));
    const std::uint16_t width = std::min(kWindow, partition_count);
    for (std::uint16_t i = 0; i < width; ++i) {
        const std::uint32_t place = (position.next_partition + i) % partition_count;
        turn.partitions.push_back(static_cast<std::uint16_t>(place));
    }
    position.next_partition = (position.next_partition + width) % partition_count;
    return turn;
}

void DirectTurns::took(const model::WorkerInstanceId& worker, const model::LaneId& lane,
                       std::uint16_t partition) {
    const auto found = positions_.find(worker.text());
    if (found == positions_.end()) return;
    found->second = {.last_lane = lane.text(), .next_partition = partition + 1U};
}

}  // namespace ff::sched
