#pragma once

#include <optional>
#include <vector>

#include "engine/call_writer.h"
#include "engine/fence.h"
#include "engine/reply_reader.h"
#include "engine/steps.h"
#include "model/due_time.h"
#include "model/execution_id.h"

namespace ff::engine {

/// `ff_delay_execution`: gives the work back until a time; the same attempt goes on then.
struct DelayExecution {
    struct Outcome {
        bool replayed = false;
        Timestamp delay_until{};
    };

    model::ExecutionId execution_id;
    std::optional<Fence> fence{};
    model::DueTime delay_until = model::DueTime::after(Millis(0));
    /// No handler has begun the attempt: whoever gets it next is told what this worker was told.
    /// What is due can be claimed at once, without a promotion.
    bool unbegun = false;
    /// Recorded in the same call, here and below.
    std::vector<Step> steps{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return fence.has_value(); }
};

/// `ff_move_to_waiting_children`: gives the work back until its dependencies are satisfied; at once
/// if none is open.
struct MoveToWaitingChildren {
    struct Outcome {
        bool replayed = false;
        /// False: nothing was left to wait for. Unknown, and true, when replayed.
        bool blocked = true;
    };

    model::ExecutionId execution_id;
    std::optional<Fence> fence{};
    std::vector<Step> steps{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return fence.has_value(); }
};

}  // namespace ff::engine
