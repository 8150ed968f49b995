#pragma once

#include <string>

#include "engine/call_writer.h"
#include "engine/flow_address.h"
#include "engine/reply_reader.h"
#include "model/execution_id.h"

namespace ff::engine {

/// `ff_resolve_dependency`: one edge, with the outcome read from its upstream.
struct ResolveDependency {
    struct Outcome {
        /// satisfied, impossible, pending, already_fired, already_resolved or stale_upstream.
        std::string result{};
        /// data_injected, child_skipped or nothing.
        std::string effect{};
    };

    FlowAddress flow;
    model::EdgeId edge_id;
    model::ExecutionId upstream;
    model::ExecutionId downstream;

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

/// `ff_cascade_completion`: a page of the outgoing edges of a finished member.
struct CascadeCompletion {
    struct Outcome {
        std::int64_t resolved = 0;
        std::int64_t made_eligible = 0;
        std::int64_t skipped = 0;
        /// "0" when nothing is left.
        std::string cursor{};
        /// Groups whose losers are to be cancelled.
        std::int64_t groups_flagged = 0;

        bool done() const { return cursor == "0"; }
    };

    model::ExecutionId execution_id;
    FlowAddress flow;
    std::int64_t edges_max = 500;
    std::string cursor = "0";

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

/// `ff_reconcile_dependencies`: repairs one blocked child.
struct ReconcileDependencies {
    struct Outcome {
        std::int64_t resolved = 0;
        /// blocked, held, promoted, skipped, not_blocked or not_found.
        std::string result{};
    };

    model::ExecutionId execution_id;

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

/// `ff_evaluate_flow_eligibility`: why a member does not run.
struct EvaluateFlowEligibility {
    using Outcome = std::string;

    model::ExecutionId execution_id;

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

/// `ff_promote_blocked_to_eligible`: ends a hold.
struct PromoteBlockedToEligible {
    struct Outcome {
        bool delayed = false;
    };

    model::ExecutionId execution_id;

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return false; }
};

}  // namespace ff::engine
