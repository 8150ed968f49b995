#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "model/execution_id.h"
#include "model/state.h"
#include "store/call.h"

namespace ff::service {

/// How long an execution is kept.
struct Life {
    /// From its end on.
    Millis retention{0};
    /// Of one that has ended: it is not deleted before.
    std::optional<Timestamp> expires_at{};
};

/// An execution as its record tells it. Text that is not set is empty.
struct ExecutionInfo {
    model::ExecutionId execution_id;
    std::string ns{};
    std::string lane_id{};
    std::string execution_kind{};
    std::string creator_identity{};
    std::string flow_id{};
    /// The execution that called it, and under which name.
    std::string called_by{};
    std::string called_as{};
    std::int64_t priority = 0;
    model::StateVector state{};
    std::string blocking_detail{};
    std::string blocking_ref{};
    Timestamp created_at{};
    std::optional<Timestamp> started_at{};
    std::optional<Timestamp> completed_at{};
    std::optional<Timestamp> delay_until{};
    std::optional<Timestamp> execution_deadline_at{};
    std::optional<Timestamp> lease_expires_at{};
    std::int64_t current_attempt_index = 0;
    std::int64_t total_attempt_count = 0;
    std::int64_t retry_count = 0;
    std::optional<std::int64_t> progress_pct{};
    std::string progress_message{};
    std::string failure_reason{};
    std::string failure_category{};
    std::string cancellation_reason{};
    std::string required_capabilities{};
    std::string budget_ids{};
    std::string quota_policy_id{};
    std::string payload_encoding{};
    std::string result_encoding{};
    std::string current_lease_id{};
    std::string current_worker_instance_id{};
    bool has_result = false;
    /// Its own, not that of the server.
    std::optional<Millis> own_retention{};
    // Not in the record; only `describe` knows them.
    /// As stored; empty for none.
    std::string policy_json{};
    /// What follows a failure, in words.
    std::string retries{};
    Life life{};
};

/// Reads what `read_execution_info` understands.
store::Call execution_info_call(const model::ExecutionId& id);
/// Nothing if there is no such execution, or none any more. `internal`, with field and value, if
/// the record holds what this version does not know.
Result<std::optional<ExecutionInfo>> read_execution_info(const model::ExecutionId& id,
                                                         const store::Reply& reply);

}  // namespace ff::service
