#pragma once

#include <string>
#include <vector>

#include "engine/call_writer.h"
#include "engine/flow_address.h"
#include "engine/reply_reader.h"
#include "model/execution_id.h"

namespace ff::engine {

/// `ff_replay_subgraph`: a finished member and its skipped descendants run again.
struct ReplaySubgraph {
    using Outcome = std::vector<std::string>;

    model::ExecutionId execution_id;
    FlowAddress flow;
    std::int64_t nodes_max = 200;
    /// The new runs go on with what those before recorded.
    bool keep_steps = false;

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return false; }
};

/// `ff_project_flow_summary`: counts the members by state.
struct ProjectFlowSummary {
    struct Outcome {
        std::string state{};
        std::string cursor{};
    };

    FlowAddress flow;
    std::string cursor{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

/// `ff_purge_flow`: deletes a slice of a flow whose retention has passed.
struct PurgeFlow {
    struct Outcome {
        /// purged, partial, not_due, members_live or not_found_cleaned.
        std::string result{};
    };

    FlowAddress flow;
    Millis retention{604'800'000};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

}  // namespace ff::engine
