#include "sched/admission.h"

#include <algorithm>
#include <iterator>

#include "base/csv.h"
#include "base/log.h"
#include "engine/operation.h"
#include "model/quota_keys.h"
#include "sched/budget_room.h"

namespace ff::sched {
namespace {

constexpr std::chrono::minutes kWarnEvery{1};
constexpr std::size_t kWarnedMax = 1024;

std::set<std::string> set_of_csv(std::string_view csv) {
    std::vector<std::string> pieces = split_csv(csv);
    return {std::make_move_iterator(pieces.begin()), std::make_move_iterator(pieces.end())};
}

std::int64_t number(const store::Reply& reply) {
    return reply.to_integer().value_or(0);
}

}  // namespace

Task<std::vector<AdmissionSubject>> Admission::subjects(
    model::LaneId lane, std::vector<engine::DeferredTask> deferred) {
    FF_CO_TRY(const std::shared_ptr<const AttachmentView> view, co_await attachments_.view());
    std::vector<AdmissionSubject> found;
    for (const engine::DeferredTask& task : deferred) {
        ScopePolicies policies = view->governing(lane.text(), task.ns, task.flow_id);
        AdmissionSubject subject{.execution_id = task.execution_id,
                                 .lane = lane,
                                 .ns = task.ns,
                                 .flow_id = task.flow_id,
                                 .budget_ids = set_of_csv(task.budget_ids_csv),
                                 .quota_ids = set_of_csv(task.quota_policy_id),
                                 .admission_epoch = task.admission_epoch};
        subject.budget_ids.merge(policies.budgets);
        subject.quota_ids.merge(policies.quotas);
        found.push_back(std::move(subject));
    }
    co_return found;
}

Task<std::vector<Admission::Admitted>> Admission::admit(std::vector<AdmissionSubject> subjects) {
    std::set<std::string> budget_ids;
    std::set<std::string> quota_ids;
    for (const AdmissionSubject& subject : subjects) {
        budget_ids.insert(subject.budget_ids.begin(), subject.budget_ids.end());
        quota_ids.insert(subject.quota_ids.begin(), subject.quota_ids.end());
    }
    FF_CO_TRY(const auto exhausted, co_await exhausted_budgets(std::move(budget_ids)));
    std::vector<Refusal> refusals;
    std::vector<Candidate> candidates;
    for (AdmissionSubject& subject : subjects) {
        const auto refusing = std::ranges::find_if(
            subject.budget_ids, [&](const std::string& id) { return exhausted.contains(id); });
        if (refusing == subject.budget_ids.end()) {
            candidates.push_back(Candidate{.subject = std::move(subject)});
            continue;
        }
        const std::string id = *refusing;
        refusals.push_back(Refusal{.subject = std::move(subject),
                                   .block = engine::AdmissionBlock::Budget,
                                   .ref = "budget:" + id,
                                   .detail = exhausted.at(id)});
    }
    // In the order of their ids, so that two servers cannot hold each other's places.
    for (const std::string& id : quota_ids) {
        FF_CO_CHECK(co_await ask_quota(id, candidates, refusals));
    }
    FF_CO_CHECK(co_await block(std::move(refusals)));
    std::vector<Admitted> admitted;
    for (Candidate& candidate : candidates) {
        admitted.push_back(Admitted{
            .execution_id = candidate.subject.execution_id,
            .admission_epoch = candidate.subject.admission_epoch,
            .quota_ids = {candidate.subject.quota_ids.begin(), candidate.subject.quota_ids.end()},
            .newly_counted_by = std::move(candidate.newly_counted_by)});
    }
    co_return admitted;
}

Task<std::map<std::string, std::string>> Admission::exhausted_budgets(std::set<std::string> ids) {
    std::vector<std::string> names;
    std::vector<engine::GetBudget> reads;
    for (const std::string& id : ids) {
        const auto budget = model::BudgetId::parse(id);
        if (!budget) {
            warn_unknown("budget:" + id);
            continue;
        }
        names.push_back(id);
        reads.push_back(engine::GetBudget{.budget = {.id = *budget, .partitions = partitions_}});
    }
    std::map<std::string, std::string> exhausted;
    if (reads.empty()) co_return exhausted;
    const auto budgets = co_await engine::run_all(store_, std::move(reads));
    for (std::size_t i = 0; i < budgets.size(); ++i) {
        if (!budgets[i]) {
            if (budgets[i].error().code != "budget_not_found") co_return budgets[i].error();
            warn_unknown("budget:" + names[i]);
            continue;
        }
        if (auto why = why_exhausted(names[i], *budgets[i])) exhausted[names[i]] = *std::move(why);
    }
    co_return exhausted;
}

Task<Done> Admission::ask_quota(std::string quota_id, std::vector<Candidate>& candidates,
                                std::vector<Refusal>& refusals) {
    const auto quota = model::QuotaPolicyId::parse(quota_id);
    std::vector<std::size_t> asked;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (candidates[i].subject.quota_ids.contains(quota_id)) asked.push_back(i);
    }
    if (asked.empty()) co_return Done{};
    if (!quota) {
        warn_unknown("quota:" + quota_id);
        for (const std::size_t i : asked) candidates[i].subject.quota_ids.erase(quota_id);
        co_return Done{};
    }
    engine::AdmitBatch ask{.quota = {.id = *quota, .partitions = partitions_}};
    for (const std::size_t i : asked) {
        const AdmissionSubject& subject = candidates[i].subject;
        ask.executions.push_back(
            {.execution_id = subject.execution_id.to_string(), .epoch = subject.admission_epoch});
    }
    const auto verdicts = co_await engine::run(store_, std::move(ask));
    if (!verdicts) {
        if (verdicts.error().code != "quota_policy_not_found") co_return verdicts.error();
        warn_unknown("quota:" + quota_id);
        for (const std::size_t i : asked) candidates[i].subject.quota_ids.erase(quota_id);
        co_return Done{};
    }
    std::vector<Admitted> to_roll_back;
    std::set<std::size_t> refused;
    for (std::size_t k = 0; k < asked.size(); ++k) {
        Candidate& candidate = candidates[asked[k]];
        const engine::AdmissionVerdict verdict = (*verdicts)[k];
        if (verdict.kind == engine::AdmissionVerdict::Kind::Admitted) {
            candidate.newly_counted_by.push_back(quota_id);
        }
        if (verdict.admitted()) {
            candidate.counted_by.push_back(quota_id);
            continue;
        }
        FF_CO_TRY(std::string detail, co_await quota_detail(quota_id, verdict));
        refused.insert(asked[k]);
        to_roll_back.push_back(Admitted{.execution_id = candidate.subject.execution_id,
                                        .admission_epoch = candidate.subject.admission_epoch,
                                        .quota_ids = candidate.counted_by,
                                        .newly_counted_by = candidate.newly_counted_by});
        refusals.push_back(Refusal{.subject = candidate.subject,
                                   .block = engine::AdmissionBlock::Quota,
                                   .ref = "quota:" + quota_id,
                                   .detail = std::move(detail)});
    }
    std::size_t index = 0;
    std::erase_if(candidates, [&](const Candidate&) { return refused.contains(index++); });
    co_return co_await roll_back(std::move(to_roll_back));
}

Task<std::string> Admission::quota_detail(std::string quota_id, engine::AdmissionVerdict verdict) {
    const model::QuotaKeys keys(*model::QuotaPolicyId::parse(quota_id), partitions_);
    std::vector<store::Call> reads;
    reads.push_back(store::plain({"HMGET", keys.definition(), "max_requests_per_window",
                                  "requests_per_window_seconds", "active_concurrency_cap"},
                                 true));
    reads.push_back(store::plain({"ZCARD", keys.window()}, true));
    reads.push_back(store::plain({"GET", keys.concurrency()}, true));
    const std::vector<Result<store::Reply>> replies = co_await store_.pipeline(std::move(reads));
    for (const auto& reply : replies) {
        if (!reply) co_return reply.error();
    }
    const auto definition = replies[0]->items();
    if (definition.size() != 3) co_return "quota " + quota_id;
    if (verdict.kind == engine::AdmissionVerdict::Kind::RateExceeded) {
        co_return "quota " + quota_id + ": rate " + std::to_string(number(*replies[1])) + "/" +
            std::to_string(number(definition[0])) + " per " +
            std::to_string(number(definition[1])) + "s, retry in " +
            std::to_string(verdict.retry_after.count()) + "ms";
    }
    co_return "quota " + quota_id + ": concurrency " + std::to_string(number(*replies[2])) + "/" +
        std::to_string(number(definition[2]));
}

Task<Done> Admission::block(std::vector<Refusal> refusals) {
    if (refusals.empty()) co_return Done{};
    std::vector<engine::BlockExecution> blocks;
    for (Refusal& refusal : refusals) {
        blocks.push_back(engine::BlockExecution{.execution_id = refusal.subject.execution_id,
                                                .block = refusal.block,
                                                .detail = std::move(refusal.detail),
                                                .blocking_ref = std::move(refusal.ref)});
    }
    const auto outcomes = co_await engine::run_all(store_, std::move(blocks));
    for (const auto& outcome : outcomes) {
        // A refused block is a lost race: somebody else has moved the execution on.
        if (!outcome && outcome.error().code == "storage_error") co_return outcome.error();
    }
    co_return Done{};
}

Task<std::vector<Admission::Admitted>> Admission::voided(std::vector<Admitted> admitted) {
    std::erase_if(admitted, [](const Admitted& one) { return one.quota_ids.empty(); });
    std::vector<engine::VoidAdmission> calls;
    for (const Admitted& one : admitted) {
        calls.push_back({.execution_id = one.execution_id, .epoch = one.admission_epoch});
    }
    std::vector<Admitted> unused;
    if (calls.empty()) co_return unused;
    const auto outcomes = co_await engine::run_all(store_, std::move(calls));
    for (std::size_t i = 0; i < admitted.size(); ++i) {
        if (!outcomes[i]) co_return outcomes[i].error();
        if (*outcomes[i]) unused.push_back(std::move(admitted[i]));
    }
    co_return unused;
}

Task<Done> Admission::roll_back(std::vector<Admitted> admitted) {
    FF_CO_TRY(const std::vector<Admitted> unused, co_await voided(std::move(admitted)));
    // Who was counted before as well may have run in this window: its rate slot stays.
    std::map<std::pair<std::string, engine::ReleaseMode>, std::vector<engine::EpochOf>> by_quota;
    for (const Admitted& one : unused) {
        for (const std::string& quota : one.quota_ids) {
            const bool is_new =
                std::ranges::find(one.newly_counted_by, quota) != one.newly_counted_by.end();
            by_quota[{quota, is_new ? engine::ReleaseMode::Rollback : engine::ReleaseMode::Done}]
                .push_back(
                    {.execution_id = one.execution_id.to_string(), .epoch = one.admission_epoch});
        }
    }
    std::vector<engine::ReleaseAdmissionBatch> releases;
    for (auto& [what, executions] : by_quota) {
        releases.push_back(engine::ReleaseAdmissionBatch{
            .quota = {.id = *model::QuotaPolicyId::parse(what.first), .partitions = partitions_},
            .mode = what.second,
            .executions = std::move(executions)});
    }
    if (releases.empty()) co_return Done{};
    const auto outcomes = co_await engine::run_all(store_, std::move(releases));
    for (const auto& outcome : outcomes) {
        if (!outcome) co_return outcome.error();
    }
    co_return Done{};
}

void Admission::warn_unknown(const std::string& ref) {
    if (warned_.size() >= kWarnedMax) warned_.clear();
    const Timestamp now = clock_.now();
    const auto [found, fresh] = warned_.try_emplace(ref, now);
    if (!fresh && now < found->second + kWarnEvery) return;
    found->second = now;
    log::warn("sched", "unknown_policy", {{"ref", ref}});
}

}  // namespace ff::sched
