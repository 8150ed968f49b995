#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/ids.h"

namespace ff::sched {

/// Where a worker that claims from the store itself looks next: lanes in turn, and a window of
/// partitions that rolls on from poll to poll, so that neither a lane nor a partition is first for
/// ever (spec 06 section 11). Lives on one loop.
class DirectTurns {
  public:
    static constexpr std::uint16_t kWindow = 32;
    static constexpr std::size_t kWorkersMax = 4096;

    struct Turn {
        /// Every lane once, the one whose turn it is first.
        std::vector<model::LaneId> lanes{};
        /// At most kWindow partitions, none twice.
        std::vector<std::uint16_t> partitions{};
    };

    /// Where this poll looks. The next one goes on behind it.
    Turn begin(const model::WorkerInstanceId& worker, const std::vector<model::LaneId>& lanes,
               std::uint16_t partition_count);
    /// The poll found work there: the next one begins behind that lane and that partition.
    void took(const model::WorkerInstanceId& worker, const model::LaneId& lane,
              std::uint16_t partition);

  private:
    struct Position {
        /// The lane that has had its turn.
        std::string last_lane{};
        std::uint32_t next_partition = 0;
    };
    std::map<std::string, Position> positions_{};
};

}  // namespace ff::sched
