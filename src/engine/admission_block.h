#pragma once

#include <optional>
#include <string>

#include "engine/call_writer.h"
#include "engine/reply_reader.h"
#include "model/execution_id.h"
#include "model/ids.h"
#include "model/partition.h"

namespace ff::engine {

/// Why an execution that could run is held back (spec 06, section 8.1).
enum class AdmissionBlock : std::uint8_t {
    Budget,
    Quota,
    CapableWorker,
    LocalityMatch,
    Operator,
    LanePolicy,
};

/// The `blocking_reason` of a block.
std::string_view blocking_reason_of(AdmissionBlock block);

/// `ff_block_execution_for_admission`: takes an execution out of its queue, and says why.
struct BlockExecution {
    using Outcome = Done;

    model::ExecutionId execution_id;
    AdmissionBlock block = AdmissionBlock::Operator;
    std::string detail{};
    /// `budget:<id>` or `quota:<id>`.
    std::string blocking_ref{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return false; }
};

/// `ff_unblock_execution`: back into the queue.
struct UnblockExecution {
    using Outcome = Done;

    model::ExecutionId execution_id;
    AdmissionBlock block = AdmissionBlock::Operator;
    std::string expected_ref{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

/// `ff_unblock_batch`: all of one reason, from a place in the index on.
struct UnblockBatch {
    struct Outcome {
        std::int64_t unblocked = 0;
        std::int64_t examined = 0;
        /// Where the next call goes on; empty at the end.
        std::string next_score{};
    };

    model::PartitionKey partition;
    model::LaneId lane;
    AdmissionBlock block = AdmissionBlock::Budget;
    std::string expected_ref{};
    std::int64_t limit = 100;
    std::string from_score{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

}  // namespace ff::engine
