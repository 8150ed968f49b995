// The operations that make up nearly all calls, without the detour over JSON.

#include <stop_token>
#include <utility>

#include <boost/asio/post.hpp>

#include "embed/local_door.h"
#include "embed/task_reading.h"
#include "sched/claim_request.h"
#include "sdk/hot_path.h"
#include "sdk/public_error.h"
#include "service/work.h"

namespace ff::embed {
namespace asio = boost::asio;

namespace {

Result<service::WorkRequest> request_of(const sdk::HotClaim& claim) {
    FF_TRY(model::WorkerId worker, model::WorkerId::parse(claim.worker_id));
    FF_TRY(model::WorkerInstanceId instance,
           model::WorkerInstanceId::parse(claim.worker_instance_id));
    service::WorkRequest request{
        .claim = {.worker_id = std::move(worker), .worker_instance_id = std::move(instance)},
        .include_token = false};
    for (const std::string& text : claim.lanes) {
        FF_TRY(model::LaneId lane, model::LaneId::parse(text));
        request.claim.lanes.push_back(std::move(lane));
    }
    const std::vector<std::string_view> tokens(claim.capabilities.begin(),
                                               claim.capabilities.end());
    FF_TRY(request.claim.capabilities, model::CapabilitySet::parse(tokens));
    if (!claim.kinds.empty()) {
        FF_TRY(request.claim.kinds, model::KindSet::parse(claim.kinds));
    }
    if (!claim.ns.empty()) {
        FF_TRY(request.claim.only_namespace, model::Namespace::parse(claim.ns));
    }
    request.claim.tasks_max = claim.tasks_max;
    if (claim.wait < Millis(0) || claim.wait > sched::ClaimRequest::kWaitMost) {
        return invalid_input("wait_ms", "out_of_range");
    }
    request.claim.wait = claim.wait;
    request.claim.lease_ttl = claim.lease_ttl;
    request.claim.claim_id = claim.claim_id;
    return request;
}

Result<engine::CompleteExecution> completion_of(const sdk::HotCompletion& given) {
    FF_TRY(model::ExecutionId id, model::ExecutionId::parse(given.lease.execution_id));
    FF_TRY(const model::LeaseId lease, model::LeaseId::parse(given.lease.lease_id));
    FF_TRY(const model::AttemptId attempt, model::AttemptId::parse(given.lease.attempt_id));
    engine::CompleteExecution completion{
        .execution_id = std::move(id),
        .fence = engine::Fence{.lease_id = lease,
                               .lease_epoch = {static_cast<std::uint64_t>(given.lease.lease_epoch)},
                               .attempt_id = attempt}};
    if (given.result) completion.result = *given.result;
    return completion;
}

asio::awaitable<Result<service::CompletedWork>> take(
    app::Instance& instance, service::WorkRequest request,
    std::vector<engine::CompleteExecution> completions) {
    service::Work& work = instance.services().work;
    const std::shared_ptr<sched::Abandonment> abandonment = request.claim.abandonment;
    service::CompletedWork done;
    if (completions.empty()) {
        FF_CO_TRY(done.tasks, co_await work.claim(std::move(request)));
    } else {
        done = co_await work.complete_and_claim(std::move(request), std::move(completions));
    }
    if (!abandonment->abandoned()) co_return done;
    FF_CO_CHECK(co_await work.give_back(std::move(done.tasks)));
    done.tasks.clear();
    co_return done;
}

}  // namespace

flowfabric::Result<sdk::HotClaimed> LocalDoor::claim(const sdk::HotClaim& claim) {
    auto request = request_of(claim);
    if (!request.has_value()) return public_error(request.error());
    std::vector<engine::CompleteExecution> completions;
    completions.reserve(claim.completions.size());
    for (const sdk::HotCompletion& given : claim.completions) {
        auto completion = completion_of(given);
        if (!completion.has_value()) return public_error(completion.error());
        completions.push_back(*std::move(completion));
    }
    auto abandonment = std::make_shared<sched::Abandonment>();
    request->claim.abandonment = abandonment;
    const std::stop_callback leave(claim.stop, [this, abandonment] {
        asio::post(engine_->loop(), [abandonment] { abandonment->abandon(); });
    });
    FF_SDK_TRY(service::CompletedWork done,
               engine_->wait_for<service::CompletedWork>([&](app::Instance& instance) {
                   return take(instance, *std::move(request), std::move(completions));
               }));
    sdk::HotClaimed claimed;
    claimed.tasks.reserve(done.tasks.size());
    for (service::ClaimedWork& work : done.tasks)
        claimed.tasks.push_back(
            task_of(std::move(work.task.task), std::move(work.task.lane), work.lease_ttl));
    claimed.completions.reserve(done.results.size());
    for (const auto& result : done.results) {
        if (result.has_value()) {
            claimed.completions.emplace_back();
        } else {
            claimed.completions.emplace_back(public_error(result.error()));
        }
    }
    return claimed;
}

}  // namespace ff::embed
