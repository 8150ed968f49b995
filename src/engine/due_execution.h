#pragma once

#include <optional>
#include <string>

#include "engine/call_writer.h"
#include "engine/reply_reader.h"
#include "model/execution_id.h"
#include "model/ids.h"

namespace ff::engine {

enum class ExpireReason : std::uint8_t { AttemptTimeout, ExecutionDeadline };
std::string_view to_string(ExpireReason reason);

/// `ff_expire_execution`: a time limit has passed.
struct ExpireExecution {
    struct Outcome {
        /// expired, retry_scheduled, not_due, already_terminal or not_found_cleaned.
        std::string result{};
    };

    model::ExecutionId execution_id;
    ExpireReason reason = ExpireReason::AttemptTimeout;
    /// Act only if the limit is still the one that was seen, and has passed.
    bool only_if_due = true;

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return only_if_due; }
};

/// `ff_promote_delayed`: what was delayed is due.
struct PromoteDelayed {
    struct Outcome {
        /// promoted, blocked, not_yet_due, or what was cleaned up: not_found_cleaned,
        /// not_runnable_cleaned, not_delayed_cleaned.
        std::string result{};
    };

    model::ExecutionId execution_id;
    /// Of the index in which it was found: without a record, nothing else tells where to clean up.
    std::optional<model::LaneId> lane{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

}  // namespace ff::engine
