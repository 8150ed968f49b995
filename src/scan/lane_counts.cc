#include "scan/lane_counts.h"

#include <string>
#include <utility>

#include "base/hash.h"
#include "model/global_keys.h"
#include "model/lane_counts.h"
#include "scan/set_walk.h"

namespace ff::scan {
namespace asio = boost::asio;

asio::awaitable<void> LaneCounts::cycle(Cycle& cycle) {
    const Shard& shard = cycle.options().shard;
    std::vector<std::uint16_t> partitions = cycle.territory().occupied();
    if (shard.count > 1) {
        // Other servers know which of the others are empty; this one reads them all.
        partitions.clear();
        for (std::uint32_t p = 0; p < cycle.partitions().num_flow_partitions(); ++p) {
            partitions.push_back(static_cast<std::uint16_t>(p));
        }
    }
    const std::vector<model::LaneId> lanes = cycle.lanes();
    for (const model::LaneId& lane : lanes) {
        if (cycle.stopping()) co_return;
        if (shard.has(crc16(lane.text()))) co_await count(cycle, lane, partitions);
    }
}

asio::awaitable<void> LaneCounts::count(Cycle& cycle, model::LaneId lane,
                                        std::vector<std::uint16_t> partitions) {
    model::IndexSums sums{};
    for (std::size_t from = 0; from < partitions.size(); from += kPlacesAtOnce) {
        std::vector<store::Call> reads;
        for (std::size_t i = from; i < partitions.size() && i < from + kPlacesAtOnce; ++i) {
            const model::LaneKeys keys(model::PartitionKey::flow(partitions[i]), lane);
            for (const model::CountedIndex& index : model::kCountedIndexes) {
                reads.push_back(store::plain({"ZCARD", (keys.*index.key)()}, true));
            }
        }
        const auto counts = co_await cycle.store().pipeline(std::move(reads));
        for (std::size_t i = 0; i < counts.size(); ++i) {
            if (!counts[i]) {
                // Half a count would be a wrong one.
                cycle.unread(counts[i].error());
                co_return;
            }
            sums[i % sums.size()] += counts[i]->to_integer().value_or(0);
        }
    }
    store::Call write;
    write.command.arg("HSET").arg(model::lane_counts_key(lane));
    for (const auto& [state, executions] : model::counts_by_state(sums)) {
        write.command.arg(state).arg(std::to_string(executions));
        cycle.probe().queue_depth(lane, state, static_cast<std::uint64_t>(executions));
    }
    write.resend_safe = true;
    const auto written = co_await cycle.store().call(std::move(write));
    if (!written) cycle.unread(written.error());
    if (written) cycle.succeeded(lane.text());
}

}  // namespace ff::scan
