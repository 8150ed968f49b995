#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/task.h"
#include "model/ids.h"
#include "store/store.h"

namespace ff::sched {

enum class LaneState : std::uint8_t { Active, Paused, Draining, Disabled };

std::string_view to_string(LaneState state);
std::optional<LaneState> parse_lane_state(std::string_view text);

/// What a lane's configuration says to the claim path; a lane without one is active, weight 1.
struct LaneConfig {
    LaneState state = LaneState::Active;
    std::uint32_t weight = 1;
    /// For executions that come without a priority of their own.
    std::optional<std::int64_t> default_priority{};
    /// What the policies of its executions are laid over: what the lane says, over what the server
    /// says.
    std::string default_policy_json{};

    bool gives_work() const { return state == LaneState::Active || state == LaneState::Draining; }
    bool takes_work() const { return state == LaneState::Active || state == LaneState::Paused; }
};

/// Lane and namespace settings, at most `kFreshFor` late. Lives on one loop.
class LaneDirectory {
  public:
    static constexpr std::chrono::seconds kFreshFor{1};
    static constexpr std::size_t kEntriesMax = 4096;

    /// The policy is what every lane's default is laid over; empty: none.
    LaneDirectory(const Clock& clock, store::Store& store, std::string server_policy_json = {})
        : clock_(clock), store_(store), server_policy_json_(std::move(server_policy_json)) {}

    Task<LaneConfig> lane(model::LaneId lane);
    /// The scheduling weight of a namespace.
    Task<std::uint32_t> namespace_weight(std::string ns);
    /// Forgets what is known of a lane, for whoever has just changed it.
    void forget(const model::LaneId& lane) { lanes_.erase(lane.text()); }

  private:
    template <class Value>
    struct Cached {
        Value value{};
        Timestamp loaded_at{};
    };
    template <class Value>
    const Value* fresh(const std::map<std::string, Cached<Value>>& from,
                       const std::string& name) const;
    template <class Value>
    void keep(std::map<std::string, Cached<Value>>& in, const std::string& name, Value value);
    std::string policy_over_server(const std::optional<std::int64_t>& lane_priority,
                                   std::string lane_policy) const;

    const Clock& clock_;
    store::Store& store_;
    std::string server_policy_json_;
    std::map<std::string, Cached<LaneConfig>> lanes_{};
    std::map<std::string, Cached<std::uint32_t>> namespaces_{};
};

}  // namespace ff::sched
