#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/task.h"
#include "model/ids.h"
#include "service/context.h"

namespace ff::service {

/// Whether the budgets and the quota that a policy names exist. Work under a limit that nobody has
/// created would run without one. Lives on the context's loop.
class NamedLimits {
  public:
    /// Limits are never deleted, so those that were found once are not asked for again.
    static constexpr std::size_t kKnownMax = 65'536;

    explicit NamedLimits(const Context& context) : context_(context) {}

    /// `budget_not_found` or `quota_policy_not_found`, naming the first that is missing.
    Task<Done> require(std::vector<model::BudgetId> budgets,
                       std::optional<model::QuotaPolicyId> quota);

  private:
    Task<bool> exists(std::string definition_key, std::string id_field);

    const Context& context_;
    /// Keys of definitions.
    std::set<std::string> known_{};
};

}  // namespace ff::service
