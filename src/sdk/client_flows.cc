// What a client asks about flows.

#include "flowfabric/client.h"
#include "sdk/public_error.h"
#include "sdk/readings.h"
#include "sdk/readings_flows.h"
#include "sdk/words.h"

namespace flowfabric {

using ff::sdk::flow_path;
using ff::sdk::get_json;
using ff::sdk::percent;
using ff::sdk::post_json;
using ff::sdk::query_of;

namespace {

constexpr Millis kBeyondTheWait{5000};
constexpr Millis kPlainTimeout{30'000};

SubmittedFlow submitted_of(Json reply) {
    SubmittedFlow flow{.flow_id = reply["flow_id"].text(),
                       .already_satisfied = reply["status"].text() == "already_satisfied"};
    for (const auto& [name, id] : reply["nodes"].members()) flow.nodes.emplace(name, id.text());
    flow.raw = std::move(reply);
    return flow;
}

Json edge_json(const NewEdge& edge) {
    Json body = Json::object({{"upstream_execution_id", edge.upstream},
                              {"downstream_execution_id", edge.downstream},
                              {"dependency_kind", edge.kind}});
    body.set_text("edge_id", edge.edge_id).set_text("data_passing_ref", edge.data_passing_ref);
    return body;
}

}  // namespace

Result<std::string> AdminClient::create_flow(const NewFlow& flow) const {
    Json body = Json::object({{"flow_kind", flow.kind}, {"namespace", flow.ns}});
    body.set_text("flow_id", flow.flow_id)
        .set_text("failure_policy", flow.failure_policy)
        .set_text("outcome_policy", flow.outcome_policy);
    FF_SDK_TRY(const Json reply, ff::sdk::ask(*door_, {.operation = "create_flow",
                                                       .method = "POST",
                                                       .target = "/v1/flows",
                                                       .body = body.dump(),
                                                       .repeatable = !flow.flow_id.empty()}));
    return reply["flow_id"].text();
}

Result<SubmittedFlow> AdminClient::submit_flow(const Json& graph) const {
    FF_SDK_TRY(Json reply, ff::sdk::ask(*door_, {.operation = "submit_flow",
                                                 .method = "POST",
                                                 .target = "/v1/flows/submit",
                                                 .body = graph.dump(),
                                                 .repeatable = graph.has("flow_id")}));
    return submitted_of(std::move(reply));
}

Result<SubmittedFlow> AdminClient::expand_flow(const std::string& flow_id,
                                               const Json& graph) const {
    FF_SDK_TRY(Json reply, ff::sdk::ask(*door_, {.operation = "expand_flow",
                                                 .method = "POST",
                                                 .target = flow_path(flow_id, "/expand"),
                                                 .body = graph.dump(),
                                                 .repeatable = graph.has("mutation_id")}));
    return submitted_of(std::move(reply));
}

Result<SealedFlow> AdminClient::seal_flow(const std::string& flow_id) const {
    FF_SDK_TRY(const Json reply,
               post_json(*door_, "seal_flow", flow_path(flow_id, "/seal"), Json()));
    return SealedFlow{.public_state = reply["public_flow_state"].text(),
                      .already_satisfied = reply["status"].text() == "already_satisfied"};
}

Result<FlowPage> AdminClient::list_flows(const FlowQuery& query) const {
    FF_SDK_TRY(Json reply, get_json(*door_, "list_flows",
                                    "/v1/flows" + query_of({{"namespace", query.ns},
                                                            {"tag", query.tag},
                                                            {"state", query.state},
                                                            {"limit", std::to_string(query.limit)},
                                                            {"cursor", query.cursor}})));
    FlowPage page{.next_cursor = reply["next_cursor"].text()};
    for (const Json& one : reply["flows"].items()) page.flows.push_back(ff::sdk::flow_of(one));
    page.raw = std::move(reply);
    return page;
}

Result<FlowInfo> AdminClient::describe_flow(const std::string& flow_id) const {
    FF_SDK_TRY(Json reply, get_json(*door_, "describe_flow", flow_path(flow_id)));
    return ff::sdk::flow_of(std::move(reply));
}

Result<FlowGraph> AdminClient::flow_graph(const std::string& flow_id,
                                          const std::string& cursor) const {
    FF_SDK_TRY(Json reply, get_json(*door_, "flow_graph",
                                    flow_path(flow_id, "/graph" + query_of({{"cursor", cursor}}))));
    FlowGraph graph{.flow = ff::sdk::flow_of(reply), .next_cursor = reply["next_cursor"].text()};
    for (const Json& one : reply["nodes"].items()) graph.nodes.push_back(ff::sdk::member_of(one));
    for (const Json& one : reply["edges"].items()) graph.edges.push_back(ff::sdk::edge_of(one));
    for (const Json& one : reply["groups"].items()) graph.groups.push_back(ff::sdk::group_of(one));
    graph.raw = std::move(reply);
    return graph;
}

Result<FlowSummary> AdminClient::flow_summary(const std::string& flow_id) const {
    FF_SDK_TRY(const Json reply, get_json(*door_, "flow_summary", flow_path(flow_id, "/summary")));
    FlowSummary summary{.public_state = reply["public_flow_state"].text(),
                        .exact = reply["exact"].boolean(),
                        .counts = ff::sdk::amounts_of(reply)};
    summary.counts.erase("last_summary_update_at");
    return summary;
}

Result<FlowMemberPage> AdminClient::flow_members(const std::string& flow_id,
                                                 const std::string& cursor) const {
    FF_SDK_TRY(const Json reply,
               get_json(*door_, "flow_members",
                        flow_path(flow_id, "/members" + query_of({{"cursor", cursor}}))));
    FlowMemberPage page{.next_cursor = reply["next_cursor"].text()};
    for (const Json& one : reply["members"].items())
        page.members.push_back(ff::sdk::member_of(one));
    return page;
}

Result<FlowEdgePage> AdminClient::flow_edges(const std::string& flow_id,
                                             const std::string& cursor) const {
    FF_SDK_TRY(const Json reply,
               get_json(*door_, "flow_edges",
                        flow_path(flow_id, "/edges" + query_of({{"cursor", cursor}}))));
    FlowEdgePage page{.next_cursor = reply["next_cursor"].text()};
    for (const Json& one : reply["edges"].items()) page.edges.push_back(ff::sdk::edge_of(one));
    return page;
}

Result<std::int64_t> AdminClient::add_execution_to_flow(const std::string& flow_id,
                                                        const std::string& id) const {
    FF_SDK_TRY(const Json reply,
               post_json(*door_, "add_execution_to_flow", flow_path(flow_id, "/members"),
                         Json::object({{"execution_id", id}})));
    return reply["node_count"].integer();
}

Result<StagedEdge> AdminClient::stage_dependency_edge(const std::string& flow_id,
                                                      const NewEdge& edge, bool apply) const {
    Json body = edge_json(edge);
    if (edge.expected_graph_revision >= 0)
        body.set("expected_graph_revision", edge.expected_graph_revision);
    FF_SDK_TRY(const Json reply,
               post_json(*door_, "stage_dependency_edge",
                         flow_path(flow_id, apply ? "/edges?apply=true" : "/edges"), body));
    return StagedEdge{.edge_id = reply["edge_id"].text(),
                      .graph_revision = reply["new_graph_revision"].integer(),
                      .already_satisfied = reply["status"].text() == "already_satisfied"};
}

Result<AppliedEdge> AdminClient::apply_dependency_to_child(const std::string& flow_id,
                                                           const NewEdge& edge,
                                                           std::int64_t graph_revision) const {
    Json body = edge_json(edge);
    body.set("graph_revision", graph_revision);
    FF_SDK_TRY(const Json reply, post_json(*door_, "apply_dependency_to_child",
                                           flow_path(flow_id, "/edges/apply"), body));
    return AppliedEdge{.unsatisfied_count = reply["unsatisfied_count"].integer(),
                       .gated = reply["gated"].boolean(),
                       .already_applied = reply["status"].text() == "already_applied"};
}

Result<Done> AdminClient::set_edge_group_policy(const std::string& flow_id,
                                                const std::string& downstream,
                                                const EdgeGroupPolicy& policy) const {
    Json body = Json::object({{"policy", policy.policy}});
    body.set_text("on_satisfied", policy.on_satisfied);
    if (policy.k > 0) body.set("k", policy.k);
    if (policy.expected_n > 0) body.set("expected_n", policy.expected_n);
    FF_SDK_TRY(
        [[maybe_unused]] const Json reply,
        ff::sdk::ask(*door_, {.operation = "set_edge_group_policy",
                              .method = "PUT",
                              .target = flow_path(flow_id, "/edge-groups/" + percent(downstream)),
                              .body = body.dump(),
                              .repeatable = true}));
    return Done{};
}

Result<Done> AdminClient::set_flow_tags(const std::string& flow_id, const Tags& tags) const {
    FF_SDK_TRY([[maybe_unused]] const Json reply,
               ff::sdk::ask(*door_, {.operation = "set_flow_tags",
                                     .method = "PUT",
                                     .target = flow_path(flow_id, "/tags"),
                                     .body = ff::sdk::tags_json(tags).dump(),
                                     .repeatable = true}));
    return Done{};
}

Result<CancelledFlow> AdminClient::cancel_flow(const std::string& flow_id,
                                               const std::string& reason, Millis wait) const {
    const bool waits = wait.count() > 0;
    const std::string query =
        waits ? "?wait=true&timeout_ms=" + std::to_string(wait.count()) : std::string();
    FF_SDK_TRY(Json reply,
               ff::sdk::ask(*door_, {.operation = "cancel_flow",
                                     .method = "POST",
                                     .target = flow_path(flow_id, "/cancel" + query),
                                     .body = Json::object({{"reason", reason}}).dump(),
                                     .timeout = waits ? wait + kBeyondTheWait : kPlainTimeout}));
    return ff::sdk::cancelled_flow_of(std::move(reply));
}

}  // namespace flowfabric
