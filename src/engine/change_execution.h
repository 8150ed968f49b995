#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/call_writer.h"
#include "engine/fence.h"
#include "engine/reply_reader.h"
#include "model/execution_id.h"
#include "model/state.h"

namespace ff::engine {

/// `ff_set_execution_tags`.
struct SetExecutionTags {
    struct Outcome {
        std::int64_t count = 0;
    };

    model::ExecutionId execution_id;
    std::vector<std::pair<std::string, std::string>> tags{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return false; }
};

/// `ff_update_progress`: a progress report, the attempt's usage, or both.
struct UpdateProgress {
    using Outcome = Done;

    model::ExecutionId execution_id;
    Fence fence;
    std::optional<std::int64_t> progress_pct{};
    std::string message{};
    /// Dimension to amount, as a JSON object; empty for no usage.
    std::string usage_json{};
    /// Makes a repeated report count once.
    std::optional<std::int64_t> usage_seq{};
    /// The same, and a repeated report is known after the lease has ended, too.
    std::string usage_dedup_id{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return usage_json.empty() || usage_seq || !usage_dedup_id.empty(); }
};

/// `ff_change_priority`.
struct ChangePriority {
    struct Outcome {
        std::int64_t old_priority = 0;
        std::int64_t new_priority = 0;
    };

    model::ExecutionId execution_id;
    std::int64_t new_priority = 0;

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return false; }
};

/// `ff_replay_execution`: runs a finished execution again.
struct ReplayExecution {
    struct Outcome {
        std::int64_t unsatisfied_dependencies = 0;
        model::PublicState public_state = model::PublicState::Waiting;
    };

    model::ExecutionId execution_id;
    std::string reason{};
    std::string requested_by{};
    /// The new run goes on with what the one before recorded.
    bool keep_steps = false;

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return false; }
};

}  // namespace ff::engine
