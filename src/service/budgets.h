#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/task.h"
#include "base/time.h"
#include "engine/budget.h"
#include "model/execution_id.h"
#include "model/ids.h"
#include "service/context.h"

namespace ff::service {

struct NewBudget {
    /// Minted where absent.
    std::optional<model::BudgetId> id{};
    model::PolicyScope scope{};
    std::string enforcement_mode{};
    std::string on_hard_limit{};
    std::string on_soft_limit{};
    Millis reset_interval{0};
    std::vector<engine::BudgetLimit> limits{};
    /// Any of name, created_by, currency, cost_unit, escalation_target.
    std::map<std::string, std::string> meta{};
    /// Governs its scope at once, not only those that name it.
    bool attach = false;
};

struct CreatedBudget {
    model::BudgetId id;
    bool already_satisfied = false;
};

using DimensionAmounts = std::map<std::string, std::int64_t>;

/// What a budget allows and what has been used of it (spec 06, section 3.5).
struct BudgetStatus {
    model::BudgetId id;
    model::PolicyScope scope{};
    std::string enforcement_mode{};
    std::string on_hard_limit{};
    std::string on_soft_limit{};
    std::string name{};
    DimensionAmounts usage{};
    DimensionAmounts hard_limits{};
    DimensionAmounts soft_limits{};
    /// Of the dimensions with a hard limit.
    DimensionAmounts remaining{};
    std::vector<std::string> exhausted_dimensions{};
    std::int64_t breach_count = 0;
    std::int64_t soft_breach_count = 0;
    std::int64_t reset_count = 0;
    std::int64_t limits_revision = 0;
    std::int64_t reset_interval_ms = 0;
    std::optional<Timestamp> last_breach_at{};
    std::string last_breach_dimension{};
    std::optional<Timestamp> next_reset_at{};
    std::optional<Timestamp> created_at{};
};

struct BudgetPage {
    std::vector<BudgetStatus> budgets{};
    std::string next_cursor{};
};

struct BudgetChange {
    model::BudgetId id;
    std::string actor{};
    std::string reason{};
    std::vector<engine::UpdateBudget::Change> limits{};
    std::string enforcement_mode{};
    std::string on_hard_limit{};
    std::string on_soft_limit{};
};

struct UsageReport {
    model::BudgetId id;
    DimensionAmounts amounts{};
    std::optional<model::DedupId> dedup_id{};
};

/// Budgets of tokens, money or anything that is counted (spec 06, section 3). Lives on the
/// context's loop.
class Budgets {
  public:
    explicit Budgets(const Context& context) : context_(context) {}

    const model::PartitionConfig& partitions() const { return context_.rules.partitions; }

    Task<CreatedBudget> create(NewBudget budget);
    /// `budget_not_found` if there is none.
    Task<BudgetStatus> get(model::BudgetId id);
    /// In the order of their ids.
    Task<BudgetPage> list(std::string cursor, std::size_t limit);
    /// The new revision of the limits.
    Task<std::int64_t> update(BudgetChange change);
    Task<engine::UsageVerdict> report(UsageReport report);
    /// As `report`, and remembered as what this execution spent.
    Task<engine::UsageVerdict> spend(UsageReport report, model::ExecutionId execution_id,
                                     engine::SpendMode mode);
    Task<engine::ReleaseBudget::Outcome> release(model::BudgetId id,
                                                 model::ExecutionId execution_id);
    /// When the next reset comes by itself, if ever.
    Task<std::optional<Timestamp>> reset(model::BudgetId id);
    /// Only to the scope that the budget was made for, `budget_attach_conflict` otherwise.
    Task<Done> attach(model::BudgetId id, model::PolicyScope scope);
    Task<Done> detach(model::BudgetId id, model::PolicyScope scope);

  private:
    engine::BudgetAddress address(const model::BudgetId& id) const {
        return {.id = id, .partitions = context_.rules.partitions};
    }

    Context context_;
};

}  // namespace ff::service
