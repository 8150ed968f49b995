#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/task.h"
#include "engine/budget.h"
#include "engine/change_execution.h"
#include "engine/end_execution.h"
#include "engine/grant.h"
#include "engine/lease.h"
#include "engine/pause_execution.h"
#include "engine/steps.h"
#include "sched/claim_request.h"
#include "sched/claimer.h"
#include "sched/granter.h"
#include "service/context.h"
#include "service/failed_task.h"

namespace ff::service {

/// A task as it is handed to a worker.
struct ClaimedWork {
    sched::LaneTask task;
    Millis lease_ttl{0};
    /// Empty if the request did not ask for it.
    std::string token{};
};

struct WorkRequest {
    static constexpr std::int64_t kPayloadBytesDefault = 4'194'304;

    sched::ClaimRequest claim;
    bool include_payload = true;
    /// False for a caller that keeps the fence itself.
    bool include_token = true;
    /// Of all tasks together; what does not fit is left out. The first task is always whole.
    std::int64_t payload_bytes_max = kPayloadBytesDefault;
};

struct CompletedWork {
    std::vector<Result<engine::CompleteExecution::Outcome>> results{};
    std::vector<ClaimedWork> tasks{};
};

/// What a worker has used, for the budgets of the execution.
struct TaskUsage {
    model::ExecutionId execution_id;
    engine::Fence fence;
    std::map<std::string, std::int64_t> dimensions{};
    /// Absent: every budget that governs the execution.
    std::optional<model::BudgetId> budget_id{};
    std::optional<model::DedupId> dedup_key{};
    engine::SpendMode mode = engine::SpendMode::Spent;
};

struct BudgetVerdict {
    std::string budget_id{};
    Result<engine::UsageVerdict> verdict;
};

/// What workers do. Every act on a task is fenced, and one that is repeated after its answer was
/// lost gives the first answer again (spec 02, section 9). Lives on the context's loop.
class Work {
  public:
    explicit Work(const Context& context);

    /// Waits for work as the request says; empty when there is none.
    Task<std::vector<ClaimedWork>> claim(WorkRequest request);
    /// Completes first. The claim part gives no error: its failure is no task.
    boost::asio::awaitable<CompletedWork> complete_and_claim(
        WorkRequest request, std::vector<engine::CompleteExecution> completions);
    /// Back to their queues, without burning attempts.
    Task<Done> give_back(std::vector<ClaimedWork> tasks);

    /// For a worker that claims against the store itself.
    Task<std::optional<sched::FoundGrant>> grant(sched::GrantSearch search);
    /// For one execution whose lease was lost.
    Task<engine::Grant> grant_reclaim(engine::GrantRequest request);
    /// Work entered a lane's queue.
    void on_wake(const std::string& lane, std::uint16_t partition);

    Task<Timestamp> renew(engine::RenewLease request);
    boost::asio::awaitable<std::vector<Result<engine::RenewLease::Outcome>>> renew_all(
        std::vector<engine::RenewLease> requests);
    Task<engine::CompleteExecution::Outcome> complete(engine::CompleteExecution request);
    Task<FailedTask> fail(engine::FailExecution request);
    Task<engine::DelayExecution::Outcome> delay(engine::DelayExecution request);
    /// Back to the queue at once, the same attempt; `unbegun`: as if nobody had ever had it.
    Task<Done> release(model::ExecutionId id, engine::Fence fence, bool unbegun);
    Task<engine::MoveToWaitingChildren::Outcome> wait_children(
        engine::MoveToWaitingChildren request);
    Task<Done> progress(engine::UpdateProgress request);
    Task<std::vector<BudgetVerdict>> report_usage(TaskUsage report);
    Task<engine::RecordSteps::Outcome> record_steps(engine::RecordSteps request);
    Task<engine::ReadSteps::Outcome> read_steps(engine::ReadSteps request);

    /// The token of a lease, as every reply that hands one out carries it.
    std::string token_of(const sched::LaneTask& task, const model::WorkerInstanceId& worker,
                         Millis lease_ttl) const;

  private:
    std::vector<ClaimedWork> hand_out(std::vector<sched::LaneTask> tasks,
                                      const WorkRequest& request) const;
    Task<std::vector<model::BudgetId>> budgets_of(model::ExecutionId id);
    /// The answer to a report of a lease that has ended: it was counted before, or `refusal`.
    Task<std::vector<BudgetVerdict>> usage_counted(TaskUsage report,
                                                   std::vector<model::BudgetId> budgets,
                                                   Error refusal);

    const Context& context_;
    sched::Granter granter_;
};

}  // namespace ff::service
