#include "service/budgets.h"

#include <algorithm>
#include <string_view>

#include "base/json.h"
#include "base/numbers.h"
#include "engine/operation.h"
#include "model/budget_keys.h"
#include "model/error_catalogue.h"
#include "sched/attachments.h"
#include "sched/claimer.h"
#include "service/hash_record.h"
#include "service/policy_scope.h"

namespace ff::service {
namespace {

constexpr std::string_view kBadScope = "invalid_budget_scope";
constexpr std::string_view kConflict = "budget_attach_conflict";

std::string meta_json(const std::map<std::string, std::string>& meta) {
    if (meta.empty()) return {};
    std::string text;
    json::Writer out(text);
    out.begin_object();
    for (const auto& [name, value] : meta) out.key(name).string(value);
    out.end_object();
    return text;
}

/// A hash as the engine gives it, read by name. A missing number is 0; one that does not parse
/// makes `finish` a `parse_error`.
class Definition {
  public:
    explicit Definition(const engine::Fields& fields) : fields_(fields) {}

    std::string text(std::string_view name) const {
        const auto found = std::ranges::find(
            fields_, name, [](const auto& field) -> const auto& { return field.first; });
        return found == fields_.end() ? std::string() : found->second;
    }
    std::int64_t number(std::string_view name) {
        const std::string value = text(name);
        if (value.empty()) return 0;
        const auto parsed = parse_i64(value);
        if (!parsed) bad_field_ = name;
        return parsed.value_or(0);
    }
    std::optional<Timestamp> time(std::string_view name) {
        const std::int64_t ms = number(name);
        return ms == 0 ? std::nullopt : std::optional(timestamp_from_ms(ms));
    }
    Result<Done> finish() const {
        if (bad_field_.empty()) return Done{};
        return model::make_error("parse_error", {"budget", bad_field_});
    }

  private:
    const engine::Fields& fields_;
    std::string bad_field_{};
};

/// The fields of a hash that start with `prefix`, without it.
Result<DimensionAmounts> amounts_of(const engine::Fields& fields, std::string_view prefix) {
    DimensionAmounts amounts;
    for (const auto& [name, value] : fields) {
        if (!name.starts_with(prefix) || name.starts_with('_')) continue;
        const auto amount = parse_i64(value);
        if (!amount) return model::make_error("parse_error", {"budget", name});
        amounts[name.substr(prefix.size())] = *amount;
    }
    return amounts;
}

Result<Done> read_amounts(const engine::GetBudget::Outcome& budget, BudgetStatus& status) {
    const auto is_no_limit = [](const auto& entry) { return entry.second == 0; };
    FF_TRY(status.usage, amounts_of(budget.usage, ""));
    FF_TRY(status.hard_limits, amounts_of(budget.limits, "hard:"));
    FF_TRY(status.soft_limits, amounts_of(budget.limits, "soft:"));
    std::erase_if(status.hard_limits, is_no_limit);
    std::erase_if(status.soft_limits, is_no_limit);
    for (const auto& [name, hard] : status.hard_limits) {
        const auto used = status.usage.find(name);
        const std::int64_t left = hard - (used == status.usage.end() ? 0 : used->second);
        status.remaining[name] = std::max<std::int64_t>(left, 0);
        if (left <= 0) status.exhausted_dimensions.push_back(name);
    }
    return Done{};
}

Result<BudgetStatus> status_of(const model::BudgetId& id,
                               const engine::GetBudget::Outcome& budget) {
    Definition definition(budget.definition);
    BudgetStatus status{
        .id = id,
        .scope = {.type = definition.text("scope_type"), .id = definition.text("scope_id")},
        .enforcement_mode = definition.text("enforcement_mode"),
        .on_hard_limit = definition.text("on_hard_limit"),
        .on_soft_limit = definition.text("on_soft_limit"),
        .name = definition.text("name"),
        .breach_count = definition.number("breach_count"),
        .soft_breach_count = definition.number("soft_breach_count"),
        .reset_count = definition.number("reset_count"),
        .limits_revision = definition.number("limits_revision"),
        .reset_interval_ms = definition.number("reset_interval_ms"),
        .last_breach_at = definition.time("last_breach_at"),
        .last_breach_dimension = definition.text("last_breach_dim"),
        .next_reset_at = definition.time("next_reset_at"),
        .created_at = definition.time("created_at")};
    FF_CHECK(definition.finish());
    FF_CHECK(read_amounts(budget, status));
    return status;
}

engine::Amounts in_name_order(const DimensionAmounts& amounts) {
    return {amounts.begin(), amounts.end()};
}

}  // namespace

Task<CreatedBudget> Budgets::create(NewBudget budget) {
    if (budget.attach) {
        const auto checked = attachable_scope(budget.scope, kBadScope);
        if (!checked) co_return checked.error();
    }
    const model::BudgetId id = budget.id ? *budget.id : model::BudgetId::mint(context_.random);
    engine::CreateBudget create{.budget = address(id),
                                .scope_type = budget.scope.type,
                                .scope_id = budget.scope.id,
                                .enforcement_mode = budget.enforcement_mode,
                                .on_hard_limit = budget.on_hard_limit,
                                .on_soft_limit = budget.on_soft_limit,
                                .reset_interval = budget.reset_interval,
                                .limits = budget.limits,
                                .meta_json = meta_json(budget.meta)};
    FF_CO_TRY(const auto created, co_await engine::run(context_.store, std::move(create)));
    if (budget.attach) FF_CO_CHECK(co_await attach(id, budget.scope));
    co_return CreatedBudget{.id = id, .already_satisfied = created.already_satisfied};
}

Task<BudgetStatus> Budgets::get(model::BudgetId id) {
    engine::GetBudget read{.budget = address(id)};
    FF_CO_TRY(const auto budget, co_await engine::run(context_.store, std::move(read)));
    co_return status_of(id, budget);
}

Task<BudgetPage> Budgets::list(std::string cursor, std::size_t limit) {
    const std::uint16_t partitions = context_.rules.partitions.num_budget_partitions();
    std::vector<store::Call> reads;
    for (std::uint16_t i = 0; i < partitions; ++i) {
        const model::BudgetIndexKeys index(model::PartitionKey(model::PartitionFamily::Budget, i));
        const std::string key = index.policies();
        reads.push_back(store::plain({"SMEMBERS", key}, true));
    }
    const auto replies = co_await context_.store.pipeline(std::move(reads));
    std::vector<std::string> ids;
    for (const auto& reply : replies) {
        if (!reply) co_return reply.error();
        for (std::string& id : texts_of(*reply)) {
            if (id > cursor) ids.push_back(std::move(id));
        }
    }
    std::ranges::sort(ids);
    BudgetPage page;
    if (ids.size() > limit) {
        ids.resize(limit);
        page.next_cursor = ids.back();
    }
    std::vector<engine::GetBudget> gets;
    for (const std::string& text : ids) {
        const auto id = model::BudgetId::parse(text);
        if (id) gets.push_back({.budget = address(*id)});
    }
    const std::vector<engine::GetBudget> asked = gets;
    const auto budgets = co_await engine::run_all(context_.store, std::move(gets));
    for (std::size_t i = 0; i < budgets.size(); ++i) {
        if (budgets[i]) {
            FF_CO_TRY(BudgetStatus status, status_of(asked[i].budget.id, *budgets[i]));
            page.budgets.push_back(std::move(status));
        } else if (budgets[i].error().code != "budget_not_found") {
            co_return budgets[i].error();
        }
    }
    co_return page;
}

Task<std::int64_t> Budgets::update(BudgetChange change) {
    engine::UpdateBudget update{.budget = address(change.id),
                                .actor = change.actor,
                                .reason = change.reason,
                                .changes = change.limits,
                                .enforcement_mode = change.enforcement_mode,
                                .on_hard_limit = change.on_hard_limit,
                                .on_soft_limit = change.on_soft_limit};
    FF_CO_TRY(const auto updated, co_await engine::run(context_.store, std::move(update)));
    co_return updated.revision;
}

Task<engine::UsageVerdict> Budgets::report(UsageReport report) {
    engine::ReportUsage usage{.budget = address(report.id),
                              .amounts = in_name_order(report.amounts),
                              .dedup_id = report.dedup_id};
    co_return co_await engine::run(context_.store, std::move(usage));
}

Task<engine::UsageVerdict> Budgets::spend(UsageReport report, model::ExecutionId execution_id,
                                          engine::SpendMode mode) {
    engine::RecordSpend spend{.budget = address(report.id),
                              .execution_id = execution_id,
                              .amounts = in_name_order(report.amounts),
                              .dedup_id = report.dedup_id,
                              .ledger_ttl = context_.rules.budget_ledger_ttl,
                              .mode = mode};
    co_return co_await engine::run(context_.store, std::move(spend));
}

Task<engine::ReleaseBudget::Outcome> Budgets::release(model::BudgetId id,
                                                      model::ExecutionId execution_id) {
    engine::ReleaseBudget release{.budget = address(id), .execution_id = execution_id};
    co_return co_await engine::run(context_.store, std::move(release));
}

Task<std::optional<Timestamp>> Budgets::reset(model::BudgetId id) {
    engine::ResetBudget reset{.budget = address(id)};
    FF_CO_TRY(const auto outcome, co_await engine::run(context_.store, std::move(reset)));
    co_return outcome.next_reset_at;
}

Task<Done> Budgets::attach(model::BudgetId id, model::PolicyScope scope) {
    FF_CO_TRY(model::PolicyScope wanted, attachable_scope(std::move(scope), kBadScope));
    FF_CO_TRY(const BudgetStatus budget, co_await get(id));
    const auto own = attachable_scope(budget.scope, kBadScope);
    if (!own || *own != wanted) {
        co_return model::make_error(kConflict, {budget.scope.type, budget.scope.id});
    }
    co_return co_await context_.claimer.attachments().attach(sched::PolicyFamily::Budget,
                                                             std::move(wanted), id.to_string());
}

Task<Done> Budgets::detach(model::BudgetId id, model::PolicyScope scope) {
    FF_CO_TRY(model::PolicyScope wanted, attachable_scope(std::move(scope), kBadScope));
    co_return co_await context_.claimer.attachments().detach(sched::PolicyFamily::Budget,
                                                             std::move(wanted), id.to_string());
}

}  // namespace ff::service
