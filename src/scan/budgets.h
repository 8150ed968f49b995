#pragma once

#include <map>
#include <string>

#include "engine/budget.h"
#include "scan/scanner.h"
#include "scan/set_walk.h"

namespace ff::scan {

/// `budget_reconciler`: says rightly since when a budget is exhausted, and forgets executions that
/// are over. Never changes what was used.
class BudgetReconciler final : public Scanner {
  public:
    Kind kind() const override { return Kind::BudgetReconciler; }
    boost::asio::awaitable<void> cycle(Cycle& cycle) override;

  private:
    boost::asio::awaitable<void> reconcile(Cycle& cycle, WalkMember policy);
    boost::asio::awaitable<void> correct_breach(Cycle& cycle, engine::BudgetAddress budget,
                                                engine::GetBudget::Outcome snapshot);
    /// Executions without anything left in the ledger.
    boost::asio::awaitable<void> prune_ledger(Cycle& cycle, engine::BudgetAddress budget);
    /// A page of the executions that list the budget: those that are over.
    boost::asio::awaitable<void> prune_executions(Cycle& cycle, engine::BudgetAddress budget);

    SetWalk policies_{100};
    /// By key: where the next page of executions begins.
    std::map<std::string, std::string> executions_left_at_{};
};

}  // namespace ff::scan
