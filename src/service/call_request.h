#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "engine/fence.h"
#include "engine/steps.h"
#include "model/execution_id.h"
#include "model/ids.h"
#include "service/indexes.h"

namespace ff::service {

/// A child that an execution calls; its namespace and partition are those of its parent.
struct CalledExecution {
    std::string name{};
    std::string execution_kind{};
    /// That of the parent if absent.
    std::optional<model::LaneId> lane{};
    Bytes payload{};
    std::string payload_encoding{};
    std::optional<std::int64_t> priority{};
    Tags tags{};
    std::string policy_json{};
    bool allow_missing_budget = false;
};

struct CallRequest {
    model::ExecutionId execution_id;
    engine::Fence fence;
    bool continue_on_failure = false;
    std::vector<CalledExecution> children{};
    std::vector<engine::Step> steps{};
};

}  // namespace ff::service
