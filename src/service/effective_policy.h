#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/execution_policy.h"
#include "sched/lane_directory.h"

namespace ff::service {

/// The policy that an execution is created with.
struct EffectivePolicy {
    /// As it is stored; empty for none.
    std::string text{};
    model::ExecutionPolicy policy{};
    std::int64_t priority = 0;
};

/// What the creator says, over what the lane says, over what the server says, member by member
/// (spec 06 section 7). Every way of creating an execution comes through here. A policy that the
/// creator brings may have no member that is not known.
Result<EffectivePolicy> effective_policy(std::string_view given,
                                         std::optional<std::int64_t> given_priority,
                                         const sched::LaneConfig& lane);

}  // namespace ff::service
