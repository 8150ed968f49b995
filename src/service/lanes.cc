#include "service/lanes.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "base/log.h"
#include "engine/lane.h"
#include "engine/operation.h"
#include "model/error_catalogue.h"
#include "model/execution_policy.h"
#include "model/global_keys.h"
#include "model/lane_counts.h"
#include "sched/claimer.h"
#include "sched/fair_shares.h"
#include "sched/wake_listener.h"

namespace ff::service {
namespace {

constexpr std::int64_t kPriorityMost = 9000;
constexpr std::uint32_t kPartitionsAtOnce = 64;

/// Lanes whose executions are counted for one answer. With more of them the scanner's counts do.
constexpr std::size_t kCountedMost = 32;

Result<Done> check(const LaneChange& change) {
    const auto weight = change.scheduling_weight.value_or(1);
    if (weight < 1 || weight > sched::FairShares::kWeightMost)
        return invalid_input("scheduling_weight", "out_of_range");
    const auto priority = change.default_priority.value_or(0);
    if (priority < 0 || priority > kPriorityMost)
        return invalid_input("default_priority", "out_of_range");
    if (change.default_policy_json && !change.default_policy_json->empty()) {
        const auto policy = model::ExecutionPolicy::parse_given(*change.default_policy_json);
        if (!policy.has_value()) return policy.error();
    }
    return Done{};
}

LaneView view_of(const model::LaneId& lane, const store::Reply& config,
                 const store::Reply& counts) {
    LaneView view{.lane_id = lane};
    const auto values = config.items();
    if (values.size() == 4) {
        view.state = sched::parse_lane_state(values[0].text().value_or("active"))
                         .value_or(sched::LaneState::Active);
        const std::int64_t weight = values[1].to_integer().value_or(1);
        view.scheduling_weight = static_cast<std::uint32_t>(
            std::clamp<std::int64_t>(weight, 1, sched::FairShares::kWeightMost));
        view.default_priority = values[2].to_integer();
        view.default_policy_json = std::string(values[3].text().value_or(""));
    }
    const auto pairs = counts.items();
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2)
        view.counts[std::string(pairs[i].text().value_or(""))] =
            pairs[i + 1].to_integer().value_or(0);
    return view;
}

}  // namespace

Lanes::Lanes(const Context& context, Indexes& indexes, std::vector<model::LaneId> configured)
    : context_(context), indexes_(indexes), configured_(std::move(configured)) {}

Task<std::vector<model::LaneId>> Lanes::known() {
    store::Call read = store::plain({"SMEMBERS", model::kLanesKey}, true);
    FF_CO_TRY(const store::Reply reply, co_await context_.store.call(std::move(read)));
    std::set<model::LaneId> lanes(configured_.begin(), configured_.end());
    for (const store::Reply& item : reply.items()) {
        auto lane = model::LaneId::parse(item.text().value_or(""));
        if (lane.has_value()) {
            lanes.insert(*std::move(lane));
        } else {
            log::warn("service", "lane_skipped", {{"error", lane.error().text()}});
        }
    }
    co_return std::vector<model::LaneId>(lanes.begin(), lanes.end());
}

Task<std::vector<LaneView>> Lanes::list(bool count_now) {
    FF_CO_TRY(const std::vector<model::LaneId> lanes, co_await known());
    std::vector<store::Call> calls;
    for (const model::LaneId& lane : lanes) {
        calls.push_back(
            store::plain({"HMGET", model::lane_config_key(lane), "state", "scheduling_weight",
                          "default_priority", "default_policy_json"},
                         true));
        calls.push_back(store::plain({"HGETALL", model::lane_counts_key(lane)}, true));
    }
    std::vector<Result<store::Reply>> replies = co_await context_.store.pipeline(std::move(calls));
    std::vector<LaneView> views;
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        FF_CO_TRY(const store::Reply config, std::move(replies[2 * i]));
        FF_CO_TRY(const store::Reply counts, std::move(replies[2 * i + 1]));
        views.push_back(view_of(lanes[i], config, counts));
        if (!count_now || lanes.size() > kCountedMost) continue;
        FF_CO_TRY(const model::IndexSums sums, co_await count(lanes[i]));
        for (const auto& [state, executions] : model::counts_by_state(sums))
            views.back().counts[std::string(state)] = executions;
    }
    co_return views;
}

Task<Done> Lanes::set(LaneChange change) {
    FF_CO_CHECK(check(change));
    engine::SetLane operation{.lane = change.lane_id,
                              .scheduling_weight = change.scheduling_weight,
                              .default_priority = change.default_priority,
                              .default_policy_json = change.default_policy_json};
    if (change.state) operation.state = sched::to_string(*change.state);
    FF_CO_CHECK(co_await engine::run(context_.store, std::move(operation)));
    FF_CO_CHECK(co_await enter(change.lane_id));
    co_return co_await announce(change.lane_id);
}

Task<bool> Lanes::enter(model::LaneId lane) {
    store::Call write = store::plain({"SADD", model::kLanesKey, lane.text()}, true);
    FF_CO_TRY(const store::Reply entered, co_await context_.store.call(std::move(write)));
    co_return entered.to_integer() == 1;
}

Task<Done> Lanes::announce(model::LaneId lane) {
    indexes_.forget(lane);
    context_.claimer.lanes().forget(lane);
    // Work that waited behind a paused lane was announced to nobody, on this server or another.
    store::Call tell =
        store::plain({"PUBLISH", model::wake_channel(lane), sched::kLaneChanged}, true);
    FF_CO_CHECK(co_await context_.store.call(std::move(tell)));
    co_return Done{};
}

Task<Done> Lanes::require_disabled(model::LaneId lane) {
    const std::string key = model::lane_config_key(lane);
    store::Call read = store::plain({"HMGET", key, "lane_id", "state"}, true);
    FF_CO_TRY(const store::Reply stored, co_await context_.store.call(std::move(read)));
    const auto values = stored.items();
    if (values.size() != 2 || values[0].is_null()) co_return Done{};
    const std::string state(values[1].text().value_or("active"));
    if (state != "disabled") co_return model::make_error("lane_in_use", {"state", state});
    co_return Done{};
}

Task<model::IndexSums> Lanes::count(model::LaneId lane) {
    model::IndexSums sums{};
    const std::uint16_t partitions = context_.rules.partitions.num_flow_partitions();
    for (std::uint32_t from = 0; from < partitions; from += kPartitionsAtOnce) {
        std::vector<store::Call> reads;
        const std::uint32_t end = std::min<std::uint32_t>(from + kPartitionsAtOnce, partitions);
        for (std::uint32_t i = from; i < end; ++i) {
            const model::LaneKeys keys(model::PartitionKey::flow(static_cast<std::uint16_t>(i)),
                                       lane);
            for (const model::CountedIndex& index : model::kCountedIndexes)
                reads.push_back(store::plain({"ZCARD", (keys.*index.key)()}, true));
        }
        const auto counts = co_await context_.store.pipeline(std::move(reads));
        for (std::size_t i = 0; i < counts.size(); ++i) {
            if (!counts[i]) co_return counts[i].error();
            sums[i % sums.size()] += counts[i]->to_integer().value_or(0);
        }
    }
    co_return sums;
}

Task<Done> Lanes::require_empty(model::LaneId lane) {
    FF_CO_TRY(const model::IndexSums sums, co_await count(std::move(lane)));
    const std::int64_t ended = sums.back();
    const std::int64_t left = std::accumulate(sums.begin(), sums.end(), -ended);
    if (left > 0) co_return model::make_error("lane_in_use", {"executions", std::to_string(left)});
    co_return Done{};
}

Task<bool> Lanes::remove(model::LaneId lane) {
    if (std::ranges::find(configured_, lane) != configured_.end()) {
        co_return model::make_error("lane_in_use", {"configured", "FF_LANES"});
    }
    FF_CO_CHECK(co_await require_disabled(lane));
    FF_CO_CHECK(co_await require_empty(lane));
    store::Call leave = store::plain({"SREM", model::kLanesKey, lane.text()}, true);
    FF_CO_CHECK(co_await context_.store.call(std::move(leave)));
    // Who did not know yet that the lane is disabled knows it now, and looks at the store before
    // the next create; what came in until then is counted below.
    FF_CO_CHECK(co_await announce(lane));
    Result<Done> empty = co_await require_empty(lane);
    if (!empty) {
        FF_CO_CHECK(co_await enter(lane));
        co_return std::move(empty).error();
    }
    engine::DeleteLane operation{.lane = lane};
    Result<bool> deleted = co_await engine::run(context_.store, std::move(operation));
    if (!deleted) {
        FF_CO_CHECK(co_await enter(lane));
        co_return std::move(deleted).error();
    }
    store::Call forget = store::plain({"DEL", model::lane_counts_key(lane)}, true);
    FF_CO_CHECK(co_await context_.store.call(std::move(forget)));
    FF_CO_CHECK(co_await announce(lane));
    co_return *deleted;
}

Task<Done> Lanes::register_configured() {
    store::Call enter = store::plain({"SADD", model::kLanesKey}, true);
    for (const model::LaneId& lane : configured_) enter.command.arg(lane.text());
    FF_CO_CHECK(co_await context_.store.call(std::move(enter)));
    co_return Done{};
}

}  // namespace ff::service
