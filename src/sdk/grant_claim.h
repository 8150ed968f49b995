#pragma once

#include <string>

#include "base/bytes.h"
#include "base/random.h"
#include "base/task.h"
#include "engine/claim_execution.h"
#include "engine/grant.h"
#include "model/execution_id.h"
#include "sdk/capacity.h"
#include "store/store.h"

namespace ff::sdk {

/// A worker as the store knows it.
struct WorkerIdentity {
    model::WorkerId worker_id;
    model::WorkerInstanceId worker_instance_id;
    Millis lease_ttl{30'000};
};

/// A grant as its receiver holds it.
struct HeldGrant {
    model::ExecutionId execution_id;
    model::LaneId lane;
    engine::GrantKind kind = engine::GrantKind::Claim;
};

/// A lease that came from a grant, with the place it takes.
struct GrantedLease {
    Capacity::Permit permit;
    engine::TakenLease lease;
    // Of an attempt that goes on after a suspension:
    std::string suspension_id{};
    std::string close_reason{};
    Bytes continuation{};
};

/// Consumes a grant by the function its kind names; if the execution was interrupted meanwhile, by
/// the resume function with the same grant. At capacity it is `worker_at_capacity` before any call,
/// and the grant stays usable.
Task<GrantedLease> claim_from_grant(store::Store& store, Random& random, Capacity& capacity,
                                    WorkerIdentity worker, HeldGrant grant);

}  // namespace ff::sdk
