#include "cli/commands.h"
#include "cli/try.h"

namespace ff::cli {

using flowfabric::AdminClient;
using flowfabric::Json;
using flowfabric::Scope;

namespace {

constexpr std::int64_t kPageMax = 1000;
constexpr std::int64_t kMany = 9'007'199'254'740'991;

std::string amount_text(const flowfabric::Amounts& amounts, const std::string& name,
                        const char* otherwise) {
    const auto found = amounts.find(name);
    return found == amounts.end() ? otherwise : std::to_string(found->second);
}

/// TYPE:ID taken apart.
Result<Scope> scope_of(const Arguments& arguments) {
    if (!arguments.has("scope")) return Scope{};
    const std::string scope = arguments.text("scope");
    const std::size_t mark = scope.find(':');
    if (mark == std::string::npos || mark == 0 || mark + 1 == scope.size())
        return mistake("--scope is TYPE:ID, not `" + scope + "`.");
    return Scope{.type = scope.substr(0, mark), .id = scope.substr(mark + 1)};
}

Result<flowfabric::NewBudget> budget_of(const Arguments& arguments) {
    flowfabric::NewBudget budget{.attach = arguments.has("attach")};
    FF_TRY(budget.hard_limits, arguments.amounts("hard"));
    FF_TRY(budget.soft_limits, arguments.amounts("soft"));
    if (budget.hard_limits.empty()) return mistake("A budget needs a limit: --hard NAME=N.");
    for (const auto& [name, limit] : budget.soft_limits) {
        if (!budget.hard_limits.contains(name))
            return mistake("--soft " + name + " needs a --hard limit of the same name.");
    }
    FF_TRY(budget.scope, scope_of(arguments));
    if (budget.scope.type.empty()) return mistake("A budget needs a scope: --scope TYPE:ID.");
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
        return mistake("A quota needs --rate, --concurrent or both.");
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

int run_budget_list(Session& session, const Arguments& arguments) {
    FF_CLI_READ(const std::int64_t limit, arguments.integer("limit", 50, 1, kPageMax));
    FF_CLI_TRY(const AdminClient client, session.client());
    FF_CLI_TRY(const auto page,
               client.list_budgets(arguments.text("cursor"), static_cast<int>(limit)));
    if (session.json()) {
        session.print_json(page.raw);
        return kDone;
    }
    Table table({"BUDGET", "SCOPE", "USED", "EXHAUSTED", "BREACHES"});
    for (const auto& budget : page.budgets) {
        std::string used;
        for (const auto& [name, hard] : budget.hard_limits)
            used += (used.empty() ? "" : "  ") + name + " " + amount_text(budget.usage, name, "0") +
                    "/" + std::to_string(hard);
        std::string exhausted;
        for (const std::string& name : budget.exhausted)
            exhausted += (exhausted.empty() ? "" : ",") + name;
        table.row({budget.budget_id, budget.scope.type + ":" + budget.scope.id, used,
                   exhausted.empty() ? "-" : exhausted, std::to_string(budget.breach_count)});
    }
    session.print(table);
    session.tell_more(page.next_cursor);
    return kDone;
}

int run_budget_show(Session& session, const Arguments& arguments) {
    FF_CLI_TRY(const AdminClient client, session.client());
    FF_CLI_TRY(const auto budget, client.describe_budget(arguments.text("budget")));
    if (session.json()) return session.show(budget.raw);
    session.line(budget.budget_id + "  " + budget.scope.type + ":" + budget.scope.id +
                 "  breaches " + std::to_string(budget.breach_count));
    Table table({"DIMENSION", "USED", "SOFT", "HARD", "REMAINING"});
    for (const auto& [name, hard] : budget.hard_limits)
        table.row({name, amount_text(budget.usage, name, "0"),
                   amount_text(budget.soft_limits, name, "-"), std::to_string(hard),
                   amount_text(budget.remaining, name, "-")});
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

int run_quota_list(Session& session, const Arguments& arguments) {
    FF_CLI_READ(const std::int64_t limit, arguments.integer("limit", 50, 1, kPageMax));
    FF_CLI_TRY(const AdminClient client, session.client());
    FF_CLI_TRY(const auto page,
               client.list_quotas(arguments.text("cursor"), static_cast<int>(limit)));
    if (session.json()) {
        session.print_json(page.raw);
        return kDone;
    }
    Table table({"QUOTA", "NAME", "SCOPE", "STARTS", "RUNNING"});
    const auto limit_text = [](std::int64_t most) {
        return most == 0 ? std::string("-") : std::to_string(most);
    };
    for (const auto& quota : page.quotas)
        table.row({quota.quota_id, quota.name.empty() ? "-" : quota.name,
                   quota.scope.type + ":" + quota.scope.id,
                   std::to_string(quota.window_entries) + "/" + limit_text(quota.max_per_window) +
                       " in " + std::to_string(quota.window_seconds) + " s",
                   std::to_string(quota.held_slots) + "/" + limit_text(quota.max_concurrent)});
    session.print(table);
    session.tell_more(page.next_cursor);
    return kDone;
}

int run_quota_show(Session& session, const Arguments& arguments) {
    FF_CLI_TRY(const AdminClient client, session.client());
    FF_CLI_TRY(const auto quota, client.describe_quota(arguments.text("quota")));
    return session.show(quota.raw);
}

}  // namespace ff::cli
