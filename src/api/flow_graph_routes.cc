#include <algorithm>
#include <utility>

#include "api/error_reply.h"
#include "api/fields.h"
#include "api/flow_routes.h"
#include "api/json_response.h"
#include "api/parse_path.h"
#include "model/error_catalogue.h"

namespace ff::api {
namespace {

using Kind = FieldDoc::Kind;
using service::GraphProblem;

constexpr std::string_view kTooLarge = "flow_too_large";

/// One refusal with everything that is wrong.
http::Response problems_reply(const std::vector<GraphProblem>& problems) {
    const bool is_too_large = std::ranges::any_of(
        problems, [](const GraphProblem& problem) { return problem.code == kTooLarge; });
    Error error = model::make_error(is_too_large ? kTooLarge : "invalid_input");
    for (const GraphProblem& problem : problems) error.detail.push_back(problem.path);
    error.message = std::to_string(problems.size()) + " problems in the graph, the first at " +
                    problems.front().path + ": " + problems.front().message;
    http::Response response = error_reply(std::move(error));
    std::string list;
    json::Writer out(list);
    out.begin_array();
    for (const GraphProblem& problem : problems) {
        out.begin_object();
        out.key("code").string(problem.code);
        out.key("path").string(problem.path);
        out.key("message").string(problem.message);
        if (!problem.names.empty()) {
            out.key("names").begin_array();
            for (const std::string& name : problem.names) out.string(name);
            out.end_array();
        }
        out.end_object();
    }
    out.end_array();
    // The error body is one object; the list becomes its last member.
    response.body.insert(response.body.rfind('}'), ",\"errors\":" + list);
    return response;
}

http::Response submission_reply(const service::SubmittedGraph& graph, std::string_view word) {
    if (!graph.problems.empty()) return problems_reply(graph.problems);
    const auto& outcome = graph.outcome;
    return json_response(outcome.already_satisfied ? 200 : 201, [&](json::Writer& out) {
        out.key("status").string(outcome.already_satisfied ? "already_satisfied" : word);
        out.key("flow_id").string(graph.flow_id.to_string());
        out.key("graph_revision").integer(outcome.graph_revision);
        out.key("node_count").integer(outcome.node_count);
        out.key("edge_count").integer(outcome.edge_count);
        out.key("eligible_now_count").integer(outcome.eligible_now_count);
        out.key("nodes").begin_object();
        for (const auto& [name, id] : graph.nodes) out.key(name).string(id.to_string());
        out.end_object();
    });
}

Task<http::Response> submit(service::Flows& flows, Call& call) {
    FF_CO_TRY(const json::Value object, call.object());
    FF_CO_TRY(const service::SubmittedGraph graph, co_await flows.submit(object));
    co_return submission_reply(graph, "submitted");
}

Task<http::Response> expand(service::Flows& flows, Call& call) {
    FF_CO_TRY(const json::Value object, call.object());
    FF_CO_TRY(const model::FlowId flow, parse_path<model::FlowId>(call, "id"));
    FF_CO_TRY(const service::SubmittedGraph graph, co_await flows.expand(flow, object));
    co_return submission_reply(graph, "expanded");
}

Task<http::Response> seal(service::Flows& flows, Call& call) {
    FF_CO_TRY(const json::Value object, call.object());
    const Fields body(object);
    FF_CO_TRY(const model::FlowId flow, parse_path<model::FlowId>(call, "id"));
    FF_CO_CHECK(body.matches_path("flow_id", call.path("id")));
    FF_CO_TRY(const auto revision, body.integer_if("expected_graph_revision", {.least = 0}));
    FF_CO_TRY(auto sealed, co_await flows.seal(flow, revision));
    if (sealed.already_sealed) {
        FF_CO_TRY(const service::FlowRecord record, co_await flows.views().flow(flow));
        sealed.public_flow_state = record.public_flow_state;
    }
    co_return json_response(200, [&](json::Writer& out) {
        out.key("status").string(sealed.already_sealed ? "already_satisfied" : "sealed");
        out.key("flow_id").string(flow.to_string());
        out.key("public_flow_state").string(sealed.public_flow_state);
    });
}

std::vector<FieldDoc> node_fields() {
    return {
        {.name = "nodes",
         .kind = Kind::Array,
         .type = "[GraphNode]",
         .required = true,
         .about = "1..1000 of name, execution_kind, payload or payload_base64, payload_encoding, "
                  "lane_id, priority, creator_identity, policy, tags, delay_until, "
                  "execution_deadline_at, depends_on, join",
         .example = R"([{"name":"fetch","execution_kind":"http"},)"
                    R"({"name":"parse","execution_kind":"parse","depends_on":["fetch"]}])"},
        {.name = "defaults",
         .kind = Kind::Object,
         .type = "GraphDefaults",
         .about = "Of the members of a node"},
        {.name = "seal", .kind = Kind::Boolean, .about = "No node or edge may follow"},
        {.name = "allow_missing_budget",
         .kind = Kind::Boolean,
         .about = "Accept policies that name a budget or quota that does not exist yet"}};
}

}  // namespace

void add_flow_graph_routes(Routes& routes, service::Flows& flows) {
    std::vector<FieldDoc> submitted = node_fields();
    submitted.insert(submitted.end(),
                     {{.name = "flow_id", .about = "Makes the request repeatable"},
                      {.name = "flow_kind"},
                      {.name = "namespace", .required = true, .example = "\"acme\""},
                      {.name = "created_by"},
                      {.name = "failure_policy", .type = "isolate_failures|fail_fast"},
                      {.name = "outcome_policy", .type = "strict|leaves"},
                      {.name = "tags", .kind = Kind::Object, .type = "{string}"}});
    routes.add({.method = "POST",
                .pattern = "/v1/flows/submit",
                .body = BodyClass::Bulk,
                .doc = {.id = "submitFlow",
                        .summary = "Create a flow with all its nodes and edges at once",
                        .body = submitted,
                        .own_members = true,
                        .answer_type = "SubmittedGraph",
                        .statuses = {201, 200},
                        .errors = {"budget_not_found", "quota_policy_not_found",
                                   "mutation_conflict", "flow_already_exists", "flow_too_large",
                                   "lane_not_accepting", "budget_exceeded"}},
                .handle = [&flows](Call& call) { return submit(flows, call); }});
    std::vector<FieldDoc> expanded = node_fields();
    expanded.insert(expanded.end(),
                    {{.name = "mutation_id", .about = "Makes the request repeatable"},
                     {.name = "expected_graph_revision", .kind = Kind::Integer}});
    routes.add({.method = "POST",
                .pattern = "/v1/flows/{id}/expand",
                .body = BodyClass::Bulk,
                .doc = {.id = "expandFlow",
                        .summary = "Add nodes and edges to a flow that is not sealed",
                        .body = expanded,
                        .own_members = true,
                        .answer_type = "SubmittedGraph",
                        .statuses = {201, 200},
                        .errors = {"budget_not_found", "quota_policy_not_found",
                                   "mutation_conflict", "flow_not_found", "flow_sealed",
                                   "flow_already_terminal", "stale_graph_revision",
                                   "flow_too_large", "lane_not_accepting", "budget_exceeded"}},
                .handle = [&flows](Call& call) { return expand(flows, call); }});
    routes.add(
        {.method = "POST",
         .pattern = "/v1/flows/{id}/seal",
         .body = BodyClass::Control,
         .doc = {.id = "sealFlow",
                 .summary = "Seal a flow: it takes no further node or edge, and can finish",
                 .body = {{.name = "expected_graph_revision", .kind = Kind::Integer}},
                 .answer_type = "SealedFlow",
                 .errors = {"flow_not_found", "flow_already_terminal", "stale_graph_revision"}},
         .handle = [&flows](Call& call) { return seal(flows, call); }});
}

}  // namespace ff::api
