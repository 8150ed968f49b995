#include "cli/commands.h"
#include "cli/flow_drawing.h"
#include "cli/try.h"

namespace ff::cli {

using flowfabric::AdminClient;
using flowfabric::Json;
using flowfabric::Millis;

namespace {

constexpr std::int64_t kWaitMsMax = 3'600'000;
/// Of 256 nodes each: more than a flow may have.
constexpr int kPagesMax = 1000;

/// All pages of a graph as one.
flowfabric::Result<Json> whole_graph(const AdminClient& client, const std::string& flow_id) {
    Json whole;
    Json nodes = Json::array();
    Json edges = Json::array();
    std::string cursor;
    for (int page = 0; page < kPagesMax; ++page) {
        auto read = client.flow_graph(flow_id, cursor);
        if (!read) return read;
        for (const Json& node : (*read)["nodes"].items()) nodes.push(node);
        for (const Json& edge : (*read)["edges"].items()) edges.push(edge);
        cursor = (*read)["next_cursor"].text();
        whole = *std::move(read);
        if (cursor.empty()) break;
    }
    whole.set("nodes", std::move(nodes)).set("edges", std::move(edges));
    return whole;
}

}  // namespace

int run_flow_submit(Session& session, const Arguments& arguments) {
    FF_CLI_READ(const std::string text, read_input(arguments.text("file")));
    const auto graph = Json::parse(text);
    if (!graph) return session.usage(invalid_input(arguments.text("file"), "no JSON"));
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
    for (const auto& [name, id] : submitted->nodes) table.row({name, id});
    session.print(table);
    return kDone;
}

int run_flow_show(Session& session, const Arguments& arguments) {
    FF_CLI_TRY(const AdminClient client, session.client());
    FF_CLI_TRY(const Json graph, whole_graph(client, arguments.text("flow")));
    if (session.json()) {
        session.print_json(graph);
        return kDone;
    }
    session.line(graph["flow_kind"].text() + "  " + graph["flow_id"].text() + "  " +
                 session.paint_state(graph["public_flow_state"].text()));
    const auto paint = [&](const std::string& state) { return session.paint_state(state); };
    for (const std::string& line : draw_flow(graph["nodes"].items(), graph["edges"].items(), paint))
        session.line(line);
    return kDone;
}

int run_flow_cancel(Session& session, const Arguments& arguments) {
    FF_CLI_READ(const std::int64_t wait, arguments.integer("wait-ms", 0, 0, kWaitMsMax));
    FF_CLI_TRY(const AdminClient client, session.client());
    FF_CLI_TRY(
        const Json reply,
        client.cancel_flow(arguments.text("flow"),
                           arguments.text("reason", "cancelled by an operator"), Millis(wait)));
    return session.show(reply);
}

}  // namespace ff::cli
