#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/deadline.h"
#include "base/json.h"
#include "base/task.h"
#include "engine/flow_build.h"
#include "model/execution_id.h"
#include "model/ids.h"
#include "service/context.h"
#include "service/flow_cancels.h"
#include "service/flow_list.h"
#include "service/flow_views.h"
#include "service/graph_check.h"
#include "service/graph_document.h"
#include "service/graph_plan.h"
#include "service/graph_problem.h"
#include "service/indexes.h"
#include "service/named_limits.h"

namespace ff::service {

struct NewFlow {
    /// Minted where absent.
    std::optional<model::FlowId> id{};
    std::string flow_kind{};
    model::Namespace ns;
    std::string failure_policy{};
    std::string outcome_policy{};
    std::string created_by{};
};

struct CreatedFlow {
    model::FlowId id;
    bool already_satisfied = false;
};

/// What became of a submitted graph.
struct SubmittedGraph {
    /// Everything that is wrong with the document; if there is anything, nothing was done.
    std::vector<GraphProblem> problems{};
    model::FlowId flow_id;
    engine::SubmitFlow::Outcome outcome{};
    /// Node name to execution, in the order of the document.
    std::vector<std::pair<std::string, model::ExecutionId>> nodes{};
};

struct NewEdge {
    model::FlowId flow_id;
    engine::Edge edge;
    std::optional<std::int64_t> expected_graph_revision{};
    /// Gates the child in the same call.
    bool apply = false;
};

struct FlowCancelRequest {
    model::FlowId flow_id;
    std::string reason{};
    std::string cancellation_policy = "cancel_all";
    /// Answer when the members are cancelled, or at this deadline.
    std::optional<Deadline> wait_until{};
};

struct CancelledFlow {
    enum class Status : std::uint8_t { Cancelled, Scheduled, Partial };

    Status status = Status::Cancelled;
    std::string cancellation_policy{};
    std::string public_flow_state{};
    std::vector<std::string> members{};
    /// More members than are named.
    bool truncated = false;
    std::vector<std::string> failed_members{};
    std::optional<std::int64_t> draining_count{};
};

/// Flows: what they consist of, how they are built, seen, and cancelled (spec 05,
/// section 5.13). Lives on the context's loop.
class Flows {
  public:
    /// Members named in the answer about a flow that was over before.
    static constexpr std::size_t kToldMembersMax = 1'000;

    Flows(const Context& context, Indexes& indexes);

    Task<CreatedFlow> create(NewFlow flow);
    /// The document lives until the task has ended.
    Task<SubmittedGraph> submit(json::Value document);
    Task<SubmittedGraph> expand(model::FlowId flow, json::Value document);
    Task<engine::SealFlow::Outcome> seal(model::FlowId flow,
                                         std::optional<std::int64_t> expected_graph_revision);

    Task<engine::AddExecutionToFlow::Outcome> add_member(model::FlowId flow,
                                                         model::ExecutionId execution_id);
    Task<engine::StageDependencyEdge::Outcome> stage_edge(NewEdge edge);
    Task<engine::ApplyDependencyToChild::Outcome> apply_edge(NewEdge edge,
                                                             std::int64_t graph_revision);
    Task<engine::SetEdgeGroupPolicy::Outcome> set_edge_group(engine::SetEdgeGroupPolicy policy);
    Task<std::int64_t> set_tags(model::FlowId flow, TextMap tags);

    Task<CancelledFlow> cancel(FlowCancelRequest request);

    const model::PartitionConfig& partitions() const { return context_.rules.partitions; }
    FlowViews& views() { return views_; }
    FlowList& list() { return list_; }
    FlowCancels& cancels() { return cancels_; }
    engine::FlowAddress address(const model::FlowId& id) const {
        return {.id = id, .partitions = context_.rules.partitions};
    }

    /// Background cancels finish by the deadline or are dropped; what they owe stays owed.
    boost::asio::awaitable<bool> stop(Deadline grace) { return cancels_.stop(grace); }

  private:
    struct Submission {
        GraphDocument::Use use = GraphDocument::Use::Submit;
        GraphDocument graph{};
        model::FlowId flow_id;
        model::Namespace ns;
    };

    Task<SubmittedGraph> run_submission(Submission submission);
    /// What nodes leave to their lanes.
    Task<Done> fill_from_lanes(Submission& submission);
    /// Whether lanes and budgets let the nodes in.
    Task<Done> admit(const Submission& submission);
    void index_members(const Submission& submission, const GraphPlan& plan);
    Task<bool> was_submitted(const Submission& submission);
    /// What an expansion refers to, and the namespace of the flow.
    Task<std::pair<KnownMembers, std::string>> look_up(model::FlowId flow,
                                                       const GraphDocument& graph);

    Task<CancelledFlow> tell_terminal(FlowCancelRequest request, Error refusal);
    Task<CancelledFlow> wait_for_cancels(FlowCancelRequest request, CancelledFlow so_far);
    Task<std::vector<std::string>> unfinished_members(model::FlowId flow,
                                                      std::vector<std::string> members);
    Task<std::int64_t> owed_count(model::FlowId flow);

    Context context_;
    Indexes& indexes_;
    NamedLimits limits_;
    FlowViews views_;
    FlowList list_;
    FlowCancels cancels_;
};

}  // namespace ff::service
