#include "service/scope_gate.h"

#include <algorithm>
#include <vector>

#include "engine/budget.h"
#include "engine/operation.h"
#include "model/error_catalogue.h"
#include "sched/attachments.h"
#include "sched/budget_room.h"

namespace ff::service {
namespace {

constexpr std::string_view kDenyChild = "deny_child";
constexpr std::string_view kCloseScope = "close_scope";

void add_budgets(std::map<std::string, std::string>& to, const sched::ScopePolicies* scope,
                 std::string_view action) {
    if (scope == nullptr) return;
    for (const std::string& id : scope->budgets) to.emplace(id, action);
}

bool has_action(const engine::GetBudget::Outcome& budget, const std::string& action) {
    return std::ranges::find(budget.definition,
                             std::pair<std::string, std::string>("on_hard_limit", action)) !=
           budget.definition.end();
}

}  // namespace

Task<Done> ScopeGate::admit_member(model::FlowId flow) {
    FF_CO_TRY(const auto attached, co_await context_.claimer.attachments().view());
    std::map<std::string, std::string> budgets;
    add_budgets(budgets, attached->find("flow", flow.to_string()), kDenyChild);
    co_return co_await ask(std::move(budgets));
}

Task<Done> ScopeGate::admit_executions(std::set<std::string> lanes, model::Namespace ns) {
    FF_CO_TRY(const auto attached, co_await context_.claimer.attachments().view());
    std::map<std::string, std::string> budgets;
    for (const std::string& lane : lanes) {
        add_budgets(budgets, attached->find("lane", lane), kCloseScope);
    }
    add_budgets(budgets, attached->find("tenant", ns.text()), kCloseScope);
    co_return co_await ask(std::move(budgets));
}

Task<Done> ScopeGate::ask(std::map<std::string, std::string> budgets) {
    std::vector<engine::GetBudget> reads;
    for (const auto& [id, action] : budgets) {
        const auto parsed = model::BudgetId::parse(id);
        if (!parsed) continue;
        reads.push_back({.budget = {.id = *parsed, .partitions = context_.rules.partitions}});
    }
    if (reads.empty()) co_return Done{};
    const std::vector<engine::GetBudget> asked = reads;
    const auto answers = co_await engine::run_all(context_.store, std::move(reads));
    for (std::size_t i = 0; i < answers.size(); ++i) {
        const std::string id = asked[i].budget.id.to_string();
        if (!answers[i]) {
            // A policy that is gone limits nothing (spec 06, section 5).
            if (answers[i].error().code == "budget_not_found") continue;
            co_return answers[i].error();
        }
        if (!has_action(*answers[i], budgets[id])) continue;
        const auto why = sched::why_exhausted(id, *answers[i]);
        if (why) co_return model::make_error("budget_exceeded", {id, *why});
    }
    co_return Done{};
}

}  // namespace ff::service
