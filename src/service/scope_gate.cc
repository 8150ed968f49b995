#include "service/scope_gate.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "engine/budget.h"
#include "engine/operation.h"
#include "model/error_catalogue.h"
#include "sched/attachments.h"
#include "sched/budget_room.h"
#include "sched/claimer.h"

namespace ff::service {
namespace {

constexpr std::string_view kDenyChild = "deny_child";
constexpr std::string_view kCloseScope = "close_scope";

void add_budgets(std::set<std::string>& to, const sched::ScopePolicies* scope) {
    if (scope != nullptr) to.insert(scope->budgets.begin(), scope->budgets.end());
}

bool has_action(const engine::GetBudget::Outcome& budget, std::string_view action) {
    return std::ranges::any_of(budget.definition, [&](const auto& field) {
        return field.first == "on_hard_limit" && field.second == action;
    });
}

/// `action` is a literal.
Task<Done> ask(const Context& context, std::set<std::string> budgets, std::string_view action) {
    std::vector<std::string> ids;
    std::vector<engine::GetBudget> reads;
    for (const std::string& id : budgets) {
        const auto parsed = model::BudgetId::parse(id);
        if (!parsed) continue;
        ids.push_back(id);
        reads.push_back({.budget = {.id = *parsed, .partitions = context.rules.partitions}});
    }
    if (reads.empty()) co_return Done{};
    const auto answers = co_await engine::run_all(context.store, std::move(reads));
    for (std::size_t i = 0; i < answers.size(); ++i) {
        if (!answers[i]) {
            // A policy that is gone limits nothing (spec 06, section 5).
            if (answers[i].error().code == "budget_not_found") continue;
            co_return answers[i].error();
        }
        if (!has_action(*answers[i], action)) continue;
        const auto why = sched::why_exhausted(ids[i], *answers[i]);
        if (why) co_return model::make_error("budget_exceeded", {*why, ids[i]});
    }
    co_return Done{};
}

}  // namespace

Task<Done> check_scope_open(const Context& context, model::LaneId lane, model::Namespace ns) {
    std::set<model::LaneId> lanes{std::move(lane)};
    co_return co_await check_scopes_open(context, std::move(lanes), std::move(ns));
}

Task<Done> check_scopes_open(const Context& context, std::set<model::LaneId> lanes,
                             model::Namespace ns) {
    FF_CO_TRY(const auto attached, co_await context.claimer.attachments().view());
    std::set<std::string> budgets;
    for (const model::LaneId& lane : lanes) {
        add_budgets(budgets, attached->find("lane", lane.text()));
    }
    add_budgets(budgets, attached->find("tenant", ns.text()));
    co_return co_await ask(context, std::move(budgets), kCloseScope);
}

Task<Done> check_flow_open(const Context& context, model::FlowId flow) {
    FF_CO_TRY(const auto attached, co_await context.claimer.attachments().view());
    std::set<std::string> budgets;
    add_budgets(budgets, attached->find("flow", flow.to_string()));
    co_return co_await ask(context, std::move(budgets), kDenyChild);
}

}  // namespace ff::service
