#pragma once

#include <optional>
#include <string>

#include "base/bytes.h"
#include "engine/call_writer.h"
#include "engine/claim_execution.h"
#include "engine/reply_reader.h"
#include "model/execution_id.h"

namespace ff::engine {

/// `ff_claim_resumed_execution`: the same attempt goes on under a new lease, with a grant.
struct ClaimResumedExecution {
    struct Outcome {
        TakenLease lease;
        // Empty when the pause was no suspension:
        std::string suspension_id{};
        std::string close_reason{};
        Bytes continuation{};
    };

    model::ExecutionId execution_id;
    /// Its attempt id is not used: the attempt exists.
    Claimant claimant;
    std::string capability_hash{};
    std::optional<Millis> remaining_attempt_timeout{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

}  // namespace ff::engine
