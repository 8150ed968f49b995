#include "scan/budgets.h"

#include <algorithm>
#include <utility>

#include "base/numbers.h"
#include "model/budget_keys.h"
#include "model/exec_keys.h"
#include "scan/range_read.h"

namespace ff::scan {
namespace asio = boost::asio;
namespace {

constexpr std::size_t kExecutionsPerPass = 100;

std::string field_of(const engine::Fields& fields, std::string_view name) {
    const auto found = std::ranges::find(fields, name, [](const auto& pair) { return pair.first; });
    return found == fields.end() ? std::string() : found->second;
}

bool is_exhausted(const engine::GetBudget::Outcome& snapshot) {
    constexpr std::string_view kHard = "hard:";
    return std::ranges::any_of(snapshot.limits, [&](const auto& limit) {
        if (!limit.first.starts_with(kHard)) return false;
        const auto hard = parse_i64(limit.second).value_or(0);
        const std::string used = field_of(snapshot.usage, limit.first.substr(kHard.size()));
        return hard > 0 && parse_i64(used).value_or(0) >= hard;
    });
}

asio::awaitable<void> remove_members(Cycle& cycle, std::string key,
                                     std::vector<std::string> members) {
    if (members.empty()) co_return;
    store::Call remove;
    remove.command.arg("SREM").arg(key);
    for (const std::string& member : members) remove.command.arg(member);
    remove.resend_safe = true;
    const auto removed = co_await cycle.store().call(std::move(remove));
    if (!removed) cycle.unread(removed.error());
}

}  // namespace

asio::awaitable<void> BudgetReconciler::cycle(Cycle& cycle) {
    std::vector<WalkPlace> places;
    for (const std::uint16_t p : cycle.territory().share(model::PartitionFamily::Budget)) {
        const model::BudgetIndexKeys keys({model::PartitionFamily::Budget, p});
        places.push_back(WalkPlace{.partition = p, .key = keys.policies()});
    }
    policies_.begin(std::move(places));
    while (policies_.more() && !cycle.stopping()) {
        const std::vector<WalkMember> policies = co_await policies_.next(cycle);
        for (const WalkMember& policy : policies) {
            if (cycle.stopping()) co_return;
            if (!cycle.skips(policy.member)) co_await reconcile(cycle, policy);
        }
    }
}

asio::awaitable<void> BudgetReconciler::reconcile(Cycle& cycle, WalkMember policy) {
    const auto id = model::BudgetId::parse(policy.member);
    if (!id) {
        cycle.malformed(policy.member, id.error());
        co_return;
    }
    const engine::BudgetAddress budget{.id = *id, .partitions = cycle.partitions()};
    engine::GetBudget get{.budget = budget};
    auto snapshot = co_await engine::run(cycle.store(), std::move(get));
    if (!snapshot && snapshot.error().code == "budget_not_found") {
        std::vector<std::string> gone{policy.member};
        co_await remove_members(cycle, policy.place->key, std::move(gone));
        co_return;
    }
    if (!snapshot) {
        cycle.failed(policy.member, snapshot.error());
        co_return;
    }
    cycle.succeeded(policy.member);
    co_await correct_breach(cycle, budget, *std::move(snapshot));
    co_await prune_ledger(cycle, budget);
    co_await prune_executions(cycle, budget);
}

asio::awaitable<void> BudgetReconciler::correct_breach(Cycle& cycle, engine::BudgetAddress budget,
                                                       engine::GetBudget::Outcome snapshot) {
    const bool exhausted = is_exhausted(snapshot);
    const bool marked = !field_of(snapshot.definition, "breached_at").empty();
    if (exhausted == marked) co_return;
    const std::string since = exhausted ? to_string(cycle.now()) : std::string();
    const std::string key = model::BudgetKeys(budget.id, budget.partitions).definition();
    store::Call write = store::plain({"HSET", key, "breached_at", since}, true);
    const auto written = co_await cycle.store().call(std::move(write));
    if (!written) cycle.unread(written.error());
}

asio::awaitable<void> BudgetReconciler::prune_ledger(Cycle& cycle, engine::BudgetAddress budget) {
    const model::BudgetKeys keys(budget.id, budget.partitions);
    SetWalk index(kExecutionsPerPass);
    std::vector<WalkPlace> places{WalkPlace{.key = keys.by_execution_index()}};
    index.begin(std::move(places));
    while (index.more() && !cycle.stopping()) {
        const std::vector<WalkMember> page = co_await index.next(cycle);
        std::vector<store::Call> reads;
        std::vector<std::string> asked;
        for (const WalkMember& one : page) {
            const auto id = model::ExecutionId::parse(one.member);
            if (!id) continue;
            reads.push_back(store::plain({"EXISTS", keys.by_execution(*id)}, true));
            asked.push_back(one.member);
        }
        if (reads.empty()) continue;
        const auto found = co_await cycle.store().pipeline(std::move(reads));
        std::vector<std::string> gone;
        for (std::size_t i = 0; i < asked.size(); ++i) {
            if (found[i] && found[i]->to_integer() == 0) gone.push_back(asked[i]);
        }
        co_await remove_members(cycle, keys.by_execution_index(), std::move(gone));
    }
}

asio::awaitable<void> BudgetReconciler::prune_executions(Cycle& cycle,
                                                         engine::BudgetAddress budget) {
    const std::string key = model::BudgetKeys(budget.id, budget.partitions).executions();
    const auto left = executions_left_at_.find(key);
    const std::string cursor = left == executions_left_at_.end() ? "0" : left->second;
    store::Call read = SetPage::call(key, cursor, kExecutionsPerPass);
    const auto reply = co_await cycle.store().call(std::move(read));
    const Result<SetPage> page = reply ? SetPage::read(*reply) : reply.error();
    if (!page) {
        cycle.unread(page.error());
        co_return;
    }
    executions_left_at_.erase(key);
    if (page->cursor != "0") executions_left_at_[key] = page->cursor;
    std::vector<store::Call> reads;
    std::vector<std::string> asked;
    for (const std::string& member : page->members) {
        const auto id = model::ExecutionId::parse(member);
        if (!id) continue;
        const std::string core = model::ExecKeys(*id).core();
        reads.push_back(store::plain({"HGET", core, "lifecycle_phase"}, true));
        asked.push_back(member);
    }
    if (reads.empty()) co_return;
    const auto found = co_await cycle.store().pipeline(std::move(reads));
    std::vector<std::string> over;
    for (std::size_t i = 0; i < asked.size(); ++i) {
        const bool known = found[i].has_value();
        if (known && (found[i]->is_null() || found[i]->text() == "terminal")) {
            over.push_back(asked[i]);
        }
    }
    co_await remove_members(cycle, key, std::move(over));
}

}  // namespace ff::scan
