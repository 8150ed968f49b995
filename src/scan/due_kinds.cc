#include "scan/due_kinds.h"

#include <map>
#include <string>
#include <utility>

#include "engine/budget.h"
#include "engine/due_execution.h"
#include "engine/lease.h"
#include "engine/suspend_execution.h"
#include "engine/waitpoint.h"
#include "model/budget_keys.h"
#include "model/index_keys.h"
#include "scan/due_scanner.h"

namespace ff::scan {
namespace asio = boost::asio;
namespace {

/// The executions among the entries that this server may touch.
asio::awaitable<std::vector<model::ExecutionId>> executions_of(Cycle& cycle,
                                                               std::vector<DueEntry> due) {
    std::vector<model::ExecutionId> ids;
    for (const DueEntry& entry : due) {
        const auto id = model::ExecutionId::parse(entry.member);
        if (id) {
            ids.push_back(*id);
        } else {
            cycle.malformed(entry.member, id.error());
        }
    }
    co_return co_await cycle.matching(std::move(ids));
}

/// One operation for each execution, as `fill` makes it.
template <engine::Operation Op>
asio::awaitable<void> act_on_executions(Cycle& cycle, std::vector<DueEntry> due,
                                        Op (*fill)(model::ExecutionId id)) {
    const std::vector<model::ExecutionId> ids = co_await executions_of(cycle, std::move(due));
    std::vector<Work<Op>> work;
    work.reserve(ids.size());
    for (const model::ExecutionId& id : ids) {
        work.push_back(Work<Op>{.item = id.to_string(), .operation = fill(id)});
    }
    co_await act(cycle, std::move(work));
}

engine::MarkLeaseExpiredIfDue mark_expired(model::ExecutionId id) {
    return {.execution_id = id};
}
engine::ExpireExecution time_out_attempt(model::ExecutionId id) {
    return {.execution_id = id, .reason = engine::ExpireReason::AttemptTimeout};
}
engine::ExpireExecution end_at_deadline(model::ExecutionId id) {
    return {.execution_id = id, .reason = engine::ExpireReason::ExecutionDeadline};
}
engine::ExpireSuspension expire_suspension(model::ExecutionId id) {
    return {.execution_id = id};
}

asio::awaitable<void> mark_leases(Cycle& cycle, std::vector<DueEntry> due) {
    return act_on_executions(cycle, std::move(due), mark_expired);
}
asio::awaitable<void> promote_delayed(Cycle& cycle, std::vector<DueEntry> due) {
    std::map<model::ExecutionId, model::LaneId> found_in;
    for (const DueEntry& entry : due) {
        const auto id = model::ExecutionId::parse(entry.member);
        const auto lane = model::LaneId::parse(entry.lane);
        if (id && lane) found_in.emplace(*id, *lane);
    }
    const std::vector<model::ExecutionId> ids = co_await executions_of(cycle, std::move(due));
    std::vector<Work<engine::PromoteDelayed>> work;
    for (const model::ExecutionId& id : ids) {
        engine::PromoteDelayed promote{.execution_id = id, .lane = found_in.at(id)};
        work.push_back({.item = id.to_string(), .operation = std::move(promote)});
    }
    co_await act(cycle, std::move(work));
}
asio::awaitable<void> time_out_attempts(Cycle& cycle, std::vector<DueEntry> due) {
    return act_on_executions(cycle, std::move(due), time_out_attempt);
}
asio::awaitable<void> end_at_deadlines(Cycle& cycle, std::vector<DueEntry> due) {
    return act_on_executions(cycle, std::move(due), end_at_deadline);
}
asio::awaitable<void> expire_suspensions(Cycle& cycle, std::vector<DueEntry> due) {
    return act_on_executions(cycle, std::move(due), expire_suspension);
}

asio::awaitable<void> close_waitpoints(Cycle& cycle, std::vector<DueEntry> due) {
    std::vector<Work<engine::ExpirePendingWaitpoint>> work;
    for (const DueEntry& entry : due) {
        const auto id = model::WaitpointId::parse(entry.member);
        if (!id) {
            cycle.malformed(entry.member, id.error());
            continue;
        }
        engine::ExpirePendingWaitpoint expire{
            .partition = model::PartitionKey::flow(entry.partition), .waitpoint_id = *id};
        work.push_back({.item = entry.member, .operation = std::move(expire)});
    }
    co_await act(cycle, std::move(work));
}

asio::awaitable<void> reset_budgets(Cycle& cycle, std::vector<DueEntry> due) {
    std::vector<Work<engine::ResetBudget>> work;
    for (const DueEntry& entry : due) {
        const auto id = model::BudgetId::parse(entry.member);
        if (!id) {
            cycle.malformed(entry.member, id.error());
            continue;
        }
        engine::ResetBudget reset{.budget = {.id = *id, .partitions = cycle.partitions()},
                                  .expected_next_reset_at = entry.at};
        work.push_back({.item = entry.member, .operation = std::move(reset)});
    }
    co_await act(cycle, std::move(work));
}

std::string delayed_key(const DuePlace& place) {
    // Lanes come from the directory or from a function: both hold only valid names.
    const auto lane = model::LaneId::parse(place.lane);
    const model::IndexKeys keys(place.partition);
    return lane ? keys.lane(*lane).delayed() : keys.noop();
}

}  // namespace

std::vector<std::unique_ptr<Scanner>> due_scanners() {
    const DueRules rules[] = {
        {.kind = Kind::LeaseExpiry,
         .index = "lease_expiry",
         .stays = true,
         .key = [](const DuePlace& at) { return model::IndexKeys(at.partition).lease_expiry(); },
         .act = mark_leases},
        {.kind = Kind::DelayedPromoter,
         .index = "delayed",
         .per_lane = true,
         .key = delayed_key,
         .act = promote_delayed},
        {.kind = Kind::AttemptTimeout,
         .index = "attempt_timeout",
         .key = [](const DuePlace& at) { return model::IndexKeys(at.partition).attempt_timeout(); },
         .act = time_out_attempts},
        {.kind = Kind::ExecutionDeadline,
         .index = "execution_deadline",
         .key =
             [](const DuePlace& at) { return model::IndexKeys(at.partition).execution_deadline(); },
         .act = end_at_deadlines},
        {.kind = Kind::SuspensionTimeout,
         .index = "suspension_timeout",
         .key =
             [](const DuePlace& at) { return model::IndexKeys(at.partition).suspension_timeout(); },
         .act = expire_suspensions},
        {.kind = Kind::PendingWaitpointExpiry,
         .index = "pending_waitpoint_expiry",
         .page = 100,
         .key =
             [](const DuePlace& at) {
                 return model::IndexKeys(at.partition).pending_waitpoint_expiry();
             },
         .act = close_waitpoints},
        {.kind = Kind::BudgetReset,
         .index = "budget_resets",
         .page = 20,
         .family = model::PartitionFamily::Budget,
         .key =
             [](const DuePlace& at) {
                 const model::PartitionKey tag(model::PartitionFamily::Budget, at.partition);
                 return model::BudgetIndexKeys(tag).resets();
             },
         .act = reset_budgets},
    };
    std::vector<std::unique_ptr<Scanner>> scanners;
    for (const DueRules& rule : rules) scanners.push_back(std::make_unique<DueScanner>(rule));
    return scanners;
}

}  // namespace ff::scan
