#include "cli/commands.h"
#include "cli/try.h"

namespace ff::cli {

using flowfabric::AdminClient;
using flowfabric::Json;

namespace {

constexpr std::int64_t kMany = 9'007'199'254'740'991;

/// Adds `scope_type` and `scope_id` of TYPE:ID.
Result<Done> add_scope(Json& body, const Arguments& arguments) {
    if (!arguments.has("scope")) return Done{};
    const std::string scope = arguments.text("scope");
    const std::size_t mark = scope.find(':');
    if (mark == std::string::npos || mark == 0 || mark + 1 == scope.size())
        return invalid_input("--scope", "not TYPE:ID");
    body.set("scope_type", scope.substr(0, mark)).set("scope_id", scope.substr(mark + 1));
    return Done{};
}

Result<Json> budget_of(const Arguments& arguments) {
    FF_TRY(const auto hard, arguments.amounts("hard"));
    FF_TRY(const auto soft, arguments.amounts("soft"));
    if (hard.empty()) return invalid_input("--hard", "at least one limit is needed");
    Json dimensions = Json::array();
    Json hard_limits = Json::array();
    Json soft_limits = Json::array();
    for (const auto& [name, limit] : hard) {
        dimensions.push(name);
        hard_limits.push(limit);
        soft_limits.push(soft.contains(name) ? soft.at(name) : 0);
    }
    for (const auto& [name, limit] : soft) {
        if (!hard.contains(name)) return invalid_input("--soft", "no hard limit for " + name);
    }
    Json body = Json::object(
        {{"dimensions", dimensions}, {"hard_limits", hard_limits}, {"soft_limits", soft_limits}});
    FF_CHECK(add_scope(body, arguments));
    FF_TRY(const std::int64_t reset, arguments.integer("reset-ms", 0, 0, kMany));
    if (reset > 0) body.set("reset_interval_ms", reset);
    if (arguments.has("attach")) body.set("attach", true);
    return body;
}

Result<Json> quota_of(const Arguments& arguments) {
    FF_TRY(const std::int64_t rate, arguments.integer("rate", 0, 0, kMany));
    FF_TRY(const std::int64_t concurrent, arguments.integer("concurrent", 0, 0, kMany));
    FF_TRY(const std::int64_t window, arguments.integer("window-s", 60, 1, kMany));
    if (rate == 0 && concurrent == 0)
        return invalid_input("--rate", "a rate or --concurrent is needed");
    Json body = Json::object({{"window_seconds", window},
                              {"max_requests_per_window", rate},
                              {"max_concurrent", concurrent}});
    FF_CHECK(add_scope(body, arguments));
    if (arguments.has("attach")) body.set("attach", true);
    return body;
}

}  // namespace

int run_budget_create(Session& session, const Arguments& arguments) {
    FF_CLI_READ(const Json body, budget_of(arguments));
    FF_CLI_TRY(const AdminClient client, session.client());
    FF_CLI_TRY(const std::string id, client.create_budget(body));
    if (!session.json()) {
        session.line(id);
        return kDone;
    }
    return session.show(Json::object({{"status", "created"}, {"budget_id", id}}));
}

int run_budget_show(Session& session, const Arguments& arguments) {
    FF_CLI_TRY(const AdminClient client, session.client());
    FF_CLI_TRY(const Json budget, client.describe_budget(arguments.text("budget")));
    if (session.json()) return session.show(budget);
    session.line(budget["budget_id"].text() + "  " + budget["scope_type"].text() + ":" +
                 budget["scope_id"].text() + "  breaches " +
                 std::to_string(budget["breach_count"].integer()));
    Table table({"DIMENSION", "USED", "SOFT", "HARD", "REMAINING"});
    for (const auto& [name, hard] : budget["hard_limits"].members())
        table.row({name, std::to_string(budget["usage"][name].integer()),
                   budget["soft_limits"][name].is_null()
                       ? "-"
                       : std::to_string(budget["soft_limits"][name].integer()),
                   std::to_string(hard.integer()),
                   std::to_string(budget["remaining"][name].integer())});
    session.print(table);
    return kDone;
}

int run_budget_reset(Session& session, const Arguments& arguments) {
    FF_CLI_TRY(const AdminClient client, session.client());
    FF_CLI_TRY(const Json reply, client.reset_budget(arguments.text("budget")));
    return session.show(reply);
}

int run_quota_create(Session& session, const Arguments& arguments) {
    FF_CLI_READ(const Json body, quota_of(arguments));
    FF_CLI_TRY(const AdminClient client, session.client());
    FF_CLI_TRY(const std::string id, client.create_quota(body));
    if (!session.json()) {
        session.line(id);
        return kDone;
    }
    return session.show(Json::object({{"status", "created"}, {"quota_policy_id", id}}));
}

int run_quota_show(Session& session, const Arguments& arguments) {
    FF_CLI_TRY(const AdminClient client, session.client());
    FF_CLI_TRY(const Json quota, client.describe_quota(arguments.text("quota")));
    return session.show(quota);
}

}  // namespace ff::cli
