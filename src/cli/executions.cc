#include "cli/commands.h"
#include "cli/try.h"

namespace ff::cli {

using flowfabric::AdminClient;
using flowfabric::Json;
using flowfabric::Millis;

namespace {

constexpr std::int64_t kPriorityMax = 9000;
constexpr std::int64_t kDelayMsMax = 366LL * 24 * 3600 * 1000;
constexpr std::int64_t kPageMax = 1000;
constexpr Millis kLong{24LL * 3600 * 1000};

Result<flowfabric::NewExecution> execution_of(const Arguments& arguments) {
    flowfabric::NewExecution made{.kind = arguments.text("kind"),
                                  .payload = arguments.text("payload"),
                                  .lane = arguments.text("lane", "default"),
                                  .ns = arguments.text("namespace", "default"),
                                  .idempotency_key = arguments.text("idempotency-key"),
                                  .creator_identity = "flowfabric-cli",
                                  .policy = arguments.text("policy")};
    if (arguments.has("file")) {
        if (arguments.has("payload")) return invalid_input("--file", "not together with --payload");
        FF_TRY(made.payload, read_input(arguments.text("file")));
    }
    FF_TRY(const std::int64_t priority, arguments.integer("priority", 0, 0, kPriorityMax));
    made.priority = static_cast<int>(priority);
    FF_TRY(made.tags, arguments.pairs("tag"));
    FF_TRY(const std::int64_t delay, arguments.integer("delay-ms", 0, 0, kDelayMsMax));
    if (delay > 0) made.delay_until = flowfabric::Due::in(Millis(delay));
    if (!made.policy.empty() && !Json::parse(made.policy))
        return invalid_input("--policy", "no JSON");
    return made;
}

int wait_and_print(const Session& session, const AdminClient& client, const std::string& id) {
    FF_CLI_TRY(const auto ending, client.wait_for_terminal(id, kLong));
    if (ending.terminal_outcome != "success") {
        FF_CLI_TRY(const auto info, client.describe_execution(id));
        std::fprintf(stderr, "flowfabric: %s: %s\n", ending.public_state.c_str(),
                     info.failure_reason.c_str());
        return kFailed;
    }
    const auto result = client.get_result(id);
    if (result) session.write(*result + (result->ends_with('\n') ? "" : "\n"));
    if (!result && result.error().status != 404) return session.fail(result.error());
    return kDone;
}

}  // namespace

int run_submit(Session& session, const Arguments& arguments) {
    FF_CLI_READ(const auto execution, execution_of(arguments));
    FF_CLI_TRY(const AdminClient client, session.client());
    FF_CLI_TRY(const auto created, client.create_execution(execution));
    if (arguments.has("wait")) return wait_and_print(session, client, created.execution_id);
    if (session.json()) {
        session.print_json(Json::object({{"status", created.duplicate ? "duplicate" : "created"},
                                         {"execution_id", created.execution_id},
                                         {"public_state", created.public_state}}));
    } else {
        session.line(created.execution_id);
        if (created.duplicate) std::fprintf(stderr, "flowfabric: it was there already\n");
    }
    return kDone;
}

int run_get(Session& session, const Arguments& arguments) {
    FF_CLI_TRY(const AdminClient client, session.client());
    const std::string id = arguments.text("execution");
    if (arguments.has("result")) {
        FF_CLI_TRY(const std::string result, client.get_result(id));
        session.write(result);
        return kDone;
    }
    FF_CLI_TRY(flowfabric::ExecutionInfo info, client.describe_execution(id));
    Json shown = std::move(info.raw);
    if (arguments.has("explain")) {
        FF_CLI_TRY(auto why, client.explain(id));
        shown.set("explain", std::move(why.raw));
    }
    return session.show(shown);
}

int run_list(Session& session, const Arguments& arguments) {
    FF_CLI_READ(const std::int64_t limit, arguments.integer("limit", 50, 1, kPageMax));
    if (arguments.has("tag") && !arguments.has("namespace"))
        return session.usage(invalid_input("--tag", "needs --namespace"));
    FF_CLI_TRY(const AdminClient client, session.client());
    FF_CLI_TRY(const auto page, client.list_executions({.lane = arguments.text("lane"),
                                                        .state = arguments.text("state"),
                                                        .ns = arguments.text("namespace"),
                                                        .tag = arguments.text("tag"),
                                                        .limit = static_cast<int>(limit),
                                                        .cursor = arguments.text("cursor")}));
    if (session.json()) {
        session.print_json(page.raw);
        return kDone;
    }
    Table table({"EXECUTION", "STATE", "KIND", "LANE", "NAMESPACE", "PRIORITY", "CREATED"});
    for (const auto& one : page.executions)
        table.row({one.execution_id, session.paint_state(one.public_state), one.kind, one.lane,
                   one.ns, std::to_string(one.priority), time_text(one.created_at)});
    session.print(table);
    session.tell_more(page.next_cursor);
    return kDone;
}

int run_cancel(Session& session, const Arguments& arguments) {
    FF_CLI_TRY(const AdminClient client, session.client());
    const std::string id = arguments.text("execution");
    FF_CLI_TRY(const std::string state,
               client.cancel_execution(id, arguments.text("reason", "cancelled by an operator")));
    return session.show(
        Json::object({{"status", "cancelled"}, {"execution_id", id}, {"public_state", state}}));
}

int run_retry(Session& session, const Arguments& arguments) {
    FF_CLI_TRY(const AdminClient client, session.client());
    const std::string id = arguments.text("execution");
    const std::string reason = arguments.text("reason", "retried by an operator");
    if (arguments.has("subgraph")) {
        FF_CLI_TRY(const auto ids, client.replay_subgraph(id, reason));
        return session.show(Json::object({{"status", "replayed"},
                                          {"count", static_cast<std::int64_t>(ids.size())},
                                          {"execution_ids", Json::texts(ids)}}));
    }
    FF_CLI_TRY(const std::string state, client.replay_execution(id, reason));
    return session.show(
        Json::object({{"status", "replayed"}, {"execution_id", id}, {"public_state", state}}));
}

}  // namespace ff::cli
