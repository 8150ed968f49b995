#include <algorithm>
#include <set>

#include "base/csv.h"
#include "engine/budget.h"
#include "engine/operation.h"
#include "engine/worker_registry.h"
#include "model/capability_set.h"
#include "model/quota_keys.h"
#include "sched/budget_room.h"
#include "sched/claimer.h"
#include "service/executions.h"

namespace ff::service {
namespace {

constexpr std::int64_t kWorkersMost = 1000;

Task<std::vector<Explanation::Worker>> explain_workers(store::Store& store,
                                                       const ExecutionInfo& info) {
    std::vector<Explanation::Worker> found;
    const auto ns = model::Namespace::parse(info.ns);
    const auto required = model::CapabilitySet::parse_csv(info.required_capabilities);
    if (!ns || !required) co_return found;
    engine::ListWorkers list{.ns = *ns, .limit = kWorkersMost};
    FF_CO_TRY(const engine::ListWorkers::Outcome live,
              co_await engine::run(store, std::move(list)));
    for (const engine::WorkerInfo& worker : live.workers) {
        const auto has = model::CapabilitySet::parse_csv(worker.capabilities_csv);
        if (!has) continue;
        const std::vector<std::string> lanes = split_csv(worker.lanes_csv);
        found.push_back({.worker_id = worker.worker_id,
                         .instance_id = worker.instance_id,
                         .serves_lane = std::ranges::find(lanes, info.lane_id) != lanes.end(),
                         .missing_capabilities = has->missing(*required).tokens()});
    }
    co_return found;
}

Task<Explanation::Policy> explain_budget(const Context& context, std::string id) {
    Explanation::Policy policy{.ref = "budget:" + id};
    const auto budget_id = model::BudgetId::parse(id);
    if (!budget_id) {
        policy.detail = "budget " + id + ": no such budget";
        co_return policy;
    }
    engine::GetBudget read{.budget = {.id = *budget_id, .partitions = context.rules.partitions}};
    const Result<engine::GetBudget::Outcome> budget =
        co_await engine::run(context.store, std::move(read));
    if (!budget && budget.error().code != "budget_not_found") co_return budget.error();
    if (!budget) {
        policy.detail = "budget " + id + ": no such budget";
        co_return policy;
    }
    const auto why = sched::why_exhausted(id, *budget);
    policy.exhausted = why.has_value();
    policy.detail = why.value_or("budget " + id + ": has room");
    co_return policy;
}

Task<Explanation::Policy> explain_quota(const Context& context, std::string id) {
    Explanation::Policy policy{.ref = "quota:" + id};
    const auto quota_id = model::QuotaPolicyId::parse(id);
    if (!quota_id) {
        policy.detail = "quota " + id + ": no such policy";
        co_return policy;
    }
    const model::QuotaKeys keys(*quota_id, context.rules.partitions);
    std::vector<store::Call> reads;
    reads.push_back(store::plain({"HGET", keys.definition(), "active_concurrency_cap"}, true));
    reads.push_back(store::plain({"GET", keys.concurrency()}, true));
    const auto replies = co_await context.store.pipeline(std::move(reads));
    for (const Result<store::Reply>& reply : replies) {
        if (!reply) co_return reply.error();
    }
    const std::int64_t cap = replies[0]->to_integer().value_or(0);
    const std::int64_t running = replies[1]->to_integer().value_or(0);
    policy.exhausted = cap > 0 && running >= cap;
    policy.detail =
        "quota " + id + ": concurrency " + std::to_string(running) + "/" + std::to_string(cap);
    co_return policy;
}

std::string_view advice_for(model::EligibilityState state) {
    using model::EligibilityState;
    switch (state) {
        case EligibilityState::EligibleNow:
            return "it is ready and waits for a worker";
        case EligibilityState::NotEligibleUntilTime:
            return "it waits until its time has come";
        case EligibilityState::BlockedByDependencies:
            return "it waits for the executions it depends on";
        case EligibilityState::BlockedByBudget:
            return "a budget is exhausted";
        case EligibilityState::BlockedByQuota:
            return "a quota has no place free";
        case EligibilityState::BlockedByRoute:
            return "no worker that asked has the capabilities it requires";
        case EligibilityState::BlockedByLaneState:
            return "its lane is paused";
        case EligibilityState::BlockedByOperator:
            return "an operator holds it back";
        case EligibilityState::NotApplicable:
            return "it is not waiting to run";
    }
    return {};
}

std::string summary_of(const Explanation& explanation) {
    using model::LifecyclePhase;
    const ExecutionInfo& info = explanation.info;
    switch (info.state.lifecycle_phase) {
        case LifecyclePhase::Terminal:
            return "it has ended: " + std::string(model::to_string(info.state.terminal_outcome));
        case LifecyclePhase::Suspended:
            return "it is suspended: " + std::string(model::to_string(info.state.blocking_reason));
        case LifecyclePhase::Active:
            return info.state.ownership_state == model::OwnershipState::Leased
                       ? "it is running"
                       : "its worker lost the lease; the next claim takes it over";
        case LifecyclePhase::Submitted:
        case LifecyclePhase::Runnable:
            break;
    }
    if (info.state.eligibility_state == model::EligibilityState::EligibleNow &&
        explanation.lane_state != "active" && explanation.lane_state != "draining") {
        return "its lane is " + explanation.lane_state;
    }
    std::string text(advice_for(info.state.eligibility_state));
    if (!info.blocking_detail.empty()) text += " (" + info.blocking_detail + ")";
    return text;
}

}  // namespace

Task<Explanation> Executions::explain(model::ExecutionId id) {
    FF_CO_TRY(ExecutionInfo info, co_await describe(id));
    Explanation explanation{.info = std::move(info)};
    const ExecutionInfo& known = explanation.info;
    const auto lane = model::LaneId::parse(known.lane_id);
    if (lane) {
        FF_CO_TRY(const sched::LaneConfig config, co_await context_.claimer.lanes().lane(*lane));
        explanation.lane_state = sched::to_string(config.state);
    }
    FF_CO_TRY(explanation.workers, co_await explain_workers(context_.store, known));
    FF_CO_TRY(const std::shared_ptr<const sched::AttachmentView> view,
              co_await context_.claimer.attachments().view());
    sched::ScopePolicies governing = view->governing(known.lane_id, known.ns, known.flow_id);
    for (std::string& budget : split_csv(known.budget_ids))
        governing.budgets.insert(std::move(budget));
    if (!known.quota_policy_id.empty()) governing.quotas.insert(known.quota_policy_id);
    for (const std::string& budget : governing.budgets) {
        FF_CO_TRY(Explanation::Policy policy, co_await explain_budget(context_, budget));
        explanation.policies.push_back(std::move(policy));
    }
    for (const std::string& quota : governing.quotas) {
        FF_CO_TRY(Explanation::Policy policy, co_await explain_quota(context_, quota));
        explanation.policies.push_back(std::move(policy));
    }
    explanation.summary = summary_of(explanation);
    co_return explanation;
}

}  // namespace ff::service
