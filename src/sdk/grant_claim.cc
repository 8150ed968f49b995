#include "sdk/grant_claim.h"

#include <utility>

#include "engine/claim_resumed.h"
#include "engine/operation.h"
#include "model/error_catalogue.h"

namespace ff::sdk {
namespace {

Task<GrantedLease> resume(store::Store& store, engine::Claimant claimant,
                          model::ExecutionId execution_id, Capacity::Permit permit) {
    engine::ClaimResumedExecution claim{.execution_id = execution_id,
                                        .claimant = std::move(claimant)};
    FF_CO_TRY(engine::ClaimResumedExecution::Outcome taken,
              co_await engine::run(store, std::move(claim)));
    co_return GrantedLease{.permit = std::move(permit),
                           .lease = std::move(taken.lease),
                           .suspension_id = std::move(taken.suspension_id),
                           .close_reason = std::move(taken.close_reason),
                           .continuation = std::move(taken.continuation)};
}

}  // namespace

Task<GrantedLease> claim_from_grant(store::Store& store, Random& random, Capacity& capacity,
                                    WorkerIdentity worker, HeldGrant grant) {
    std::optional<Capacity::Permit> permit = capacity.try_take();
    if (!permit) co_return model::make_error("worker_at_capacity");
    engine::Claimant claimant{.worker_id = std::move(worker.worker_id),
                              .worker_instance_id = std::move(worker.worker_instance_id),
                              .lane = grant.lane,
                              .lease_id = model::LeaseId::mint(random),
                              .attempt_id = model::AttemptId::mint(random),
                              .lease_ttl = worker.lease_ttl};
    if (grant.kind == engine::GrantKind::Resume) {
        co_return co_await resume(store, std::move(claimant), grant.execution_id,
                                  *std::move(permit));
    }
    Result<engine::TakenLease> taken = model::make_error("worker_at_capacity");
    if (grant.kind == engine::GrantKind::Reclaim) {
        engine::ReclaimExecution reclaim{.execution_id = grant.execution_id, .claimant = claimant};
        taken = co_await engine::run(store, std::move(reclaim));
    } else {
        engine::ClaimExecution claim{.execution_id = grant.execution_id, .claimant = claimant};
        taken = co_await engine::run(store, std::move(claim));
    }
    if (!taken && taken.error().code == "use_claim_resumed_execution") {
        co_return co_await resume(store, std::move(claimant), grant.execution_id,
                                  *std::move(permit));
    }
    if (!taken) co_return std::move(taken).error();
    co_return GrantedLease{.permit = *std::move(permit), .lease = *std::move(taken)};
}

}  // namespace ff::sdk
