#include "service/lanes.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/log.h"
#include "model/execution_policy.h"
#include "model/global_keys.h"
#include "sched/fair_shares.h"
#include "sched/wake_listener.h"

namespace ff::service {
namespace {

constexpr std::int64_t kPriorityMost = 9000;

Result<Done> check(const LaneChange& change) {
    const auto weight = change.scheduling_weight.value_or(1);
    if (weight < 1 || weight > sched::FairShares::kWeightMost)
        return invalid_input("scheduling_weight", "out_of_range");
    const auto priority = change.default_priority.value_or(0);
    if (priority < 0 || priority > kPriorityMost)
        return invalid_input("default_priority", "out_of_range");
    if (change.default_policy_json && !change.default_policy_json->empty()) {
        const auto policy = model::ExecutionPolicy::parse(*change.default_policy_json);
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

Lanes::Lanes(const Context& context, std::vector<model::LaneId> configured)
    : context_(context), configured_(std::move(configured)) {}

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

Task<std::vector<LaneView>> Lanes::list() {
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
    }
    co_return views;
}

Task<Done> Lanes::set(LaneChange change) {
    FF_CO_CHECK(check(change));
    const std::string key = model::lane_config_key(change.lane_id);
    const std::string now = to_string(context_.clock.now());
    store::Call write =
        store::plain({"HSET", key, "lane_id", change.lane_id.text(), "updated_at", now}, true);
    const auto add = [&write](std::string_view name, const std::string& value) {
        write.command.arg(name);
        write.command.arg(value);
    };
    if (change.state) add("state", std::string(sched::to_string(*change.state)));
    if (change.scheduling_weight)
        add("scheduling_weight", std::to_string(*change.scheduling_weight));
    if (change.default_priority) add("default_priority", std::to_string(*change.default_priority));
    if (change.default_policy_json) add("default_policy_json", *change.default_policy_json);
    FF_CO_CHECK(co_await context_.store.call(std::move(write)));
    store::Call created = store::plain({"HSETNX", key, "created_at", now}, true);
    FF_CO_CHECK(co_await context_.store.call(std::move(created)));
    store::Call enter = store::plain({"SADD", model::kLanesKey, change.lane_id.text()}, true);
    FF_CO_CHECK(co_await context_.store.call(std::move(enter)));
    context_.claimer.lanes().forget(change.lane_id);
    // Work that waited behind a paused lane was announced to nobody, on this server or another.
    store::Call tell =
        store::plain({"PUBLISH", model::wake_channel(change.lane_id), sched::kLaneChanged}, true);
    FF_CO_CHECK(co_await context_.store.call(std::move(tell)));
    co_return Done{};
}

Task<Done> Lanes::register_configured() {
    store::Call enter = store::plain({"SADD", model::kLanesKey}, true);
    for (const model::LaneId& lane : configured_) enter.command.arg(lane.text());
    FF_CO_CHECK(co_await context_.store.call(std::move(enter)));
    co_return Done{};
}

}  // namespace ff::service
