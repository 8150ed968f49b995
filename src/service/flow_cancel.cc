#include "engine/flow_cancel.h"

#include <algorithm>
#include <set>

#include "engine/operation.h"
#include "model/exec_keys.h"
#include "model/flow_keys.h"
#include "service/flows.h"
#include "service/hash_record.h"

namespace ff::service {
namespace {

using Status = CancelledFlow::Status;

/// Spec 05, section 5.8.1: these let started members finish.
bool lets_started_finish(std::string_view policy) {
    return policy == "cancel_pending" || policy == "cancel_unscheduled_only" ||
           policy == "let_active_finish";
}

/// Whether a member of such a flow may finish its attempt.
bool is_draining(const store::Reply& reply) {
    const HashRecord core("exec_core", reply);
    const std::string phase = core.text("lifecycle_phase");
    if (phase == "active" || phase == "suspended") return true;
    return phase == "runnable" && core.text("attempt_state") == "attempt_interrupted" &&
           core.text("eligibility_state") != "blocked_by_dependencies";
}

void cut_members(CancelledFlow& answer, std::size_t most) {
    answer.truncated = answer.members.size() > most;
    if (answer.truncated) answer.members.resize(most);
}

}  // namespace

Task<std::int64_t> Flows::owed_count(model::FlowId flow) {
    const std::string key = model::FlowKeys(flow, context_.rules.partitions).pending_cancels();
    store::Call read = store::plain({"SCARD", key}, true);
    FF_CO_TRY(const store::Reply reply, co_await context_.store.call(std::move(read)));
    co_return reply.to_integer().value_or(0);
}

Task<CancelledFlow> Flows::cancel(FlowCancelRequest request) {
    engine::CancelFlow call{.flow = address(request.flow_id),
                            .reason = request.reason,
                            .cancellation_policy = request.cancellation_policy};
    auto cancelled = co_await engine::run(context_.store, std::move(call));
    if (!cancelled) {
        if (cancelled.error().code != "flow_already_terminal") co_return cancelled.error();
        co_return co_await tell_terminal(std::move(request), std::move(cancelled).error());
    }
    CancelledFlow answer{.cancellation_policy = cancelled->cancellation_policy,
                         .public_flow_state = "cancelled",
                         .members = std::move(cancelled->members)};
    FF_CO_TRY(const std::int64_t owed, co_await owed_count(request.flow_id));
    if (owed == 0) co_return answer;
    if (request.wait_until) {
        co_return co_await wait_for_cancels(std::move(request), std::move(answer));
    }
    cancels_.dispatch(request.flow_id);
    if (!lets_started_finish(answer.cancellation_policy)) answer.status = Status::Scheduled;
    co_return answer;
}

Task<CancelledFlow> Flows::tell_terminal(FlowCancelRequest request, Error refusal) {
    const model::FlowKeys keys(request.flow_id, context_.rules.partitions);
    const std::string members = keys.members();
    store::Call read = store::plain({"SMEMBERS", members}, true);
    FF_CO_TRY(const store::Reply reply, co_await context_.store.call(std::move(read)));
    CancelledFlow answer{.cancellation_policy = request.cancellation_policy,
                         .members = texts_of(reply)};
    if (!refusal.detail.empty()) answer.public_flow_state = refusal.detail[0];
    if (refusal.detail.size() > 1 && !refusal.detail[1].empty()) {
        answer.cancellation_policy = refusal.detail[1];
    }
    std::ranges::sort(answer.members);
    FF_CO_TRY(const std::int64_t owed, co_await owed_count(request.flow_id));
    if (owed > 0 && request.wait_until) {
        FF_CO_TRY(answer, co_await wait_for_cancels(std::move(request), std::move(answer)));
    }
    cut_members(answer, kToldMembersMax);
    co_return answer;
}

Task<CancelledFlow> Flows::wait_for_cancels(FlowCancelRequest request, CancelledFlow so_far) {
    auto pass = co_await cancels_.run(request.flow_id, *request.wait_until);
    if (pass && pass->only_draining()) {
        if (pass->draining > 0) so_far.draining_count = pass->draining;
        co_return so_far;
    }
    // A store that cannot be reached has been told to cancel: the backlog goes on.
    if (!pass && pass.error().cls != ErrorClass::Retryable) co_return pass.error();
    FF_CO_TRY(so_far.failed_members, co_await unfinished_members(request.flow_id, so_far.members));
    if (so_far.failed_members.empty()) co_return so_far;
    so_far.status = Status::Partial;
    FF_CO_TRY(const std::int64_t owed, co_await owed_count(request.flow_id));
    so_far.draining_count =
        std::max<std::int64_t>(owed - static_cast<std::int64_t>(so_far.failed_members.size()), 0);
    co_return so_far;
}

Task<std::vector<std::string>> Flows::unfinished_members(model::FlowId flow,
                                                         std::vector<std::string> members) {
    const model::FlowKeys keys(flow, context_.rules.partitions);
    const std::string pending = keys.pending_cancels();
    const std::string core = keys.core();
    std::vector<store::Call> reads;
    reads.push_back(store::plain({"SMEMBERS", pending}, true));
    // Earlier versions wrote the bare name.
    const std::string mode_field = model::flow_core_field("cancel_mode");
    reads.push_back(store::plain({"HMGET", core, mode_field, "cancel_mode"}, true));
    const auto replies = co_await context_.store.pipeline(std::move(reads));
    for (const auto& reply : replies) {
        if (!reply) co_return reply.error();
    }
    const std::vector<std::string> owed_ids = texts_of(*replies[0]);
    std::set<std::string> owed(owed_ids.begin(), owed_ids.end());
    const std::vector<std::string> modes = texts_of(*replies[1]);
    if (std::ranges::find(modes, "cancel_pending") != modes.end()) {
        std::vector<store::Call> cores;
        for (const std::string& id : owed_ids) {
            const auto parsed = model::ExecutionId::parse(id);
            const std::string key = parsed ? model::ExecKeys(*parsed).core() : keys.noop();
            cores.push_back(store::plain({"HGETALL", key}, true));
        }
        const auto found = co_await context_.store.pipeline(std::move(cores));
        for (std::size_t i = 0; i < found.size(); ++i) {
            if (found[i] && is_draining(*found[i])) owed.erase(owed_ids[i]);
        }
    }
    std::erase_if(members, [&](const std::string& id) { return !owed.contains(id); });
    co_return members;
}

}  // namespace ff::service
