#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/call_writer.h"
#include "engine/reply_reader.h"
#include "model/execution_id.h"
#include "model/ids.h"

namespace ff::engine {

/// `ff_reconcile_execution_index`: makes every index agree with the record.
struct ReconcileExecutionIndex {
    struct Outcome {
        /// consistent, repaired, differs, gone or purging.
        std::string result{};
        std::int64_t changes = 0;
        std::string ns{};
        std::string created_at{};
        std::vector<std::string> indexes{};
    };

    model::ExecutionId execution_id;
    bool check_only = false;

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

/// `ff_purge_execution`: deletes one slice of an execution whose retention has passed.
struct PurgeExecution {
    struct Outcome {
        /// purged, partial, not_due, not_terminal_cleaned or not_found_cleaned.
        std::string result{};
        /// Keys deleted, or the due time of `not_due` in ms.
        std::int64_t number = 0;
    };

    model::ExecutionId execution_id;
    Millis default_retention{86'400'000};
    /// Of the index in which it was found: without a record, nothing else tells where to clean up.
    std::optional<model::LaneId> lane{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

}  // namespace ff::engine
