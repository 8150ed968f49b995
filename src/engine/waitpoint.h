#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/call_writer.h"
#include "engine/fence.h"
#include "engine/reply_reader.h"
#include "engine/suspend_execution.h"
#include "model/due_time.h"
#include "model/execution_id.h"
#include "model/ids.h"
#include "model/partition.h"
#include "model/waitpoint_token.h"

namespace ff::engine {

/// `ff_create_pending_waitpoint`: an address for signals before the execution suspends.
struct CreatePendingWaitpoint {
    using Outcome = BoundWaitpoint;

    model::ExecutionId execution_id;
    model::AttemptIndex attempt_index{};
    model::WaitpointId waitpoint_id;
    model::WaitpointKey waitpoint_key;
    model::DueTime expires_at;
    std::optional<Fence> fence{};
    std::optional<ApprovalRequest> approval{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return false; }
};

/// `ff_close_waitpoint`.
struct CloseWaitpoint {
    struct Outcome {
        /// Empty when closed by this call; already_closed, not_pending or not_yet_due otherwise.
        std::string already{};
    };

    model::ExecutionId execution_id;
    model::WaitpointId waitpoint_id;
    std::string reason{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

/// `ff_close_waitpoint` for a pending waitpoint that nobody suspended on in time.
struct ExpirePendingWaitpoint {
    using Outcome = CloseWaitpoint::Outcome;

    model::PartitionKey partition;
    model::WaitpointId waitpoint_id;

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

/// `ff_remint_waitpoint_token`: the same waitpoint under the current secret.
struct RemintWaitpointToken {
    using Outcome = model::WaitpointToken;

    model::ExecutionId execution_id;
    model::WaitpointId waitpoint_id;

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

/// `ff_init_waitpoint_hmac_secret`: what every boot does for every partition.
struct InitWaitpointSecret {
    struct Outcome {
        /// installed, repaired, match or mismatch.
        std::string result{};
        std::string current_kid{};
    };

    model::PartitionKey partition;
    std::string kid{};
    std::string secret_hex{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

/// `ff_rotate_waitpoint_hmac_secret`.
struct RotateWaitpointSecret {
    struct Outcome {
        bool rotated = false;  // false: this very secret was current already
        std::string previous_kid{};
        std::int64_t collected = 0;
    };

    model::PartitionKey partition;
    std::string new_kid{};
    std::string new_secret_hex{};
    Millis grace{86'400'000};
    /// The value of the rotate lock, which is given back on every outcome.
    std::string lock_token{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

/// `ff_list_waitpoint_hmac_kids`. Secrets are never told.
struct ListWaitpointKids {
    struct Kid {
        std::string kid{};
        Timestamp expires_at{};
    };
    struct Outcome {
        std::string current_kid{};
        std::vector<Kid> retired{};
    };

    model::PartitionKey partition;

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

}  // namespace ff::engine
