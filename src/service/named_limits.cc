#include "service/named_limits.h"

#include "model/budget_keys.h"
#include "model/error_catalogue.h"
#include "model/quota_keys.h"

namespace ff::service {
namespace {

constexpr std::string_view kAdvice =
    "create it first, or set allow_missing_budget to create it later";

}  // namespace

Task<bool> NamedLimits::exists(std::string definition_key, std::string id_field) {
    if (known_.contains(definition_key)) co_return true;
    store::Call read = store::plain({"HGET", definition_key, id_field}, true);
    FF_CO_TRY(const store::Reply reply, co_await context_.store.call(std::move(read)));
    if (reply.text().value_or("").empty()) co_return false;
    if (known_.size() >= kKnownMax) known_.clear();
    known_.insert(std::move(definition_key));
    co_return true;
}

Task<Done> NamedLimits::require(std::vector<model::BudgetId> budgets,
                                std::optional<model::QuotaPolicyId> quota) {
    for (const model::BudgetId& budget : budgets) {
        std::string key = model::BudgetKeys(budget, context_.rules.partitions).definition();
        FF_CO_TRY(const bool is_there, co_await exists(std::move(key), "budget_id"));
        if (is_there) continue;
        co_return model::make_error(
            "budget_not_found", {"policy.budget_ids", budget.to_string(), std::string(kAdvice)});
    }
    if (!quota) co_return Done{};
    std::string key = model::QuotaKeys(*quota, context_.rules.partitions).definition();
    FF_CO_TRY(const bool is_there, co_await exists(std::move(key), "quota_policy_id"));
    if (is_there) co_return Done{};
    co_return model::make_error(
        "quota_policy_not_found",
        {"policy.quota_policy_id", quota->to_string(), std::string(kAdvice)});
}

}  // namespace ff::service
