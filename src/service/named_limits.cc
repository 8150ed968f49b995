#include "service/named_limits.h"

#include "model/budget_keys.h"
#include "model/error_catalogue.h"
#include "model/quota_keys.h"

namespace ff::service {
namespace {

/// `field` is that of the policy.
Error missing(std::string_view code, std::string_view what, const std::string& id,
              const std::string& field) {
    Error error = model::make_error(code, {id, "policy." + field});
    error.message = "There is no " + std::string(what) + " " + id + ", which the policy names in " +
                    field + ". Create it first, or set allow_missing_budget to create it later.";
    return error;
}

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
        co_return missing("budget_not_found", "budget", budget.to_string(), "budget_ids");
    }
    if (!quota) co_return Done{};
    std::string key = model::QuotaKeys(*quota, context_.rules.partitions).definition();
    FF_CO_TRY(const bool is_there, co_await exists(std::move(key), "quota_policy_id"));
    if (is_there) co_return Done{};
    co_return missing("quota_policy_not_found", "quota", quota->to_string(), "quota_policy_id");
}

}  // namespace ff::service
