#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "engine/call_writer.h"
#include "engine/fence.h"
#include "engine/reply_reader.h"
#include "engine/steps.h"
#include "model/execution_id.h"
#include "model/ids.h"

namespace ff::engine {

/// `ff_complete_execution`: success, with a result or none. Without a fence it is the act of an
/// operator.
struct CompleteExecution {
    struct Outcome {
        /// This very call had been applied before.
        bool replayed = false;
    };

    model::ExecutionId execution_id;
    std::optional<Fence> fence{};
    Bytes result{};
    std::string result_encoding{};
    /// Recorded in the same call, as in the operations below. An item of a batch has none.
    std::vector<Step> steps{};
    /// Where the caller knows it, so that whoever counts calls does too; the function has its own.
    std::optional<model::LaneId> lane{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return fence.has_value(); }
    /// An item of a batch: `{execution_id,1,"completed"}` or `{execution_id,0,code,detail...}`.
    Result<Outcome> read_item(std::string_view function, const store::Reply& item) const;

  private:
    Result<Outcome> read_parts(std::span<const store::Reply> parts) const;
};

/// `ff_fail_execution`: a retry, a fallback or the end, as the policy decides.
struct FailExecution {
    struct Outcome {
        bool replayed = false;
        bool retry_scheduled = false;
        Timestamp delay_until{};                            // of a retry
        std::optional<model::AttemptIndex> next_attempt{};  // of a retry, unless replayed
        std::string why{};                                  // of the end, unless replayed
    };

    model::ExecutionId execution_id;
    std::optional<Fence> fence{};
    std::string reason{};
    std::string category{};
    /// False: no retry, whatever the policy says.
    bool retry_by_policy = true;
    /// `next` or the number of a tier; empty for no fallback.
    std::string fallback_to{};
    std::vector<Step> steps{};
    /// As above.
    std::optional<model::LaneId> lane{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return fence.has_value(); }
};

/// `ff_cancel_execution`: the end from any phase.
struct CancelExecution {
    struct Outcome {
        bool replayed = false;
        std::string previous_phase{};  // unless replayed
    };

    model::ExecutionId execution_id;
    std::string reason{};
    /// `operator_override`, `flow_cascade`, `lease_holder`, ...
    std::string source{};
    std::optional<Fence> fence{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return fence.has_value(); }
};

}  // namespace ff::engine
