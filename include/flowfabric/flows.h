#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "flowfabric/types.h"

namespace flowfabric {

// Graphs of executions. `raw` is everything the server said.

struct NewFlow {
    std::string kind{};
    std::string ns = "default";
    /// Given: creating it again changes nothing. Empty: the engine makes one up.
    std::string flow_id{};
    /// isolate_failures or fail_fast.
    std::string failure_policy{};
    /// strict or leaves.
    std::string outcome_policy{};
};

struct SubmittedFlow {
    std::string flow_id{};
    /// Of every node by its name.
    std::map<std::string, std::string> nodes{};
    bool already_satisfied = false;
    Json raw{};
};

struct FlowInfo {
    std::string flow_id{};
    std::string kind{};
    std::string ns{};
    std::string public_state{};
    std::string failure_policy{};
    std::string outcome_policy{};
    std::string cancel_reason{};
    std::int64_t graph_revision = 0;
    std::int64_t node_count = 0;
    std::int64_t edge_count = 0;
    bool sealed = false;
    std::int64_t created_at = 0;
    std::int64_t finished_at = 0;
    std::int64_t cancelled_at = 0;
    /// Members by how they ended.
    std::map<std::string, std::int64_t> ended{};
    Tags tags{};
    Json raw{};
};

struct FlowMember {
    std::string execution_id{};
    /// In the graph document; empty for members added by id.
    std::string name{};
    /// Empty when the execution is gone.
    std::string public_state{};
    std::string lane{};
    std::string kind{};
    int priority = 0;
    std::int64_t created_at = 0;
    std::int64_t completed_at = 0;
    std::string skip_reason{};
    std::string cancellation_reason{};
};

struct FlowEdge {
    std::string edge_id{};
    std::string upstream{};
    std::string downstream{};
    std::string kind{};
    /// Name of the input that the upstream's result becomes.
    std::string data_passing_ref{};
    std::string state{};
};

/// How the inbound edges of one member are counted.
struct FlowGroup {
    std::string downstream{};
    /// all_of, any_of, quorum.
    std::string policy{};
    std::string on_satisfied{};
    std::int64_t k = 0;
    std::string state{};
    std::int64_t n = 0;
    std::int64_t succeeded = 0;
    std::int64_t failed = 0;
    std::int64_t skipped = 0;
};

/// A page of nodes, each with all its inbound edges and its group.
struct FlowGraph {
    FlowInfo flow{};
    std::vector<FlowMember> nodes{};
    std::vector<FlowEdge> edges{};
    std::vector<FlowGroup> groups{};
    std::string next_cursor{};
    Json raw{};
};

struct FlowQuery {
    std::string ns{};
    /// `key:value`.
    std::string tag{};
    std::string state{};
    int limit = 50;
    std::string cursor{};
};

struct FlowPage {
    std::vector<FlowInfo> flows{};
    std::string next_cursor{};
    Json raw{};
};

struct FlowMemberPage {
    std::vector<FlowMember> members{};
    std::string next_cursor{};
};

struct FlowEdgePage {
    std::vector<FlowEdge> edges{};
    std::string next_cursor{};
};

struct FlowSummary {
    std::string public_state{};
    /// Counted just now, not by the projector some time ago.
    bool exact = false;
    /// Members by state.
    std::map<std::string, std::int64_t> counts{};
};

struct NewEdge {
    /// Empty: follows from the two ends.
    std::string edge_id{};
    std::string upstream{};
    std::string downstream{};
    std::string kind = "success_only";
    std::string data_passing_ref{};
    /// Refused as `stale_graph_revision` when the graph has moved on; -1: does not matter.
    std::int64_t expected_graph_revision = -1;
};

struct StagedEdge {
    std::string edge_id{};
    std::int64_t graph_revision = 0;
    bool already_satisfied = false;
};

struct AppliedEdge {
    std::int64_t unsatisfied_count = 0;
    /// The downstream waits for it.
    bool gated = false;
    bool already_applied = false;
};

struct EdgeGroupPolicy {
    /// all_of, any_of, quorum.
    std::string policy = "all_of";
    /// Of a quorum.
    std::int64_t k = 0;
    /// cancel_remaining or let_run.
    std::string on_satisfied{};
    std::int64_t expected_n = 0;
};

struct SealedFlow {
    std::string public_state{};
    bool already_satisfied = false;
};

struct CancelledFlow {
    /// cancelled, cancellation_scheduled, partially_cancelled.
    std::string status{};
    std::string cancellation_policy{};
    std::string public_state{};
    std::int64_t member_count = 0;
    std::vector<std::string> members{};
    std::vector<std::string> failed_members{};
    Json raw{};
};

}  // namespace flowfabric
