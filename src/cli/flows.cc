#include "cli/commands.h"
#include "cli/flow_drawing.h"
#include "cli/try.h"
#include "cli/words.h"

namespace ff::cli {

using flowfabric::AdminClient;
using flowfabric::FlowGraph;
using flowfabric::Json;
using flowfabric::Millis;

namespace {

constexpr std::int64_t kPageMax = 1000;
constexpr std::int64_t kWaitMsMax = 3'600'000;
/// Of 256 nodes each: more than a flow may have.
constexpr int kPagesMax = 1000;

/// All pages of a graph as one.
flowfabric::Result<FlowGraph> whole_graph(const AdminClient& client, const std::string& flow_id) {
    auto whole = client.flow_graph(flow_id);
    for (int page = 1; whole && !whole->next_cursor.empty() && page < kPagesMax; ++page) {
        auto more = client.flow_graph(flow_id, whole->next_cursor);
        if (!more) return more;
        for (const char* list : {"nodes", "edges", "groups"}) {
            Json joined = whole->raw[list];
            for (const Json& one : more->raw[list].items()) joined.push(one);
            whole->raw.set(list, std::move(joined));
        }
        whole->raw.set("next_cursor", more->raw["next_cursor"]);
        whole->nodes.insert(whole->nodes.end(), more->nodes.begin(), more->nodes.end());
        whole->edges.insert(whole->edges.end(), more->edges.begin(), more->edges.end());
        whole->next_cursor = more->next_cursor;
    }
    return whole;
}

}  // namespace

int run_flow_submit(Session& session, const Arguments& arguments) {
    FF_CLI_READ(const std::string text, read_input(arguments.text("file")));
    const auto graph = Json::parse(text);
    if (!graph) return session.usage(mistake(arguments.text("file") + " is no JSON."));
    FF_CLI_TRY(const AdminClient client, session.client());
    const auto submitted = client.submit_flow(*graph);
    if (!submitted) {
        session.fail(submitted.error());
        const auto body = Json::parse(submitted.error().body);
        if (!body) return kFailed;
        for (const Json& problem : (*body)["errors"].items())
            std::fprintf(stderr, "  %s: %s\n", problem["path"].text().c_str(),
                         problem["message"].text().c_str());
        return kFailed;
    }
    if (session.json()) {
        session.print_json(submitted->raw);
        return kDone;
    }
    session.line(submitted->flow_id);
    Table table({"NODE", "EXECUTION"});
    for (const auto& [name, id] : submitted->nodes) table.row({name, plain_id(id)});
    session.print(table);
    return kDone;
}

int run_flow_list(Session& session, const Arguments& arguments) {
    FF_CLI_READ(const std::int64_t limit, arguments.integer("limit", 50, 1, kPageMax));
    FF_CLI_TRY(const AdminClient client, session.client());
    FF_CLI_TRY(const auto page, client.list_flows({.ns = arguments.text("namespace"),
                                                   .tag = tag_filter(arguments.text("tag")),
                                                   .state = arguments.text("state"),
                                                   .limit = static_cast<int>(limit),
                                                   .cursor = arguments.text("cursor")}));
    if (session.json()) {
        session.print_json(page.raw);
        return kDone;
    }
    const std::int64_t now = now_ms();
    Table table({"FLOW", "STATE", "KIND", "NAMESPACE", "NODES", "CREATED"});
    for (const auto& flow : page.flows)
        table.row({flow.flow_id, session.paint_state(flow.public_state), flow.kind, flow.ns,
                   std::to_string(flow.node_count), age_text(flow.created_at, now)});
    session.print(table);
    session.tell_more(page.next_cursor);
    return kDone;
}

int run_flow_show(Session& session, const Arguments& arguments) {
    FF_CLI_TRY(const AdminClient client, session.client());
    FF_CLI_TRY(const FlowGraph graph, whole_graph(client, arguments.text("flow")));
    if (session.json()) {
        session.print_json(graph.raw);
        return kDone;
    }
    session.line(graph.flow.kind + "  " + graph.flow.flow_id + "  " +
                 session.paint_state(graph.flow.public_state));
    const auto paint = [&](const std::string& state) { return session.paint_state(state); };
    for (const std::string& line : draw_flow(graph.nodes, graph.edges, paint)) session.line(line);
    return kDone;
}

int run_flow_cancel(Session& session, const Arguments& arguments) {
    FF_CLI_READ(const std::int64_t wait, arguments.integer("wait-ms", 0, 0, kWaitMsMax));
    FF_CLI_TRY(const AdminClient client, session.client());
    FF_CLI_TRY(
        const auto cancelled,
        client.cancel_flow(arguments.text("flow"),
                           arguments.text("reason", "cancelled by an operator"), Millis(wait)));
    return session.show(cancelled.raw);
}

}  // namespace ff::cli
