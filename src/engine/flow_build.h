#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/call_writer.h"
#include "engine/flow_address.h"
#include "engine/reply_reader.h"
#include "model/execution_id.h"

namespace ff::engine {

/// `ff_create_flow`.
struct CreateFlow {
    struct Outcome {
        bool already_satisfied = false;
    };

    FlowAddress flow;
    std::string flow_kind{};
    model::Namespace ns;
    std::string failure_policy{};
    std::string outcome_policy{};
    std::string created_by{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

/// `ff_add_execution_to_flow`.
struct AddExecutionToFlow {
    struct Outcome {
        bool already_member = false;
        std::int64_t node_count = 0;
    };

    FlowAddress flow;
    model::ExecutionId execution_id;
    std::string added_by{};
    std::optional<model::ExecutionId> parent{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return false; }
};

/// An edge of a flow: `downstream` waits for `upstream`.
struct Edge {
    model::EdgeId id;
    model::ExecutionId upstream;
    model::ExecutionId downstream;
    /// Empty for `success_only`.
    std::string kind{};
    /// How the upstream's result reaches the downstream; empty for not at all.
    std::string data_passing_ref{};
};

/// `ff_stage_dependency_edge`.
struct StageDependencyEdge {
    struct Outcome {
        bool already_satisfied = false;
        std::int64_t graph_revision = 0;
    };

    FlowAddress flow;
    Edge edge;
    std::optional<std::int64_t> expected_graph_revision{};
    /// Gate the child in the same call.
    bool apply = false;

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return false; }
};

/// `ff_apply_dependency_to_child`.
struct ApplyDependencyToChild {
    struct Outcome {
        bool already_applied = false;
        std::int64_t unsatisfied_count = 0;
        bool gated = false;
    };

    FlowAddress flow;
    Edge edge;
    std::int64_t graph_revision = 0;

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return false; }
};

/// `ff_set_edge_group_policy`: how the inbound edges of a member join.
struct SetEdgeGroupPolicy {
    struct Outcome {
        bool already_set = false;
    };

    FlowAddress flow;
    model::ExecutionId downstream;
    /// all_of, any_of or quorum.
    std::string policy{};
    /// cancel_remaining or let_run; not for all_of.
    std::string on_satisfied{};
    std::optional<std::int64_t> k{};
    std::optional<std::int64_t> expected_n{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return false; }
};

/// `ff_set_flow_tags`.
struct SetFlowTags {
    struct Outcome {
        std::int64_t count = 0;
    };

    FlowAddress flow;
    std::vector<std::pair<std::string, std::string>> tags{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return false; }
};

/// `ff_seal_flow`: no more nodes or edges.
struct SealFlow {
    struct Outcome {
        bool already_sealed = false;
        std::string public_flow_state{};  // unless sealed already
    };

    FlowAddress flow;
    std::optional<std::int64_t> expected_graph_revision{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

/// `ff_submit_flow`: a whole graph, or an expansion, in one call.
struct SubmitFlow {
    struct Outcome {
        bool already_satisfied = false;
        std::int64_t graph_revision = 0;
        std::int64_t node_count = 0;
        std::int64_t edge_count = 0;
        std::int64_t eligible_now_count = 0;
    };

    FlowAddress flow;
    bool expand = false;
    /// The caller's id of an expansion; `submit` otherwise.
    std::string mutation_id = "submit";
    /// Spec 05, section 5.5.1.
    std::string plan_json{};
    std::optional<std::int64_t> expected_graph_revision{};
    std::vector<std::string> payloads{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

}  // namespace ff::engine
