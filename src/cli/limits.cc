#include "cli/commands.h"
#include "cli/try.h"

namespace ff::cli {

using flowfabric::AdminClient;
using flowfabric::Json;
using flowfabric::Scope;

namespace {

constexpr std::int64_t kMany = 9'007'199'254'740'991;

/// TYPE:ID taken apart.
Result<Scope> scope_of(const Arguments& arguments) {
    if (!arguments.has("scope")) return Scope{};
    const std::string scope = arguments.text("scope");
    const std::size_t mark = scope.find(':');
    if (mark == std::string::npos || mark == 0 || mark + 1 == scope.size())
        return invalid_input("--scope", "not TYPE:ID");
    return Scope{.type = scope.substr(0, mark), .id = scope.substr(mark + 1)};
}

Result<flowfabric::NewBudget> budget_of(const Arguments& arguments) {
    flowfabric::NewBudget budget{.attach = arguments.has("attach")};
    FF_TRY(budget.hard_limits, arguments.amounts("hard"));
    FF_TRY(budget.soft_limits, arguments.amounts("soft"));
    if (budget.hard_limits.empty()) return invalid_input("--hard", "at least one limit is needed");
    for (const auto& [name, limit] : budget.soft_limits) {
        if (!budget.hard_limits.contains(name))
            return invalid_input("--soft", "no hard limit for " + name);
    }
    FF_TRY(budget.scope, scope_of(arguments));
    if (budget.scope.type.empty()) return invalid_input("--scope", "a budget needs one");
    FF_TRY(const std::int64_t reset, arguments.integer("reset-ms", 0, 0, kMany));
    budget.reset_interval = flowfabric::Millis(reset);
    return budget;
}

Result<flowfabric::NewQuota> quota_of(const Arguments& arguments) {
    flowfabric::NewQuota quota{.attach = arguments.has("attach")};
    FF_TRY(quota.max_per_window, arguments.integer("rate", 0, 0, kMany));
    FF_TRY(quota.max_concurrent, arguments.integer("concurrent", 0, 0, kMany));
    FF_TRY(quota.window_seconds, arguments.integer("window-s", 60, 1, kMany));
    if (quota.max_per_window == 0 && quota.max_concurrent == 0)
        return invalid_input("--rate", "a rate or --concurrent is needed");
    FF_TRY(quota.scope, scope_of(arguments));
    return quota;
}

}  // namespace

int run_budget_create(Session& session, const Arguments& arguments) {
    FF_CLI_READ(const auto budget, budget_of(arguments));
    FF_CLI_TRY(const AdminClient client, session.client());
    FF_CLI_TRY(const std::string id, client.create_budget(budget));
    if (!session.json()) {
        session.line(id);
        return kDone;
    }
    return session.show(Json::object({{"status", "created"}, {"budget_id", id}}));
}

int run_budget_show(Session& session, const Arguments& arguments) {
    FF_CLI_TRY(const AdminClient client, session.client());
    FF_CLI_TRY(const auto budget, client.describe_budget(arguments.text("budget")));
    if (session.json()) return session.show(budget.raw);
    session.line(budget.budget_id + "  " + budget.scope.type + ":" + budget.scope.id +
                 "  breaches " + std::to_string(budget.breach_count));
    const auto amount = [](const flowfabric::Amounts& amounts, const std::string& name) {
        const auto found = amounts.find(name);
        return found == amounts.end() ? std::string("-") : std::to_string(found->second);
    };
    Table table({"DIMENSION", "USED", "SOFT", "HARD", "REMAINING"});
    for (const auto& [name, hard] : budget.hard_limits)
        table.row({name, amount(budget.usage, name), amount(budget.soft_limits, name),
                   std::to_string(hard), amount(budget.remaining, name)});
    session.print(table);
    return kDone;
}

int run_budget_reset(Session& session, const Arguments& arguments) {
    FF_CLI_TRY(const AdminClient client, session.client());
    FF_CLI_TRY(const std::int64_t next, client.reset_budget(arguments.text("budget")));
    return session.show(Json::object({{"status", "reset"}, {"next_reset_at", next}}));
}

int run_quota_create(Session& session, const Arguments& arguments) {
    FF_CLI_READ(const auto quota, quota_of(arguments));
    FF_CLI_TRY(const AdminClient client, session.client());
    FF_CLI_TRY(const std::string id, client.create_quota(quota));
    if (!session.json()) {
        session.line(id);
        return kDone;
    }
    return session.show(Json::object({{"status", "created"}, {"quota_policy_id", id}}));
}

int run_quota_show(Session& session, const Arguments& arguments) {
    FF_CLI_TRY(const AdminClient client, session.client());
    FF_CLI_TRY(const auto quota, client.describe_quota(arguments.text("quota")));
    return session.show(quota.raw);
}

}  // namespace ff::cli
