#include "scan/territory.h"

#include <algorithm>
#include <utility>

#include "base/steady_clock.h"
#include "model/flow_keys.h"
#include "model/global_keys.h"
#include "model/index_keys.h"

namespace ff::scan {
namespace {

constexpr std::size_t kReadsPerPartition = 3;

}  // namespace

Territory::Territory(store::Store& store, const Options& options)
    : store_(store),
      options_(options),
      lanes_(options.lanes),
      occupied_(options.partitions.num_flow_partitions(), false) {}

Task<Done> Territory::refresh() {
    // The times are moved on first: whoever comes meanwhile need not look as well.
    Result<Done> outcome = Done{};
    if (lanes_due_.passed()) {
        lanes_due_ = Deadline::after(kLanesEvery);
        outcome = co_await look_at_lanes();
    }
    if (look_due_.passed()) {
        look_due_ = Deadline::after(kLookEvery);
        const bool at_all = forget_due_.passed();
        if (at_all) forget_due_ = Deadline::after(kForgetEvery);
        Result<Done> looked = co_await look_at_partitions(at_all);
        if (outcome.has_value()) outcome = std::move(looked);
    }
    co_return outcome;
}

Task<Done> Territory::look_now() {
    const auto begun = SteadyClock::now();
    FF_CO_CHECK(co_await look_at_lanes());
    FF_CO_CHECK(co_await look_at_partitions(false));
    looked_at_ = begun;
    co_return Done{};
}

bool Territory::looked_within(Millis span) const {
    return looked_at_ && SteadyClock::now() - *looked_at_ < span;
}

Task<Done> Territory::look_at_lanes() {
    store::Call read = store::plain({"SMEMBERS", model::kLanesKey}, true);
    FF_CO_TRY(const store::Reply reply, co_await store_.call(std::move(read)));
    std::vector<model::LaneId> lanes = options_.lanes;
    for (const store::Reply& member : reply.items()) {
        const auto lane = model::LaneId::parse(member.text().value_or(""));
        if (lane && std::ranges::find(lanes, *lane) == lanes.end()) lanes.push_back(*lane);
    }
    lanes_ = std::move(lanes);
    co_return Done{};
}

Task<Done> Territory::look_at_partitions(bool at_all) {
    std::vector<std::uint16_t> looked_at;
    std::vector<store::Call> reads;
    for (const std::uint16_t partition : share()) {
        if (occupied_[partition] && !at_all) continue;
        const model::IndexKeys keys(partition);
        const model::FlowIndexKeys flows(model::PartitionKey::flow(partition));
        reads.push_back(store::plain({"SCARD", keys.all_executions()}, true));
        reads.push_back(store::plain({"ZCARD", flows.flows_by_time()}, true));
        reads.push_back(store::plain({"SCARD", keys.quota_release()}, true));
        looked_at.push_back(partition);
    }
    if (reads.empty()) co_return Done{};
    const std::vector<Result<store::Reply>> counts = co_await store_.pipeline(std::move(reads));
    Result<Done> outcome = Done{};
    for (std::size_t i = 0; i < looked_at.size(); ++i) {
        std::int64_t found = 0;
        for (std::size_t j = 0; j < kReadsPerPartition; ++j) {
            const Result<store::Reply>& count = counts[i * kReadsPerPartition + j];
            // A read error is not absence.
            found += count ? count->to_integer().value_or(1) : 1;
            if (!count && outcome.has_value()) outcome = count.error();
        }
        occupied_[looked_at[i]] = found > 0;
    }
    co_return outcome;
}

void Territory::touch(std::uint16_t partition) {
    if (partition < occupied_.size()) occupied_[partition] = true;
}

std::vector<std::uint16_t> Territory::occupied() const {
    std::vector<std::uint16_t> partitions;
    for (const std::uint16_t partition : share()) {
        if (occupied_[partition]) partitions.push_back(partition);
    }
    return partitions;
}

std::vector<std::uint16_t> Territory::share(model::PartitionFamily family) const {
    std::vector<std::uint16_t> partitions;
    for (std::uint32_t p = 0; p < options_.partitions.count(family); ++p) {
        const auto partition = static_cast<std::uint16_t>(p);
        if (options_.shard.has(partition)) partitions.push_back(partition);
    }
    return partitions;
}

}  // namespace ff::scan
