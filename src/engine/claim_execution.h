#pragma once

#include <optional>
#include <string>

#include "engine/call_writer.h"
#include "engine/fence.h"
#include "engine/reply_reader.h"
#include "model/due_time.h"
#include "model/execution_id.h"
#include "model/ids.h"

namespace ff::engine {

/// Who takes a lease, and the ids it will carry. A call that is sent again reuses them.
struct Claimant {
    model::WorkerId worker_id;
    model::WorkerInstanceId worker_instance_id;
    model::LaneId lane;
    model::LeaseId lease_id;
    model::AttemptId attempt_id;
    Millis lease_ttl{30'000};
};

/// A lease just taken.
struct TakenLease {
    /// The same claim had been applied before; the values are those of that time.
    bool duplicate = false;
    Fence fence;
    Timestamp lease_expires_at{};
    model::AttemptIndex attempt_index{};
    /// initial, retry, replay, fallback, resumed or reclaim.
    std::string attempt_type{};

    /// lease_id, lease_epoch, lease_expires_at, attempt_id, attempt_index, attempt_type from
    /// element 3 on.
    static Result<TakenLease> read(const ReplyReader& reader);
};

/// `ff_claim_execution`: consumes a grant; a new attempt with a new lease.
struct ClaimExecution {
    using Outcome = TakenLease;

    model::ExecutionId execution_id;
    Claimant claimant;
    std::string capability_hash{};
    std::optional<Millis> renew_before{};
    std::string attempt_policy_json{};
    std::optional<Millis> attempt_timeout{};
    std::optional<model::DueTime> execution_deadline{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

/// `ff_reclaim_execution`: takes over after a lost lease, with a grant; a new attempt.
struct ReclaimExecution {
    using Outcome = TakenLease;

    model::ExecutionId execution_id;
    Claimant claimant;
    std::string attempt_policy_json{};
    std::optional<std::int64_t> default_reclaims_max{};
    std::optional<Millis> attempt_timeout{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

}  // namespace ff::engine
