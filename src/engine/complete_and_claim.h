#pragma once

#include <optional>
#include <vector>

#include "engine/claim_batch.h"
#include "engine/end_execution.h"

namespace ff::engine {

/// `ff_complete_and_claim`: completes tasks of one partition, then claims there, in one call.
struct CompleteAndClaim {
    struct Outcome {
        /// One for each completion, in order.
        std::vector<Result<CompleteExecution::Outcome>> completed{};
        /// Nothing if no claim was asked for. An error of the claim part undoes no completion.
        std::optional<Result<ClaimedBatch>> claimed{};
    };

    /// Names partition and lane of the keys, also when nothing is to be claimed.
    ClaimBatch claim;
    bool complete_only = false;
    /// All fenced, all of the partition of `claim`.
    std::vector<CompleteExecution> completions{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const { return read(store::Reply(reply)); }
    /// Takes the payloads out of it.
    Result<Outcome> read(store::Reply&& reply) const;
    /// Completions are fenced; the claim part is repeatable by its request id.
    bool resend_safe() const { return complete_only || claim.resend_safe(); }
};

}  // namespace ff::engine
