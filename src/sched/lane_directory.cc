#include "sched/lane_directory.h"

#include <algorithm>
#include <optional>

#include "model/global_keys.h"
#include "model/policy_merge.h"
#include "sched/fair_shares.h"

namespace ff::sched {
namespace {

std::uint32_t weight_of(const store::Reply& text) {
    const auto number = text.to_integer();
    if (!number) return 1;
    return static_cast<std::uint32_t>(
        std::clamp<std::int64_t>(*number, 1, FairShares::kWeightMost));
}

}  // namespace

std::string_view to_string(LaneState state) {
    switch (state) {
        case LaneState::Active:
            return "active";
        case LaneState::Paused:
            return "paused";
        case LaneState::Draining:
            return "draining";
        case LaneState::Disabled:
            return "disabled";
    }
    return {};
}

std::optional<LaneState> parse_lane_state(std::string_view text) {
    for (const LaneState state :
         {LaneState::Active, LaneState::Paused, LaneState::Draining, LaneState::Disabled}) {
        if (to_string(state) == text) return state;
    }
    return std::nullopt;
}

template <class Value>
const Value* LaneDirectory::fresh(const std::map<std::string, Cached<Value>>& from,
                                  const std::string& name) const {
    const auto found = from.find(name);
    if (found == from.end() || clock_.now() >= found->second.loaded_at + kFreshFor) return nullptr;
    return &found->second.value;
}

template <class Value>
void LaneDirectory::keep(std::map<std::string, Cached<Value>>& in, const std::string& name,
                         Value value) {
    if (in.size() >= kEntriesMax) in.clear();
    in[name] = Cached<Value>{.value = std::move(value), .loaded_at = clock_.now()};
}

/// A lane's default priority counts more than that of the server's policy, and less than that of
/// its own. What cannot be merged stays as the lane has it: whoever creates an execution is told.
std::string LaneDirectory::policy_over_server(const std::optional<std::int64_t>& lane_priority,
                                              std::string lane_policy) const {
    if (server_policy_json_.empty()) return lane_policy;
    std::string below = server_policy_json_;
    if (lane_priority) {
        const std::string priority = R"({"priority":)" + std::to_string(*lane_priority) + "}";
        Result<std::string> with_priority = model::merge_policies(priority, below);
        if (with_priority) below = *std::move(with_priority);
    }
    Result<std::string> merged = model::merge_policies(lane_policy, below);
    return merged ? *std::move(merged) : lane_policy;
}

Task<LaneConfig> LaneDirectory::lane(model::LaneId lane) {
    if (const LaneConfig* known = fresh(lanes_, lane.text())) co_return *known;
    const std::string key = model::lane_config_key(lane);
    store::Call read = store::plain(
        {"HMGET", key, "state", "scheduling_weight", "default_priority", "default_policy_json"},
        true);
    FF_CO_TRY(const store::Reply reply, co_await store_.call(std::move(read)));
    const auto values = reply.items();
    LaneConfig config;
    if (values.size() == 4) {
        const auto state = parse_lane_state(values[0].text().value_or("active"));
        config.state = state.value_or(LaneState::Active);
        config.weight = weight_of(values[1]);
        config.default_priority = values[2].to_integer();
        config.default_policy_json =
            policy_over_server(config.default_priority, std::string(values[3].text().value_or("")));
    }
    keep(lanes_, lane.text(), config);
    co_return config;
}

Task<std::uint32_t> LaneDirectory::namespace_weight(std::string ns) {
    if (const std::uint32_t* known = fresh(namespaces_, ns)) co_return *known;
    const auto name = model::Namespace::parse(ns);
    if (!name) co_return std::uint32_t{1};
    const std::string key = model::namespace_config_key(*name);
    store::Call read = store::plain({"HGET", key, "scheduling_weight"}, true);
    FF_CO_TRY(const store::Reply reply, co_await store_.call(std::move(read)));
    const std::uint32_t weight = weight_of(reply);
    keep(namespaces_, ns, weight);
    co_return weight;
}

}  // namespace ff::sched
