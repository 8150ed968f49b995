#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/lent_bytes.h"
#include "model/due_time.h"
#include "model/execution_id.h"
#include "model/ids.h"
#include "model/state.h"
#include "service/execution_info.h"
#include "service/indexes.h"

namespace ff::service {

/// What a submitter asks for.
struct NewExecution {
    /// Minted if absent.
    std::optional<model::ExecutionId> execution_id{};
    /// The flow in whose partition an id is minted; without it the lane decides.
    std::optional<model::FlowId> colocate_with_flow{};
    /// Where an id is minted, past flow and lane.
    std::optional<std::uint16_t> partition{};
    model::Namespace ns;
    model::LaneId lane;
    std::string execution_kind{};
    LentBytes payload{};
    std::string payload_encoding{};
    /// Absent: what the policy says, then what the lane says, then 0.
    std::optional<std::int64_t> priority{};
    std::string creator_identity{};
    std::optional<model::IdempotencyKey> idempotency_key{};
    Tags tags{};
    /// JSON text as given. What it does not say the lane says, and then the server.
    std::string policy_json{};
    std::optional<model::DueTime> delay_until{};
    std::optional<model::DueTime> execution_deadline{};
    bool hold_for_dependencies = false;
    /// Budgets and a quota that the policy names may be created later.
    bool allow_missing_budget = false;
};

struct CreatedExecution {
    /// The id or the idempotency key already named this execution.
    bool duplicate = false;
    model::ExecutionId execution_id;
    model::PublicState public_state = model::PublicState::Waiting;
    /// Nothing if it is gone by now.
    std::optional<Life> life{};
};

}  // namespace ff::service
