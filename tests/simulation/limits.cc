#include "simulation/limits.h"

#include <algorithm>

#include "model/budget_keys.h"
#include "model/exec_keys.h"
#include "model/quota_keys.h"

namespace ff::simulation {
namespace {

/// A budget counts so many dimensions at most, and each report is one.
constexpr std::size_t kReportsMost = 400;
constexpr std::int64_t kBeyondAnyUse = std::int64_t{1} << 40;
constexpr const char* kBudgetKept = "budgets stay within their limits";
constexpr const char* kQuotaKept = "quotas are never above their limits";
constexpr const char* kCountedOnce = "usage counts once";

}  // namespace

Limits::Limits(const Plan& plan, Chances& chances, StoreProcess& process, Ledger& ledger)
    : plan_(plan), process_(process), ledger_(ledger), partitions_(partitions_of(plan)) {
    if (plan.limits.budget > 0) budget_ = model::BudgetId::mint(chances.random());
    if (plan.limits.concurrent > 0 || plan.limits.rate > 0)
        quota_ = model::QuotaPolicyId::mint(chances.random());
}

std::string Limits::policy_members() const {
    std::string members;
    if (budget_) members += R"("budget_ids":[")" + budget_->to_string() + R"("],)";
    if (quota_) members += R"("quota_policy_id":")" + quota_->to_string() + R"(",)";
    return members;
}

Task<Done> Limits::establish(Server& server) {
    if (budget_) {
        service::NewBudget budget{.id = budget_, .enforcement_mode = "strict"};
        budget.scope = {.type = "execution", .id = "any"};
        budget.limits = {{.dimension = kDimension, .hard = plan_.limits.budget}};
        FF_CO_CHECK(co_await server.services().budgets.create(std::move(budget)));
    }
    if (quota_) {
        service::NewQuota quota{.id = quota_,
                                .window_seconds = plan_.limits.rate > 0 ? 1 : 0,
                                .requests_per_window_max = plan_.limits.rate,
                                .concurrent_max = plan_.limits.concurrent};
        FF_CO_CHECK(co_await server.services().quotas.create(std::move(quota)));
    }
    co_return Done{};
}

Task<Done> Limits::lift(Server& server) {
    if (!budget_) co_return Done{};
    check_budget_limit();
    lifted_ = true;
    service::BudgetChange change{.id = *budget_, .actor = "world", .reason = "calm"};
    change.limits.push_back({.dimension = kDimension, .hard = kBeyondAnyUse});
    FF_CO_CHECK(co_await server.services().budgets.update(std::move(change)));
    co_return Done{};
}

std::int64_t Limits::number_at(const std::string& key, const std::string& field) {
    const resp::Value value = process_.look({"HGET", key, field});
    return value.is_null() ? 0 : std::stoll(std::string(*value.text()));
}

std::int64_t Limits::spent() const {
    std::int64_t sum = 0;
    for (const auto& [name, report] : reports_) sum += report.is_spent ? report.amount : 0;
    return sum;
}

/// What was only asked for never passes the limit.
void Limits::check_budget_limit() {
    if (!budget_ || lifted_ || !process_.life()) return;
    const std::int64_t used =
        number_at(model::BudgetKeys(*budget_, partitions_).usage(), kDimension);
    if (used > plan_.limits.budget + spent())
        ledger_.broke_limit(kBudgetKept, budget_->to_string() + ": " + std::to_string(used) +
                                             " used of " + std::to_string(plan_.limits.budget));
}

void Limits::claimed(const model::ExecutionId& id) {
    if (!quota_ || !process_.life() || std::ranges::find(governed_, id) == governed_.end()) return;
    const model::QuotaKeys keys(*quota_, partitions_);
    const auto above = [&](std::int64_t count, std::int64_t most, const char* of_what) {
        if (most > 0 && count > most)
            ledger_.broke_limit(kQuotaKept, quota_->to_string() + ": " + std::to_string(count) +
                                                of_what + std::to_string(most));
    };
    const std::string core = model::ExecKeys(id).core();
    const bool runs = process_.look({"HGET", core, "lifecycle_phase"}).text() == "active";
    if (runs && plan_.limits.concurrent > 0 &&
        process_.look({"SISMEMBER", keys.admitted_set(), id.to_string()}).to_integer() != 1)
        ledger_.broke(kQuotaKept, id, "runs without the place that it was given");
    above(process_.look({"SCARD", keys.admitted_set()}).to_integer().value_or(0),
          plan_.limits.concurrent, " places are taken of ");
    const std::string since = "(" + std::to_string(to_ms(ledger_.now()) - 1000);
    above(process_.look({"ZCOUNT", keys.window(), since, "+inf"}).to_integer().value_or(0),
          plan_.limits.rate, " were let in within a second of ");
}

std::string Limits::new_report(KnownReport report) {
    if (reports_.size() >= kReportsMost) return "";
    std::string name = "report-" + std::to_string(reports_.size());
    reports_.emplace(name, report);
    return name;
}

std::int64_t Limits::counted_by_attempt(const std::string& name, const KnownReport& report) {
    return number_at(model::ExecKeys(report.id).attempt_usage(report.attempt), name);
}

std::int64_t Limits::counted_by_budget(const std::string& name) {
    return number_at(model::BudgetKeys(*budget_, partitions_).usage(), name);
}

bool Limits::is_counted(const std::string& name) {
    if (!process_.life()) return false;
    const KnownReport& known = report(name);
    const bool is_governed = std::ranges::find(governed_, known.id) != governed_.end();
    return budget_ && is_governed ? counted_by_budget(name) > 0
                                  : counted_by_attempt(name, known) > 0;
}

void Limits::inspect_report(const std::string& name, const KnownReport& report) {
    using Told = KnownReport::Told;
    const auto check = [&](std::int64_t times, std::int64_t least, const char* by_whom) {
        if (times > 1 || times < least)
            ledger_.broke(kCountedOnce, report.id,
                          name + " was counted " + std::to_string(times) + " times by " + by_whom);
    };
    // One that was late was answered by the budget alone.
    check(counted_by_attempt(name, report), report.told == Told::CountedAtOnce ? 1 : 0,
          "the attempt");
    if (!budget_ || std::ranges::find(governed_, report.id) == governed_.end()) return;
    const std::int64_t times = counted_by_budget(name);
    const bool refused = report.told == Told::Breached && !report.is_spent;
    check(times, report.told == Told::Nothing || refused ? 0 : 1, "the budget");
    if (refused && times > 0)
        ledger_.broke(kCountedOnce, report.id, name + " was refused and counted");
}

void Limits::inspect() {
    std::int64_t sum = 0;
    for (const auto& [name, report] : reports_) {
        inspect_report(name, report);
        if (budget_ && counted_by_budget(name) > 0) sum += report.amount;
    }
    if (!budget_) return;
    const std::int64_t used =
        number_at(model::BudgetKeys(*budget_, partitions_).usage(), kDimension);
    if (used != sum)
        ledger_.broke_limit(kCountedOnce, budget_->to_string() + ": " + std::to_string(used) +
                                              " used, " + std::to_string(sum) + " reported");
}

}  // namespace ff::simulation
