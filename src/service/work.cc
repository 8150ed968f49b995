#include "service/work.h"

#include "base/log.h"
#include "engine/due_execution.h"
#include "engine/operation.h"
#include "model/error_catalogue.h"
#include "model/exec_keys.h"
#include "service/own_release.h"
#include "service/task_token.h"

namespace ff::service {
namespace {

using PayloadState = engine::ClaimedTask::PayloadState;

void leave_out_payload(engine::ClaimedTask& task) {
    if (task.payload_state != PayloadState::Inline) return;
    task.payload_state = PayloadState::Omitted;
    task.payload.clear();
}

void leave_out_steps(engine::ClaimedTask& task) {
    if (task.steps_state != PayloadState::Inline) return;
    task.steps_state = PayloadState::Omitted;
    task.steps.clear();
}

void leave_out_children(engine::ClaimedTask& task) {
    if (task.children_state != PayloadState::Inline) return;
    task.children_state = PayloadState::Omitted;
    task.children.clear();
}

std::int64_t bytes_of(const std::vector<engine::CalledChild>& children) {
    std::size_t bytes = 0;
    for (const engine::CalledChild& child : children)
        bytes += child.name.size() + child.result.size();
    return static_cast<std::int64_t>(bytes);
}

std::int64_t bytes_of(const std::vector<engine::Step>& steps) {
    std::size_t bytes = 0;
    for (const engine::Step& step : steps)
        bytes += step.name.size() + step.value.size() + step.encoding.size();
    return static_cast<std::int64_t>(bytes);
}

sched::ClaimRequest asked(const WorkRequest& request) {
    sched::ClaimRequest claim = request.claim;
    claim.payload_bytes_max = request.include_payload ? request.payload_bytes_max : 0;
    return claim;
}

using Completed = Result<engine::CompleteExecution::Outcome>;

/// Both lists as one: `first` tells for each place which one has it.
std::vector<Completed> in_order(const std::vector<bool>& first, std::vector<Completed> some,
                                std::vector<Completed> others) {
    std::vector<Completed> all;
    all.reserve(first.size());
    std::size_t from_some = 0;
    std::size_t from_others = 0;
    for (const bool is_first : first)
        all.push_back(std::move(is_first ? some[from_some++] : others[from_others++]));
    return all;
}

template <class Op>
using FirstAnswer = std::optional<typename Op::Outcome> (*)(const OwnRelease&);

/// Runs a call that ends the lease. A call that was repeated because its answer was lost gets the
/// whole of that answer, also when the execution has been leased to another worker since.
template <class Op>
Task<typename Op::Outcome> run_once(store::Store& store, Op request, FirstAnswer<Op> first_answer) {
    const model::ExecutionId id = request.execution_id;
    const std::optional<engine::Fence> fence = request.fence;
    Result<typename Op::Outcome> outcome = co_await engine::run(store, std::move(request));
    const bool repeated = outcome ? outcome->replayed : may_be_repeated(outcome.error());
    if (!repeated) co_return outcome;
    const Result<std::optional<OwnRelease>> release = co_await own_release(store, id, fence);
    if (!release || !release.value()) co_return outcome;
    std::optional<typename Op::Outcome> first = first_answer(**release);
    if (first) co_return *std::move(first);
    co_return outcome;
}

}  // namespace

Work::Work(const Context& context)
    : context_(context),
      granter_(context.store, context.partitioner, context.rules.partitions,
               context.claimer.lanes(), context.claimer.admission(),
               [&claimer = context.claimer](const model::LaneId& lane) {
                   return claimer.spread_of(lane);
               }) {}

std::string Work::token_of(const sched::LaneTask& task, const model::WorkerInstanceId& worker,
                           Millis lease_ttl) const {
    return TaskToken{.store = context_.rules.token_store,
                     .execution_id = task.task.execution_id,
                     .attempt_index = task.task.attempt_index,
                     .fence = task.task.fence,
                     .lease_ttl = lease_ttl,
                     .lane_id = task.lane,
                     .worker_instance_id = worker}
        .encode();
}

std::vector<ClaimedWork> Work::hand_out(std::vector<sched::LaneTask> tasks,
                                        const WorkRequest& request) const {
    std::vector<ClaimedWork> work;
    work.reserve(tasks.size());
    std::int64_t bytes = 0;
    for (sched::LaneTask& task : tasks) {
        // Each partition had the whole allowance; together they have it once.
        bytes += static_cast<std::int64_t>(task.task.payload.size());
        const bool fits = work.empty() || bytes <= request.payload_bytes_max;
        if (!request.include_payload || !fits) {
            bytes -= static_cast<std::int64_t>(task.task.payload.size());
            leave_out_payload(task.task);
        }
        const std::int64_t step_bytes = bytes_of(task.task.steps);
        if (bytes + step_bytes > request.payload_bytes_max || !request.include_payload) {
            leave_out_steps(task.task);
        } else {
            bytes += step_bytes;
        }
        const std::int64_t child_bytes = bytes_of(task.task.children);
        if (bytes + child_bytes > request.payload_bytes_max || !request.include_payload) {
            leave_out_children(task.task);
        } else {
            bytes += child_bytes;
        }
        ClaimedWork& given = work.emplace_back(std::move(task), request.claim.lease_ttl);
        if (!request.include_token) continue;
        given.token = token_of(given.task, request.claim.worker_instance_id, given.lease_ttl);
    }
    return work;
}

Task<std::vector<ClaimedWork>> Work::claim(WorkRequest request) {
    sched::ClaimRequest claim = asked(request);
    FF_CO_TRY(std::vector<sched::LaneTask> tasks,
              co_await context_.claimer.claim(std::move(claim)));
    co_return hand_out(std::move(tasks), request);
}

boost::asio::awaitable<CompletedWork> Work::complete_and_claim(
    WorkRequest request, std::vector<engine::CompleteExecution> completions) {
    // An item of the batch carries no steps: a completion that does is a call of its own, before
    // it.
    std::vector<engine::CompleteExecution> with_steps, plain;
    std::vector<bool> has_steps;
    for (engine::CompleteExecution& one : completions) {
        has_steps.push_back(!one.steps.empty());
        (one.steps.empty() ? plain : with_steps).push_back(std::move(one));
    }
    std::vector<Completed> recorded;
    if (!with_steps.empty())
        recorded = co_await engine::run_all(context_.store, std::move(with_steps));
    sched::ClaimRequest claim = asked(request);
    sched::CompletedAndClaimed answer =
        co_await context_.claimer.complete_and_claim(std::move(claim), std::move(plain));
    answer.completed = in_order(has_steps, std::move(recorded), std::move(answer.completed));
    if (answer.claim_error) {
        log::warn("service", "claim_after_completions_failed",
                  {{"error", answer.claim_error->text()}});
    }
    co_return CompletedWork{.results = std::move(answer.completed),
                            .tasks = hand_out(std::move(answer.tasks), request)};
}

Task<Done> Work::give_back(std::vector<ClaimedWork> tasks) {
    std::vector<sched::LaneTask> lane_tasks;
    for (ClaimedWork& one : tasks) lane_tasks.push_back(std::move(one.task));
    co_return co_await context_.claimer.give_back(std::move(lane_tasks));
}

Task<std::optional<sched::FoundGrant>> Work::grant(sched::GrantSearch search) {
    FF_CO_TRY(const sched::LaneConfig lane, co_await context_.claimer.lanes().lane(search.lane));
    if (!lane.gives_work()) co_return std::optional<sched::FoundGrant>();
    co_return co_await granter_.find(std::move(search));
}

Task<engine::Grant> Work::grant_reclaim(engine::GrantRequest request) {
    engine::IssueReclaimGrant operation{
        .request = std::move(request),
        .default_reclaims_max = engine::IssueReclaimGrant::kInteractiveReclaimsMax};
    co_return co_await engine::run(context_.store, std::move(operation));
}

void Work::on_wake(const std::string& lane, std::uint16_t partition) {
    granter_.on_wake(lane, partition);
}

Task<Timestamp> Work::renew(engine::RenewLease request) {
    FF_CO_TRY(const engine::RenewLease::Outcome outcome,
              co_await engine::run(context_.store, std::move(request)));
    co_return outcome.lease_expires_at;
}

boost::asio::awaitable<std::vector<Result<engine::RenewLease::Outcome>>> Work::renew_all(
    std::vector<engine::RenewLease> requests) {
    co_return co_await engine::run_all(context_.store, std::move(requests));
}

Task<engine::CompleteExecution::Outcome> Work::complete(engine::CompleteExecution request) {
    co_return co_await run_once(context_.store, std::move(request), as_completed);
}

Task<FailedTask> Work::fail(engine::FailExecution request) {
    const std::string policy_key = model::ExecKeys(request.execution_id).policy();
    const bool asked_for_retry = request.retry_by_policy;
    FailedTask failed;
    FF_CO_TRY(failed.outcome, co_await run_once(context_.store, std::move(request), as_failed));
    if (!failed.outcome.retry_scheduled) {
        failed.message = why_final(failed.outcome, asked_for_retry);
    }
    // It has failed, whatever becomes of this look.
    store::Call read = store::plain({"GET", policy_key}, true);
    const Result<store::Reply> policy = co_await context_.store.call(std::move(read));
    if (policy) failed.policy_json = std::string(policy->text().value_or(""));
    co_return failed;
}

Task<engine::DelayExecution::Outcome> Work::delay(engine::DelayExecution request) {
    const auto first_answer = request.unbegun ? as_returned : as_delayed;
    co_return co_await run_once(context_.store, std::move(request), first_answer);
}

Task<Done> Work::release(model::ExecutionId id, engine::Fence fence, bool unbegun) {
    engine::DelayExecution request{.execution_id = id, .fence = fence, .unbegun = unbegun};
    FF_CO_CHECK(co_await delay(std::move(request)));
    if (unbegun) co_return Done{};
    // Due already: whoever comes next may have it, without waiting for a scanner, which sees to it
    // if this call is lost.
    engine::PromoteDelayed promotion{.execution_id = id};
    const auto promoted = co_await engine::run(context_.store, std::move(promotion));
    if (!promoted) log::debug("service", "release_not_promoted", {{"execution", id.to_string()}});
    co_return Done{};
}

Task<engine::MoveToWaitingChildren::Outcome> Work::wait_children(
    engine::MoveToWaitingChildren request) {
    co_return co_await run_once(context_.store, std::move(request), as_waiting);
}

Task<engine::RecordSteps::Outcome> Work::record_steps(engine::RecordSteps request) {
    co_return co_await engine::run(context_.store, std::move(request));
}

Task<engine::ReadSteps::Outcome> Work::read_steps(engine::ReadSteps request) {
    co_return co_await engine::run(context_.store, std::move(request));
}

Task<Done> Work::progress(engine::UpdateProgress request) {
    co_return co_await engine::run(context_.store, std::move(request));
}

}  // namespace ff::service
