#pragma once

#include "api/call.h"
#include "api/route.h"
#include "base/json.h"
#include "model/partition.h"
#include "service/suspensions.h"

namespace ff::api {

/// Suspending and what a resumed attempt reads (spec 07, section 4.3). The service outlives them.
void add_suspend_routes(Routes& routes, service::Suspensions& suspensions,
                        model::PartitionConfig partitions);

/// The held attempt that a task route is about; its index must be among what the worker presents.
Result<service::HeldAttempt> parse_held(Call& call, const model::PartitionConfig& partitions);
/// `waitpoint_id`, `waitpoint_key` and `waitpoint_token`.
void write_bound(json::Writer& out, const engine::BoundWaitpoint& waitpoint);

}  // namespace ff::api
