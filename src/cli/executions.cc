#include "cli/card.h"
#include "cli/commands.h"
#include "cli/follow.h"
#include "cli/steps.h"
#include "cli/try.h"
#include "cli/words.h"

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
        if (arguments.has("payload")) return mistake("Give --file or --payload, not both.");
        FF_TRY(made.payload, read_input(arguments.text("file")));
    }
    FF_TRY(const std::int64_t priority, arguments.integer("priority", 0, 0, kPriorityMax));
    made.priority = static_cast<int>(priority);
    FF_TRY(made.tags, arguments.pairs("tag"));
    FF_TRY(const std::int64_t delay, arguments.integer("delay-ms", 0, 0, kDelayMsMax));
    if (delay > 0) made.delay_until = flowfabric::Due::in(Millis(delay));
    if (!made.policy.empty() && !Json::parse(made.policy))
        return mistake("--policy is no JSON: " + made.policy);
    return made;
}

std::string duplicate_text(const flowfabric::CreatedExecution& created) {
    std::string text = "flowfabric: it was there already: " + created.public_state;
    if (created.expires_at != 0) text += ", kept until " + time_text(created.expires_at);
    return text;
}

/// Waits for the end and prints the result; a failure is told on standard error.
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
    if (arguments.has("follow")) {
        FF_CLI_TRY([[maybe_unused]] const auto shown,
                   follow_output(session, client, created.execution_id));
    }
    if (arguments.has("wait") || arguments.has("follow"))
        return wait_and_print(session, client, created.execution_id);
    if (session.json()) {
        Json told = Json::object({{"status", created.duplicate ? "duplicate" : "created"},
                                  {"execution_id", created.execution_id},
                                  {"public_state", created.public_state},
                                  {"retention_ms", created.retention_ms}});
        if (created.expires_at != 0) told.set("expires_at", created.expires_at);
        session.print_json(told);
    } else {
        session.line(plain_id(created.execution_id));
        if (created.duplicate) std::fprintf(stderr, "%s\n", duplicate_text(created).c_str());
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
    FF_CLI_TRY(const flowfabric::Tags tags, client.get_tags(id));
    Json shown_tags = Json::object();
    for (const auto& [key, value] : tags) shown_tags.set(key, value);
    info.raw.set("tags", std::move(shown_tags));
    std::vector<flowfabric::Step> steps;
    if (arguments.has("steps")) {
        FF_CLI_TRY(steps, read_all_steps(client, id));
    }
    if (session.json()) {
        if (arguments.has("explain")) {
            FF_CLI_TRY(auto why, client.explain(id));
            info.raw.set("explain", std::move(why.raw));
        }
        if (arguments.has("steps")) info.raw.set("steps", steps_json(steps));
        session.print_json(info.raw);
        return kDone;
    }
    print_card(session, info);
    if (arguments.has("steps")) {
        session.line("");
        print_steps(session, steps);
    }
    return arguments.has("explain") ? run_explain(session, arguments) : kDone;
}

int run_explain(Session& session, const Arguments& arguments) {
    FF_CLI_TRY(const AdminClient client, session.client());
    FF_CLI_TRY(const auto why, client.explain(arguments.text("execution")));
    if (session.json()) {
        session.print_json(why.raw);
    } else {
        print_explanation(session, why);
    }
    return kDone;
}

int run_list(Session& session, const Arguments& arguments) {
    FF_CLI_READ(const std::int64_t limit, arguments.integer("limit", 50, 1, kPageMax));
    if (arguments.has("tag") && !arguments.has("namespace"))
        return session.usage(mistake("--tag needs --namespace: tags are kept by namespace."));
    FF_CLI_TRY(const AdminClient client, session.client());
    FF_CLI_TRY(const auto page, client.list_executions({.lane = arguments.text("lane"),
                                                        .state = arguments.text("state"),
                                                        .ns = arguments.text("namespace"),
                                                        .tag = tag_filter(arguments.text("tag")),
                                                        .newest = !arguments.has("tag"),
                                                        .limit = static_cast<int>(limit),
                                                        .cursor = arguments.text("cursor")}));
    if (session.json()) {
        session.print_json(page.raw);
        return kDone;
    }
    if (page.executions.empty() && page.next_cursor.empty()) {
        std::fprintf(stderr, "flowfabric: no executions match\n");
        return kDone;
    }
    const std::int64_t now = now_ms();
    Table table({"EXECUTION", "STATE", "KIND", "CREATED", "LANE", "NAMESPACE", "PRIORITY"});
    for (const auto& one : page.executions)
        table.row({plain_id(one.execution_id), session.paint_state(one.public_state), one.kind,
                   age_text(one.created_at, now), one.lane, one.ns, std::to_string(one.priority)});
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
