#include <algorithm>

#include "base/json.h"
#include "engine/operation.h"
#include "model/budget_keys.h"
#include "model/error_catalogue.h"
#include "sched/claimer.h"
#include "service/execution_info.h"
#include "service/own_release.h"
#include "service/work.h"

namespace ff::service {
namespace {

std::string json_of(const std::map<std::string, std::int64_t>& dimensions) {
    std::string text;
    json::Writer writer(text);
    writer.begin_object();
    for (const auto& [name, amount] : dimensions) writer.key(name).integer(amount);
    writer.end_object();
    return text;
}

/// All budgets of a partition share their dedup ids, so each budget gets one of its own. A key too
/// long for that is refused, as it would be for one budget.
Result<std::optional<model::DedupId>> dedup_for(const std::optional<model::DedupId>& key,
                                                const model::BudgetId& budget, bool shared) {
    if (!key || !shared) return key;
    FF_TRY(model::DedupId own,
           model::DedupId::parse(key->text() + ":" + budget.to_string(), "dedup_key"));
    return std::optional(std::move(own));
}

engine::UpdateProgress attempt_usage(const TaskUsage& report) {
    // As in the budgets, one key may serve a report to each of several.
    std::string dedup_id = report.dedup_key ? report.dedup_key->text() : std::string();
    if (report.dedup_key && report.budget_id) dedup_id += ":" + report.budget_id->to_string();
    return {.execution_id = report.execution_id,
            .fence = report.fence,
            .usage_json = json_of(report.dimensions),
            .usage_dedup_id = std::move(dedup_id)};
}

/// Whether a budget said no to a report that asked: then nothing was used.
bool is_refused(const std::vector<BudgetVerdict>& verdicts) {
    return std::ranges::any_of(verdicts, [](const BudgetVerdict& one) {
        return one.verdict && one.verdict->kind == engine::UsageVerdict::Kind::HardBreach;
    });
}

bool ends_lease(const Error& refusal) {
    return refusal.code == "execution_not_active" || may_be_repeated(refusal);
}

}  // namespace

Task<std::vector<model::BudgetId>> Work::budgets_of(model::ExecutionId id) {
    store::Call read = execution_info_call(id);
    FF_CO_TRY(const store::Reply reply, co_await context_.store.call(std::move(read)));
    FF_CO_TRY(const std::optional<ExecutionInfo> info, read_execution_info(id, reply));
    if (!info) co_return model::make_error("execution_not_found", {id.to_string()});
    FF_CO_TRY(const std::shared_ptr<const sched::AttachmentView> view,
              co_await context_.claimer.attachments().view());
    std::set<std::string> names = view->governing(info->lane_id, info->ns, info->flow_id).budgets;
    std::string_view csv = info->budget_ids;
    while (!csv.empty()) {
        const std::size_t end = std::min(csv.find(','), csv.size());
        names.emplace(csv.substr(0, end));
        csv.remove_prefix(std::min(end + 1, csv.size()));
    }
    std::vector<model::BudgetId> budgets;
    for (const std::string& name : names) {
        if (const auto budget = model::BudgetId::parse(name)) budgets.push_back(*budget);
    }
    co_return budgets;
}

Task<std::vector<BudgetVerdict>> Work::usage_counted(TaskUsage report,
                                                     std::vector<model::BudgetId> budgets,
                                                     Error refusal) {
    std::vector<BudgetVerdict> verdicts;
    for (const model::BudgetId& budget : budgets) {
        FF_CO_TRY(const auto dedup_id, dedup_for(report.dedup_key, budget, !report.budget_id));
        const model::BudgetIndexKeys keys(model::partition_of(budget, context_.rules.partitions));
        store::Call read = store::plain({"EXISTS", keys.usage_dedup(*dedup_id)}, true);
        FF_CO_TRY(const store::Reply known, co_await context_.store.call(std::move(read)));
        if (known.to_integer() != 1) co_return refusal;
        verdicts.push_back(
            {.budget_id = budget.to_string(),
             .verdict = engine::UsageVerdict{.kind = engine::UsageVerdict::Kind::AlreadyApplied}});
    }
    if (!verdicts.empty()) co_return verdicts;
    // Without a budget only the attempt's record knows.
    engine::UpdateProgress usage = attempt_usage(report);
    FF_CO_CHECK(co_await engine::run(context_.store, std::move(usage)));
    co_return verdicts;
}

Task<std::vector<BudgetVerdict>> Work::report_usage(TaskUsage report) {
    // A report without figures changes nothing but says whether the lease still holds.
    engine::UpdateProgress check{.execution_id = report.execution_id, .fence = report.fence};
    const Result<Done> held = co_await engine::run(context_.store, std::move(check));
    if (!held && !(report.dedup_key && ends_lease(held.error()))) co_return held.error();
    std::vector<model::BudgetId> budgets;
    if (report.budget_id) {
        budgets.push_back(*report.budget_id);
    } else {
        FF_CO_TRY(budgets, co_await budgets_of(report.execution_id));
    }
    if (!held) {
        co_return co_await usage_counted(std::move(report), std::move(budgets), held.error());
    }
    std::vector<engine::RecordSpend> reports;
    for (const model::BudgetId& budget : budgets) {
        FF_CO_TRY(auto dedup_id, dedup_for(report.dedup_key, budget, !report.budget_id));
        reports.push_back({.budget = {.id = budget, .partitions = context_.rules.partitions},
                           .execution_id = report.execution_id,
                           .amounts = {report.dimensions.begin(), report.dimensions.end()},
                           .dedup_id = std::move(dedup_id),
                           .ledger_ttl = context_.rules.budget_ledger_ttl,
                           .mode = report.mode});
    }
    std::vector<BudgetVerdict> verdicts;
    if (!reports.empty()) {
        std::vector<Result<engine::UsageVerdict>> answers =
            co_await engine::run_all(context_.store, std::move(reports));
        for (std::size_t i = 0; i < answers.size(); ++i) {
            const bool expected =
                answers[i] || (!report.budget_id && answers[i].error().code == "budget_not_found");
            if (!expected) co_return std::move(answers[i]).error();
            verdicts.push_back(
                {.budget_id = budgets[i].to_string(), .verdict = std::move(answers[i])});
        }
    }
    if (report.mode == engine::SpendMode::Check && is_refused(verdicts)) co_return verdicts;
    engine::UpdateProgress usage = attempt_usage(report);
    FF_CO_CHECK(co_await engine::run(context_.store, std::move(usage)));
    co_return verdicts;
}

}  // namespace ff::service
