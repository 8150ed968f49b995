#include <algorithm>
#include <utility>

#include "api/fields.h"
#include "api/flow_routes.h"
#include "api/json_response.h"
#include "api/parse_path.h"
#include "base/bytes.h"

namespace ff::api {
namespace {

using Kind = FieldDoc::Kind;

constexpr std::int64_t kPageMax = 1'000;
constexpr std::int64_t kPageDefault = 256;
constexpr std::int64_t kListDefault = 50;

void write_time(json::Writer& out, std::string_view name, const std::optional<Timestamp>& at) {
    if (at) out.key(name).integer(to_ms(*at));
}

void write_flow(json::Writer& out, const service::FlowRecord& flow) {
    out.key("flow_id").string(flow.id.to_string());
    out.key("flow_kind").string(flow.flow_kind);
    out.key("namespace").string(flow.ns);
    out.key("public_flow_state").string(flow.public_flow_state);
    out.key("graph_revision").integer(flow.graph_revision);
    out.key("node_count").integer(flow.node_count);
    out.key("edge_count").integer(flow.edge_count);
    out.key("sealed").boolean(flow.sealed);
    out.key("failure_policy").string(flow.failure_policy);
    out.key("outcome_policy").string(flow.outcome_policy);
    if (!flow.created_by.empty()) out.key("created_by").string(flow.created_by);
    write_time(out, "created_at", flow.created_at);
    write_time(out, "last_mutation_at", flow.last_mutation_at);
    write_time(out, "finished_at", flow.finished_at);
    if (flow.cancelled_at) {
        write_time(out, "cancelled_at", flow.cancelled_at);
        out.key("cancel_reason").string(flow.cancel_reason);
        out.key("cancellation_policy").string(flow.cancellation_policy);
        write_time(out, "cancel_completed_at", flow.cancel_completed_at);
    }
    out.key("reopen_count").integer(flow.reopen_count);
    out.key("ended").begin_object();
    for (const auto& [outcome, count] : flow.ended) out.key(outcome).integer(count);
    out.end_object();
}

void write_tags(json::Writer& out, const service::TextMap& tags) {
    out.key("tags").begin_object();
    for (const auto& [key, value] : tags) {
        // Values are bytes; what is no text is shown as base64.
        out.key(key).string(is_utf8(value) ? value : to_base64(value));
    }
    out.end_object();
}

void write_member(json::Writer& out, const service::FlowMember& member) {
    out.begin_object();
    out.key("execution_id").string(member.execution_id);
    if (!member.name.empty()) out.key("name").string(member.name);
    if (member.exists) {
        out.key("public_state").string(member.public_state);
        out.key("lane_id").string(member.lane_id);
        out.key("execution_kind").string(member.execution_kind);
        out.key("priority").integer(member.priority);
        write_time(out, "created_at", member.created_at);
        write_time(out, "completed_at", member.completed_at);
        if (!member.skip_reason.empty()) out.key("skip_reason").string(member.skip_reason);
        if (!member.cancellation_reason.empty()) {
            out.key("cancellation_reason").string(member.cancellation_reason);
        }
    } else {
        out.key("public_state").null();
    }
    out.end_object();
}

void write_edge(json::Writer& out, const service::FlowEdge& edge) {
    out.begin_object();
    out.key("edge_id").string(edge.edge_id);
    out.key("upstream_execution_id").string(edge.upstream);
    out.key("downstream_execution_id").string(edge.downstream);
    out.key("dependency_kind").string(edge.dependency_kind);
    if (!edge.data_passing_ref.empty()) {
        out.key("data_passing_ref").string(edge.data_passing_ref);
    }
    out.key("edge_state").string(edge.edge_state);
    write_time(out, "applied_at", edge.applied_at);
    write_time(out, "resolved_at", edge.resolved_at);
    out.end_object();
}

void write_group(json::Writer& out, const service::FlowGroup& group) {
    out.begin_object();
    out.key("downstream_execution_id").string(group.downstream);
    out.key("policy").string(group.policy);
    if (!group.on_satisfied.empty()) out.key("on_satisfied").string(group.on_satisfied);
    if (group.policy == "quorum") out.key("k").integer(group.k);
    out.key("state").string(group.state);
    out.key("n").integer(group.n);
    out.key("succeeded").integer(group.succeeded);
    out.key("failed").integer(group.failed);
    out.key("skipped").integer(group.skipped);
    out.end_object();
}

template <class Item, class Write>
void write_list(json::Writer& out, std::string_view name, const std::vector<Item>& items,
                Write write) {
    out.key(name).begin_array();
    for (const Item& item : items) write(out, item);
    out.end_array();
}

void write_cursor(json::Writer& out, const std::string& cursor) {
    out.key("next_cursor");
    if (cursor.empty()) {
        out.null();
    } else {
        out.string(cursor);
    }
}

Result<service::PageRequest> read_page(const Call& call, std::int64_t otherwise) {
    // Above the most is as much as there is (spec 07, section 3.1).
    FF_TRY(const auto limit, call.query_integer("limit", 1, kSafeIntegerMax));
    return service::PageRequest{
        .cursor = call.query("cursor").value_or(""),
        .limit = static_cast<std::size_t>(std::min(limit.value_or(otherwise), kPageMax))};
}

Task<http::Response> get_flow(service::Flows& flows, Call& call) {
    FF_CO_TRY(const model::FlowId id, parse_path<model::FlowId>(call, "id"));
    FF_CO_TRY(const service::FlowRecord flow, co_await flows.views().flow(id));
    co_return json_response(200, [&](json::Writer& out) {
        write_flow(out, flow);
        write_tags(out, flow.tags);
    });
}

Task<http::Response> get_graph(service::Flows& flows, Call& call) {
    FF_CO_TRY(const model::FlowId id, parse_path<model::FlowId>(call, "id"));
    FF_CO_TRY(service::PageRequest page, read_page(call, kPageDefault));
    FF_CO_TRY(const service::GraphPage graph, co_await flows.views().graph(id, std::move(page)));
    co_return json_response(200, [&](json::Writer& out) {
        write_flow(out, graph.flow);
        write_list(out, "nodes", graph.nodes, write_member);
        write_list(out, "edges", graph.edges, write_edge);
        write_list(out, "groups", graph.groups, write_group);
        write_cursor(out, graph.next_cursor);
    });
}

Task<http::Response> get_summary(service::Flows& flows, Call& call) {
    FF_CO_TRY(const model::FlowId id, parse_path<model::FlowId>(call, "id"));
    FF_CO_TRY(const service::FlowSummary summary, co_await flows.views().summary(id));
    co_return json_response(200, [&](json::Writer& out) {
        out.key("flow_id").string(id.to_string());
        out.key("public_flow_state").string(summary.public_flow_state);
        out.key("exact").boolean(summary.exact);
        write_time(out, "last_summary_update_at", summary.updated_at);
        for (const auto& [name, count] : summary.counts) out.key(name).integer(count);
    });
}

Task<http::Response> get_members(service::Flows& flows, Call& call) {
    FF_CO_TRY(const model::FlowId id, parse_path<model::FlowId>(call, "id"));
    FF_CO_TRY(service::PageRequest page, read_page(call, kPageDefault));
    FF_CO_TRY(const service::MemberPage found, co_await flows.views().members(id, std::move(page)));
    co_return json_response(200, [&](json::Writer& out) {
        write_list(out, "members", found.members, write_member);
        write_cursor(out, found.next_cursor);
    });
}

Task<http::Response> get_edges(service::Flows& flows, Call& call) {
    FF_CO_TRY(const model::FlowId id, parse_path<model::FlowId>(call, "id"));
    FF_CO_TRY(service::PageRequest page, read_page(call, kPageDefault));
    FF_CO_TRY(const service::EdgePage found, co_await flows.views().edges(id, std::move(page)));
    co_return json_response(200, [&](json::Writer& out) {
        write_list(out, "edges", found.edges, write_edge);
        write_cursor(out, found.next_cursor);
    });
}

Result<service::FlowQuery> read_query(const Call& call, const service::Flows& flows) {
    service::FlowQuery query;
    FF_TRY(query.page, read_page(call, kListDefault));
    const std::int64_t last = flows.partitions().num_flow_partitions() - 1;
    FF_TRY(const auto partition, call.query_integer("partition", 0, last));
    if (partition) query.partition = static_cast<std::uint16_t>(*partition);
    query.ns = call.query("namespace");
    query.public_flow_state = call.query("state");
    const std::string state = query.public_flow_state.value_or("open");
    if (state != "open" && state != "completed" && state != "failed" && state != "cancelled") {
        return invalid_input("state", "unknown");
    }
    if (const auto tag = call.query("tag")) {
        const std::size_t colon = tag->find(':');
        if (colon == std::string::npos) return invalid_input("tag", "not_key_value");
        query.tag.emplace(tag->substr(0, colon), tag->substr(colon + 1));
    }
    return query;
}

Task<http::Response> list_flows(service::Flows& flows, Call& call) {
    FF_CO_TRY(service::FlowQuery query, read_query(call, flows));
    FF_CO_TRY(const service::FlowPage page, co_await flows.list().list(std::move(query)));
    co_return json_response(200, [&](json::Writer& out) {
        write_list(out, "flows", page.flows, [](json::Writer& to, const service::FlowRecord& flow) {
            to.begin_object();
            write_flow(to, flow);
            to.end_object();
        });
        write_cursor(out, page.next_cursor);
    });
}

std::vector<FieldDoc> paging() {
    return {{.name = "cursor", .about = "next_cursor of the page before"},
            {.name = "limit", .kind = Kind::Integer, .about = "At most 1000"}};
}

}  // namespace

void add_flow_view_routes(Routes& routes, service::Flows& flows) {
    std::vector<FieldDoc> filters = paging();
    filters.insert(filters.end(),
                   {{.name = "partition", .kind = Kind::Integer},
                    {.name = "namespace"},
                    {.name = "tag", .about = "<key>:<value>, split at the first colon"},
                    {.name = "state", .type = "FlowState"}});
    routes.add({.method = "GET",
                .pattern = "/v1/flows",
                .doc = {.id = "listFlows",
                        .summary = "Flows, newest first; a page may hold fewer than its limit",
                        .query = filters,
                        .answer_type = "FlowPage",
                        .errors = {"invalid_cursor"}},
                .handle = [&flows](Call& call) { return list_flows(flows, call); }});
    routes.add({.method = "GET",
                .pattern = "/v1/flows/{id}",
                .doc = {.id = "getFlow",
                        .summary = "Get a flow",
                        .answer_type = "FlowDetails",
                        .errors = {"flow_not_found"}},
                .handle = [&flows](Call& call) { return get_flow(flows, call); }});
    routes.add({.method = "GET",
                .pattern = "/v1/flows/{id}/graph",
                .doc = {.id = "getFlowGraph",
                        .summary = "Nodes with their states, their inbound edges and joins",
                        .query = paging(),
                        .answer_type = "FlowGraph",
                        .errors = {"flow_not_found"}},
                .handle = [&flows](Call& call) { return get_graph(flows, call); }});
    routes.add({.method = "GET",
                .pattern = "/v1/flows/{id}/summary",
                .doc = {.id = "getFlowSummary",
                        .summary = "How many members are in which state",
                        .answer_type = "FlowSummary",
                        .errors = {"flow_not_found"}},
                .handle = [&flows](Call& call) { return get_summary(flows, call); }});
    routes.add({.method = "GET",
                .pattern = "/v1/flows/{id}/members",
                .doc = {.id = "listFlowMembers",
                        .summary = "The members in the order of their ids",
                        .query = paging(),
                        .answer_type = "FlowMemberPage",
                        .errors = {"flow_not_found"}},
                .handle = [&flows](Call& call) { return get_members(flows, call); }});
    routes.add({.method = "GET",
                .pattern = "/v1/flows/{id}/edges",
                .doc = {.id = "listFlowEdges",
                        .summary = "The edges in the order of their downstream's id",
                        .query = paging(),
                        .answer_type = "FlowEdgePage",
                        .errors = {"flow_not_found", "invalid_cursor"}},
                .handle = [&flows](Call& call) { return get_edges(flows, call); }});
}

}  // namespace ff::api
