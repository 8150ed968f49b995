#include <algorithm>
#include <set>
#include <string_view>

#include "engine/operation.h"
#include "model/error_catalogue.h"
#include "model/execution_policy.h"
#include "model/flow_keys.h"
#include "sched/claimer.h"
#include "service/effective_policy.h"
#include "service/flows.h"
#include "service/graph_check.h"
#include "service/hash_record.h"
#include "service/scope_gate.h"

namespace ff::service {
namespace {

SubmittedGraph refused(const model::FlowId& flow, const GraphProblems& problems) {
    return {.problems = problems.found(), .flow_id = flow};
}

}  // namespace

Task<SubmittedGraph> Flows::submit(json::Value document) {
    GraphProblems problems;
    GraphDocument graph = read_graph(document, GraphDocument::Use::Submit, problems);
    check_graph(graph, {}, problems);
    const model::FlowId flow =
        graph.flow_id ? *graph.flow_id : model::FlowId::mint(context_.random);
    if (!problems.empty()) co_return refused(flow, problems);
    model::Namespace ns = *graph.ns;
    Submission submission{.use = GraphDocument::Use::Submit,
                          .graph = std::move(graph),
                          .flow_id = flow,
                          .ns = std::move(ns)};
    co_return co_await run_submission(std::move(submission));
}

Task<SubmittedGraph> Flows::expand(model::FlowId flow, json::Value document) {
    GraphProblems problems;
    GraphDocument graph = read_graph(document, GraphDocument::Use::Expand, problems);
    if (graph.mutation_id.empty()) {
        graph.mutation_id = model::Uuid::mint_v4(context_.random).to_string();
    }
    FF_CO_TRY(const auto looked_up, co_await look_up(flow, graph));
    check_graph(graph, looked_up.first, problems);
    if (!problems.empty()) co_return refused(flow, problems);
    FF_CO_TRY(model::Namespace ns, model::Namespace::parse(looked_up.second));
    Submission submission{.use = GraphDocument::Use::Expand,
                          .graph = std::move(graph),
                          .flow_id = flow,
                          .ns = std::move(ns)};
    co_return co_await run_submission(std::move(submission));
}

Task<std::pair<KnownMembers, std::string>> Flows::look_up(model::FlowId flow,
                                                          const GraphDocument& graph) {
    const model::FlowKeys keys(flow, context_.rules.partitions);
    const KnownMembers referred = referred_members(graph);
    const std::string core = keys.core();
    const std::string grant = keys.grant(graph.mutation_id);
    const std::string names_key = keys.names();
    const std::string members = keys.members();
    std::vector<store::Call> reads;
    reads.push_back(store::plain({"HGET", core, "namespace"}, true));
    reads.push_back(store::plain({"EXISTS", grant}, true));
    std::vector<std::string> ids(referred.ids.begin(), referred.ids.end());
    for (const std::string& id : ids) {
        reads.push_back(store::plain({"SISMEMBER", members, id}, true));
    }
    const std::vector<std::string> names(referred.names.begin(), referred.names.end());
    if (!names.empty()) {
        std::vector<std::string_view> words{"HMGET", names_key};
        words.insert(words.end(), names.begin(), names.end());
        store::Call read{.resend_safe = true};
        read.command.append(words);
        reads.push_back(std::move(read));
    }
    const auto replies = co_await context_.store.pipeline(std::move(reads));
    for (const auto& reply : replies) {
        if (!reply) co_return reply.error();
    }
    const auto ns = replies[0]->text();
    if (!ns) co_return model::make_error("flow_not_found", {flow.to_string()});
    KnownMembers known;
    // An expansion that was made already finds its own nodes; the function answers for it.
    known.unread = replies[1]->to_integer() == 1;
    if (!known.unread) {
        for (std::size_t i = 0; i < ids.size(); ++i) {
            if (replies[2 + i]->to_integer() == 1) known.ids.insert(ids[i]);
        }
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (!replies.back()->items()[i].is_null()) known.names.insert(names[i]);
        }
    }
    co_return std::pair(std::move(known), std::string(*ns));
}

Task<Done> Flows::fill_from_lanes(Submission& submission) {
    for (GraphNode& node : submission.graph.nodes) {
        FF_CO_TRY(model::LaneId lane, model::LaneId::parse(node.lane));
        FF_CO_TRY(const sched::LaneConfig config, co_await context_.claimer.lanes().lane(lane));
        FF_CO_TRY(EffectivePolicy effective,
                  effective_policy(node.policy_json, node.priority, config));
        const model::ExecutionPolicy& policy = effective.policy;
        const bool is_limited = !policy.budget_ids.empty() || policy.quota_policy_id;
        if (is_limited && !submission.graph.allow_missing_budget) {
            FF_CO_CHECK(co_await limits_.require(policy.budget_ids, policy.quota_policy_id));
        }
        node.policy_json = std::move(effective.text);
        node.priority = effective.priority;
    }
    co_return Done{};
}

Task<Done> Flows::admit(const Submission& submission) {
    std::set<model::LaneId> lanes;
    for (const GraphNode& node : submission.graph.nodes) {
        FF_CO_TRY(model::LaneId lane, model::LaneId::parse(node.lane));
        lanes.insert(std::move(lane));
    }
    for (const model::LaneId& lane : lanes) {
        FF_CO_TRY(const sched::LaneConfig config, co_await context_.claimer.lanes().lane(lane));
        if (!config.takes_work()) {
            co_return model::make_error("lane_not_accepting", {lane.text()});
        }
    }
    FF_CO_CHECK(co_await check_scopes_open(context_, lanes, submission.ns));
    FF_CO_CHECK(co_await check_flow_open(context_, submission.flow_id));
    // Known before there is work: no scanner may miss a lane.
    for (const model::LaneId& lane : lanes) {
        FF_CO_CHECK(co_await indexes_.know(lane, submission.ns));
    }
    co_return Done{};
}

void Flows::index_members(const Submission& submission, const GraphPlan& plan) {
    for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
        const GraphNode& node = submission.graph.nodes[i];
        Indexes::Entry entry{.execution_id = plan.nodes[i].second,
                             .ns = submission.ns,
                             .created_at = context_.clock.now(),
                             .tags = node.tags};
        const auto policy = model::ExecutionPolicy::parse(node.policy_json);
        if (policy) entry.budgets = policy->budget_ids;
        indexes_.add(std::move(entry));
    }
}

Task<bool> Flows::was_submitted(const Submission& submission) {
    const bool is_submit = submission.use == GraphDocument::Use::Submit;
    const std::string grant =
        model::FlowKeys(submission.flow_id, context_.rules.partitions)
            .grant(is_submit ? std::string_view("submit") : submission.graph.mutation_id);
    store::Call read = store::plain({"EXISTS", grant}, true);
    FF_CO_TRY(const store::Reply reply, co_await context_.store.call(std::move(read)));
    co_return reply.to_integer() == 1;
}

Task<SubmittedGraph> Flows::run_submission(Submission submission) {
    auto admitted = co_await admit(submission);
    if (!admitted) {
        // What was let in once is in, whatever the lanes and budgets say by now.
        FF_CO_TRY(const bool is_in, co_await was_submitted(submission));
        if (!is_in) co_return admitted.error();
    }
    FF_CO_CHECK(co_await fill_from_lanes(submission));
    const bool is_submit = submission.use == GraphDocument::Use::Submit;
    GraphPlan plan =
        plan_graph(submission.graph, submission.use, submission.flow_id, context_.rules.partitions);
    engine::SubmitFlow submit{.flow = address(submission.flow_id),
                              .expand = !is_submit,
                              .mutation_id = is_submit ? "submit" : submission.graph.mutation_id,
                              .plan_json = std::move(plan.json),
                              .expected_graph_revision = submission.graph.expected_graph_revision,
                              .payloads = std::move(plan.payloads)};
    FF_CO_TRY(const auto outcome, co_await engine::run(context_.store, std::move(submit)));
    co_return SubmittedGraph{
        .flow_id = submission.flow_id, .outcome = outcome, .nodes = std::move(plan.nodes)};
}

}  // namespace ff::service
