#include "api/flow_routes.h"

#include <utility>

#include "api/fields.h"
#include "api/json_response.h"
#include "api/parse_path.h"
#include "model/graph_ids.h"

namespace ff::api {
namespace {

using Kind = FieldDoc::Kind;
using service::CancelledFlow;

constexpr TextLimits kKindLimits{.most = 128};
constexpr TextLimits kReasonLimits{.most = 1'024};
constexpr TextLimits kReferenceLimits{.most = 256};
constexpr std::int64_t kWaitMsDefault = 30'000;
constexpr std::int64_t kWaitMsMax = 600'000;

Result<model::ExecutionId> member_of(const Fields& body, std::string_view name,
                                     const service::Flows& flows) {
    FF_TRY(const model::ExecutionId id, body.id<model::ExecutionId>(name));
    FF_CHECK(model::check_in_range(id, flows.partitions()));
    return id;
}

http::Response status_reply(unsigned status, std::string_view word) {
    return json_response(status, [word](json::Writer& out) { out.key("status").string(word); });
}

Task<http::Response> create_flow(service::Flows& flows, Call& call) {
    FF_CO_TRY(const json::Value object, call.object());
    const Fields body(object);
    FF_CO_TRY(model::Namespace ns, body.id<model::Namespace>("namespace"));
    service::NewFlow flow{.ns = std::move(ns)};
    FF_CO_TRY(flow.id, body.id_if<model::FlowId>("flow_id"));
    FF_CO_TRY(flow.flow_kind, body.text_or("flow_kind", "", kKindLimits));
    FF_CO_TRY(flow.failure_policy, body.text_or("failure_policy", "", kKindLimits));
    FF_CO_TRY(flow.outcome_policy, body.text_or("outcome_policy", "", kKindLimits));
    FF_CO_TRY(flow.created_by, body.text_or("created_by", "", kReasonLimits));
    FF_CO_TRY(const service::CreatedFlow created, co_await flows.create(std::move(flow)));
    co_return json_response(created.already_satisfied ? 200 : 201, [&](json::Writer& out) {
        out.key("status").string(created.already_satisfied ? "already_satisfied" : "created");
        out.key("flow_id").string(created.id.to_string());
    });
}

Task<http::Response> add_member(service::Flows& flows, Call& call) {
    FF_CO_TRY(const json::Value object, call.object());
    const Fields body(object);
    FF_CO_TRY(const model::FlowId flow, parse_path<model::FlowId>(call, "id"));
    FF_CO_CHECK(body.matches_path("flow_id", call.path("id")));
    FF_CO_TRY(const model::ExecutionId member, member_of(body, "execution_id", flows));
    FF_CO_TRY(const auto added, co_await flows.add_member(flow, member));
    co_return json_response(added.already_member ? 200 : 201, [&](json::Writer& out) {
        out.key("status").string(added.already_member ? "already_member" : "added");
        out.key("execution_id").string(member.to_string());
        out.key("node_count").integer(added.node_count);
    });
}

Result<service::NewEdge> read_edge(Call& call, const Fields& body, const service::Flows& flows) {
    FF_TRY(const model::FlowId flow, parse_path<model::FlowId>(call, "id"));
    FF_CHECK(body.matches_path("flow_id", call.path("id")));
    FF_TRY(const model::ExecutionId up, member_of(body, "upstream_execution_id", flows));
    FF_TRY(const model::ExecutionId down, member_of(body, "downstream_execution_id", flows));
    FF_TRY(const auto given, body.id_if<model::EdgeId>("edge_id"));
    FF_TRY(std::string kind, body.text_or("dependency_kind", "", kKindLimits));
    FF_TRY(std::string data, body.text_or("data_passing_ref", "", kReferenceLimits));
    // An id that follows from the ends makes the same request again the same edge.
    const std::string up_text = up.to_string();
    const std::string down_text = down.to_string();
    const model::EdgeId id =
        given ? *given : model::graph_edge_id(flow, {.upstream = up_text, .downstream = down_text});
    return service::NewEdge{.flow_id = flow,
                            .edge = {.id = id,
                                     .upstream = up,
                                     .downstream = down,
                                     .kind = std::move(kind),
                                     .data_passing_ref = std::move(data)}};
}

Task<http::Response> stage_edge(service::Flows& flows, Call& call) {
    FF_CO_TRY(const json::Value object, call.object());
    const Fields body(object);
    FF_CO_TRY(service::NewEdge edge, read_edge(call, body, flows));
    FF_CO_TRY(edge.expected_graph_revision,
              body.integer_if("expected_graph_revision", {.least = 0}));
    FF_CO_TRY(edge.apply, call.query_flag("apply"));
    const std::string id = edge.edge.id.to_string();
    FF_CO_TRY(const auto staged, co_await flows.stage_edge(std::move(edge)));
    co_return json_response(staged.already_satisfied ? 200 : 201, [&](json::Writer& out) {
        out.key("status").string(staged.already_satisfied ? "already_satisfied" : "staged");
        out.key("edge_id").string(id);
        out.key("new_graph_revision").integer(staged.graph_revision);
    });
}

Task<http::Response> apply_edge(service::Flows& flows, Call& call) {
    FF_CO_TRY(const json::Value object, call.object());
    const Fields body(object);
    FF_CO_TRY(service::NewEdge edge, read_edge(call, body, flows));
    FF_CO_TRY(const std::int64_t revision, body.integer_or("graph_revision", 0, {.least = 0}));
    FF_CO_TRY(const auto applied, co_await flows.apply_edge(std::move(edge), revision));
    co_return json_response(200, [&](json::Writer& out) {
        out.key("status").string(applied.already_applied ? "already_applied" : "applied");
        out.key("unsatisfied_count").integer(applied.unsatisfied_count);
        if (!applied.already_applied) out.key("gated").boolean(applied.gated);
    });
}

Task<http::Response> set_edge_group(service::Flows& flows, Call& call) {
    FF_CO_TRY(const json::Value object, call.object());
    const Fields body(object);
    FF_CO_TRY(const model::FlowId flow, parse_path<model::FlowId>(call, "id"));
    FF_CO_TRY(const model::ExecutionId member, parse_path<model::ExecutionId>(call, "eid"));
    FF_CO_CHECK(model::check_in_range(member, flows.partitions()));
    engine::SetEdgeGroupPolicy policy{.flow = flows.address(flow), .downstream = member};
    FF_CO_TRY(policy.policy, body.text("policy", kKindLimits));
    FF_CO_TRY(policy.on_satisfied, body.text_or("on_satisfied", "", kKindLimits));
    FF_CO_TRY(policy.k, body.integer_if("k"));
    FF_CO_TRY(policy.expected_n, body.integer_if("expected_n"));
    FF_CO_TRY(const auto set, co_await flows.set_edge_group(std::move(policy)));
    co_return status_reply(200, set.already_set ? "already_set" : "set");
}

Task<http::Response> set_tags(service::Flows& flows, Call& call) {
    FF_CO_TRY(const json::Value object, call.object());
    FF_CO_TRY(const model::FlowId flow, parse_path<model::FlowId>(call, "id"));
    service::TextMap tags;
    for (std::size_t i = 0; i < object.size(); ++i) {
        const auto [key, value] = object.member(i);
        const auto text = value.as_string();
        if (!text) co_return Fields(object).refuse(key, "not_string");
        tags.emplace_back(key, *text);
    }
    FF_CO_TRY(const std::int64_t count, co_await flows.set_tags(flow, std::move(tags)));
    co_return json_response(200, [&](json::Writer& out) { out.key("count").integer(count); });
}

void write_ids(json::Writer& out, std::string_view name, const std::vector<std::string>& ids) {
    out.key(name).begin_array();
    for (const std::string& id : ids) out.string(id);
    out.end_array();
}

http::Response cancel_reply(const CancelledFlow& flow) {
    return json_response(200, [&](json::Writer& out) {
        switch (flow.status) {
            case CancelledFlow::Status::Cancelled:
                out.key("status").string("cancelled");
                break;
            case CancelledFlow::Status::Scheduled:
                out.key("status").string("cancellation_scheduled");
                break;
            case CancelledFlow::Status::Partial:
                out.key("status").string("partially_cancelled");
                break;
        }
        out.key("cancellation_policy").string(flow.cancellation_policy);
        out.key("public_flow_state").string(flow.public_flow_state);
        out.key("member_count").unsigned_integer(flow.members.size());
        write_ids(out, "member_execution_ids", flow.members);
        if (flow.truncated) out.key("truncated").boolean(true);
        if (flow.status == CancelledFlow::Status::Partial) {
            write_ids(out, "failed_member_execution_ids", flow.failed_members);
        }
        if (flow.draining_count) out.key("draining_count").integer(*flow.draining_count);
    });
}

Task<http::Response> cancel_flow(service::Flows& flows, Call& call) {
    FF_CO_TRY(const json::Value object, call.object());
    const Fields body(object);
    FF_CO_TRY(const model::FlowId flow, parse_path<model::FlowId>(call, "id"));
    FF_CO_CHECK(body.matches_path("flow_id", call.path("id")));
    service::FlowCancelRequest request{.flow_id = flow};
    FF_CO_TRY(request.reason, body.text_or("reason", "", kReasonLimits));
    FF_CO_TRY(request.cancellation_policy,
              body.text_or("cancellation_policy", "cancel_all", kKindLimits));
    FF_CO_TRY(const bool waits, call.query_flag("wait"));
    FF_CO_TRY(const auto timeout, call.query_integer("timeout_ms", 0, kWaitMsMax));
    if (waits) request.wait_until = Deadline::after(Millis(timeout.value_or(kWaitMsDefault)));
    FF_CO_TRY(const CancelledFlow cancelled, co_await flows.cancel(std::move(request)));
    co_return cancel_reply(cancelled);
}

FieldDoc flow_id_field() {
    return {.name = "flow_id", .about = "A UUID; must equal that of the path"};
}

std::vector<FieldDoc> edge_fields() {
    return {{.name = "edge_id", .about = "A UUID; follows from the two ends where absent"},
            {.name = "upstream_execution_id", .required = true},
            {.name = "downstream_execution_id", .required = true},
            {.name = "dependency_kind", .type = "success_only|always"},
            {.name = "data_passing_ref", .about = "input:<name>, or anything for the payload"}};
}

void add_building_routes(Routes& routes, service::Flows& flows) {
    routes.add({.method = "POST",
                .pattern = "/v1/flows",
                .body = BodyClass::Control,
                .doc = {.id = "createFlow",
                        .summary = "Create an empty flow",
                        .body = {{.name = "flow_id", .about = "A UUID; minted where absent"},
                                 {.name = "flow_kind", .example = "\"etl\""},
                                 {.name = "namespace", .required = true, .example = "\"acme\""},
                                 {.name = "failure_policy", .type = "isolate_failures|fail_fast"},
                                 {.name = "outcome_policy", .type = "strict|leaves"},
                                 {.name = "created_by"}},
                        .answer_type = "CreatedFlow",
                        .statuses = {201, 200},
                        .errors = {"flow_already_exists"}},
                .handle = [&flows](Call& call) { return create_flow(flows, call); }});
    routes.add({.method = "POST",
                .pattern = "/v1/flows/{id}/members",
                .body = BodyClass::Control,
                .doc = {.id = "addFlowMember",
                        .summary = "Add an execution to a flow",
                        .body = {{.name = "execution_id", .required = true}, flow_id_field()},
                        .answer_type = "AddedMember",
                        .statuses = {201, 200},
                        .errors = {"partition_mismatch", "flow_not_found", "execution_not_found",
                                   "flow_sealed", "namespace_mismatch", "budget_exceeded",
                                   "already_member_of_different_flow"}},
                .handle = [&flows](Call& call) { return add_member(flows, call); }});
    std::vector<FieldDoc> staged = edge_fields();
    staged.push_back({.name = "expected_graph_revision", .kind = Kind::Integer});
    routes.add(
        {.method = "POST",
         .pattern = "/v1/flows/{id}/edges",
         .body = BodyClass::Control,
         .doc = {.id = "stageEdge",
                 .summary = "Add an edge between two members",
                 .query = {{.name = "apply",
                            .kind = Kind::Boolean,
                            .about = "Gate the downstream in the same call"}},
                 .body = staged,
                 .answer_type = "StagedEdge",
                 .statuses = {201, 200},
                 .errors = {"stale_graph_revision", "dependency_already_exists", "cycle_detected",
                            "self_referencing_edge", "execution_not_in_flow", "flow_sealed"}},
         .handle = [&flows](Call& call) { return stage_edge(flows, call); }});
    std::vector<FieldDoc> applied = edge_fields();
    applied.push_back({.name = "graph_revision", .kind = Kind::Integer});
    routes.add({.method = "POST",
                .pattern = "/v1/flows/{id}/edges/apply",
                .body = BodyClass::Control,
                .doc = {.id = "applyEdge",
                        .summary = "Gate the downstream of a staged edge",
                        .body = applied,
                        .answer_type = "AppliedEdge",
                        .errors = {"execution_not_found", "execution_already_in_flow"}},
                .handle = [&flows](Call& call) { return apply_edge(flows, call); }});
}

void add_changing_routes(Routes& routes, service::Flows& flows) {
    routes.add({.method = "PUT",
                .pattern = "/v1/flows/{id}/edge-groups/{eid}",
                .body = BodyClass::Control,
                .doc = {.id = "setEdgeGroup",
                        .summary = "Set how the inbound edges of a member join",
                        .body = {{.name = "policy",
                                  .type = "all_of|any_of|quorum",
                                  .required = true,
                                  .example = "\"any_of\""},
                                 {.name = "k", .kind = Kind::Integer, .about = "Of a quorum"},
                                 {.name = "on_satisfied", .type = "cancel_remaining|let_run"},
                                 {.name = "expected_n", .kind = Kind::Integer}},
                        .answer_type = "EdgeGroupSet"},
                .handle = [&flows](Call& call) { return set_edge_group(flows, call); }});
    routes.add({.method = "PUT",
                .pattern = "/v1/flows/{id}/tags",
                .body = BodyClass::Control,
                .doc = {.id = "setFlowTags",
                        .summary = "Set tags: an object of strings, keys <word>.<name>",
                        .own_members = true,
                        .body_type = "{string}",
                        .answer_type = "TagCount",
                        .errors = {"invalid_tag_key", "flow_not_found"}},
                .handle = [&flows](Call& call) { return set_tags(flows, call); }});
    routes.add(
        {.method = "POST",
         .pattern = "/v1/flows/{id}/cancel",
         .body = BodyClass::Control,
         .audit = "flow.cancel",
         .doc = {.id = "cancelFlow",
                 .summary = "Cancel a flow and its members",
                 .query = {{.name = "wait",
                            .kind = Kind::Boolean,
                            .about = "Answer when the members are cancelled"},
                           {.name = "timeout_ms", .kind = Kind::Integer, .about = "Of the wait"}},
                 .body = {{.name = "reason"},
                          {.name = "cancellation_policy",
                           .about = "cancel_all (default), cancel_pending or flow_only, or an "
                                    "older name of one of them"},
                          flow_id_field()},
                 .answer_type = "CancelledFlow",
                 .errors = {"flow_not_found"}},
         .handle = [&flows](Call& call) { return cancel_flow(flows, call); }});
}

}  // namespace

void add_flow_routes(Routes& routes, service::Flows& flows) {
    add_building_routes(routes, flows);
    add_changing_routes(routes, flows);
    add_flow_graph_routes(routes, flows);
    add_flow_view_routes(routes, flows);
}

}  // namespace ff::api
