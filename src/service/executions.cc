#include "service/executions.h"

#include <algorithm>

#include "base/numbers.h"
#include "engine/change_execution.h"
#include "engine/flow_resolve.h"
#include "engine/flow_retain.h"
#include "engine/grant.h"
#include "engine/lease.h"
#include "engine/operation.h"
#include "model/error_catalogue.h"
#include "model/exec_keys.h"
#include "service/execution_life.h"
#include "service/lease_history.h"
#include "service/task_token.h"

namespace ff::service {
namespace {

Error not_found(const model::ExecutionId& id) {
    return model::make_error("execution_not_found", {id.to_string()});
}

Tags pairs_of(const store::Reply& hash) {
    Tags pairs;
    const auto items = hash.items();
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
        pairs.emplace_back(items[i].text().value_or(""), items[i + 1].text().value_or(""));
    }
    return pairs;
}

}  // namespace

Task<ExecutionInfo> Executions::get(model::ExecutionId id) {
    store::Call call = execution_info_call(id);
    FF_CO_TRY(const store::Reply reply, co_await context_.store.call(std::move(call)));
    FF_CO_TRY(std::optional<ExecutionInfo> info, read_execution_info(id, reply));
    if (!info) co_return not_found(id);
    co_return *std::move(info);
}

Task<ExecutionInfo> Executions::describe(model::ExecutionId id) {
    std::vector<model::ExecutionId> ids{id};
    FF_CO_TRY(std::vector<std::optional<ExecutionInfo>> found,
              co_await describe_all(context_, std::move(ids)));
    if (!found.front()) co_return not_found(id);
    co_return *std::move(found.front());
}

Task<Done> Executions::must_exist(model::ExecutionId id) {
    FF_CO_TRY(const ExecutionInfo info, co_await get(id));
    co_return Done{};
}

Task<Bytes> Executions::read_bytes(model::ExecutionId id, std::string key) {
    FF_CO_CHECK(co_await must_exist(id));
    store::Call call = store::plain({"GET", key}, true);
    FF_CO_TRY(store::Reply reply, co_await context_.store.call(std::move(call)));
    std::optional<std::string> bytes = std::move(reply).take_text();
    if (!bytes) co_return model::make_error("not_found");
    co_return *std::move(bytes);
}

Task<Bytes> Executions::payload(model::ExecutionId id) {
    co_return co_await read_bytes(id, model::ExecKeys(id).payload());
}

Task<Bytes> Executions::input(model::ExecutionId id, std::string name) {
    co_return co_await read_bytes(id, model::ExecKeys(id).input(name));
}

Task<Bytes> Executions::result(model::ExecutionId id) {
    FF_CO_TRY(const ExecutionInfo info, co_await get(id));
    if (info.state.terminal_outcome != model::TerminalOutcome::Success || !info.has_result) {
        co_return model::make_error("not_found", {"result"});
    }
    co_return co_await read_bytes(id, model::ExecKeys(id).result());
}

Task<Tags> Executions::tags(model::ExecutionId id) {
    FF_CO_CHECK(co_await must_exist(id));
    store::Call call = store::plain({"HGETALL", model::ExecKeys(id).tags()}, true);
    FF_CO_TRY(const store::Reply reply, co_await context_.store.call(std::move(call)));
    co_return pairs_of(reply);
}

Task<std::int64_t> Executions::set_tags(model::ExecutionId id, Tags tags) {
    FF_CO_TRY(const ExecutionInfo info, co_await get(id));
    // Which values give way; another server may change them meanwhile, the reconciler sees to that.
    store::Call call = store::plain({"HGETALL", model::ExecKeys(id).tags()}, true);
    FF_CO_TRY(const store::Reply reply, co_await context_.store.call(std::move(call)));
    Tags before = pairs_of(reply);
    std::erase_if(before, [&](const auto& old) {
        return std::ranges::none_of(tags, [&](const auto& now) {
            return now.first == old.first && now.second != old.second;
        });
    });
    engine::SetExecutionTags operation{.execution_id = id, .tags = tags};
    FF_CO_TRY(const engine::SetExecutionTags::Outcome outcome,
              co_await engine::run(context_.store, std::move(operation)));
    const auto ns = model::Namespace::parse(info.ns);
    if (ns) indexes_.retag(id, *ns, before, tags);
    co_return outcome.count;
}

Task<model::PublicState> Executions::cancel(CancelRequest request) {
    engine::CancelExecution operation{.execution_id = request.execution_id,
                                      .reason = std::move(request.reason),
                                      .source = std::move(request.source),
                                      .fence = request.fence};
    FF_CO_TRY(const engine::CancelExecution::Outcome outcome,
              co_await engine::run(context_.store, std::move(operation)));
    co_return model::PublicState::Cancelled;
}

Task<ChangedPriority> Executions::change_priority(model::ExecutionId id, std::int64_t priority) {
    engine::ChangePriority operation{.execution_id = id, .new_priority = priority};
    FF_CO_TRY(const engine::ChangePriority::Outcome outcome,
              co_await engine::run(context_.store, std::move(operation)));
    co_return ChangedPriority{.old_priority = outcome.old_priority,
                              .new_priority = outcome.new_priority};
}

Task<model::PublicState> Executions::replay(ReplayRequest request) {
    engine::ReplayExecution operation{.execution_id = request.execution_id,
                                      .reason = std::move(request.reason),
                                      .requested_by = std::move(request.requested_by),
                                      .keep_steps = request.keep_steps};
    FF_CO_TRY(const engine::ReplayExecution::Outcome outcome,
              co_await engine::run(context_.store, std::move(operation)));
    co_return outcome.public_state;
}

Task<std::vector<std::string>> Executions::replay_subgraph(model::ExecutionId id, bool keep_steps) {
    FF_CO_TRY(const ExecutionInfo info, co_await get(id));
    const auto flow = model::FlowId::parse(info.flow_id);
    if (!flow) co_return model::make_error("execution_not_in_flow");
    engine::ReplaySubgraph operation{.execution_id = id,
                                     .flow = {.id = *flow, .partitions = context_.rules.partitions},
                                     .keep_steps = keep_steps};
    co_return co_await engine::run(context_.store, std::move(operation));
}

Task<RevokedLease> Executions::revoke_lease(model::ExecutionId id,
                                            std::optional<model::LeaseId> expected_lease_id,
                                            std::string reason) {
    engine::RevokeLease operation{
        .execution_id = id, .expected_lease_id = expected_lease_id, .reason = std::move(reason)};
    Result<engine::RevokeLease::Outcome> outcome =
        co_await engine::run(context_.store, std::move(operation));
    if (!outcome && outcome.error().code == "execution_not_active") {
        co_return model::make_error("no_active_lease", outcome.error().detail);
    }
    if (!outcome) co_return std::move(outcome).error();
    co_return RevokedLease{.already = std::move(outcome->already),
                           .lease_id = std::move(outcome->lease_id),
                           .lease_epoch = outcome->lease_epoch};
}

Task<model::PublicState> Executions::release_hold(model::ExecutionId id) {
    engine::PromoteBlockedToEligible operation{.execution_id = id};
    FF_CO_TRY(const auto outcome, co_await engine::run(context_.store, std::move(operation)));
    co_return outcome.delayed ? model::PublicState::Delayed : model::PublicState::Waiting;
}

Task<TakenOver> Executions::take_over(TakeOver request) {
    FF_CO_TRY(const ExecutionInfo info, co_await get(request.execution_id));
    FF_CO_TRY(model::LaneId lane, model::LaneId::parse(info.lane_id));
    const model::LeaseId lease_id =
        request.lease_id ? *request.lease_id : model::LeaseId::mint(context_.random);
    engine::IssueGrantAndClaim operation{
        .execution_id = request.execution_id,
        .claimant = {.worker_id = request.worker_id,
                     .worker_instance_id = request.worker_instance_id,
                     .lane = lane,
                     .lease_id = lease_id,
                     .attempt_id = model::AttemptId::mint(context_.random),
                     .lease_ttl = request.lease_ttl}};
    FF_CO_TRY(engine::TakenLease lease, co_await engine::run(context_.store, std::move(operation)));
    const TaskToken token{.store = context_.rules.token_store,
                          .execution_id = request.execution_id,
                          .attempt_index = lease.attempt_index,
                          .fence = lease.fence,
                          .lease_ttl = request.lease_ttl,
                          .lane_id = lane,
                          .worker_instance_id = request.worker_instance_id};
    std::string text = token.encode();
    co_return TakenOver{
        .lane = std::move(lane), .lease = std::move(lease), .token = std::move(text)};
}

Task<RecordPage> Executions::attempts(model::ExecutionId id, std::string after, std::size_t limit) {
    FF_CO_TRY(const ExecutionInfo info, co_await get(id));
    std::int64_t next = 0;
    if (!after.empty()) {
        const auto last = parse_i64(after);
        if (!last || *last < 0) co_return model::make_error("invalid_cursor");
        next = *last + 1;
    }
    const model::ExecKeys keys(id);
    const std::int64_t end =
        std::min(info.total_attempt_count, next + static_cast<std::int64_t>(limit));
    std::vector<store::Call> reads;
    for (std::int64_t i = next; i < end; ++i) {
        const model::AttemptIndex index{static_cast<std::uint32_t>(i)};
        reads.push_back(store::plain({"HGETALL", keys.attempt(index)}, true));
        reads.push_back(store::plain({"HGETALL", keys.attempt_usage(index)}, true));
    }
    RecordPage page;
    if (reads.empty()) co_return page;
    const auto replies = co_await context_.store.pipeline(std::move(reads));
    for (std::size_t i = 0; i + 1 < replies.size(); i += 2) {
        if (!replies[i]) co_return replies[i].error();
        if (!replies[i + 1]) co_return replies[i + 1].error();
        Record record = pairs_of(*replies[i]);
        if (record.empty()) continue;
        for (auto& [name, value] : pairs_of(*replies[i + 1])) {
            record.emplace_back("usage." + name, std::move(value));
        }
        page.records.push_back(std::move(record));
    }
    if (end < info.total_attempt_count) page.next_cursor = std::to_string(end - 1);
    co_return page;
}

Task<RecordPage> Executions::lease_history(model::ExecutionId id, std::string after,
                                           std::size_t limit) {
    std::vector<store::Call> calls = lease_history_calls(id, after, limit);
    const auto replies = co_await context_.store.pipeline(std::move(calls));
    co_return read_lease_history(id, replies, after, limit);
}

}  // namespace ff::service
