#pragma once

#include "api/pool.h"
#include "api/route.h"
#include "model/partition.h"
#include "service/signals.h"
#include "service/suspensions.h"

namespace ff::api {

/// What the routes of waitpoints stand on; all of it outlives them.
struct WaitpointGround {
    service::Signals& signals;
    service::Suspensions& suspensions;
    Pools& pools;
    model::PartitionConfig partitions{};
};

/// Open waitpoints and their tokens, pending waitpoints of workers, the secrets that sign tokens.
void add_waitpoint_routes(Routes& routes, WaitpointGround ground);

}  // namespace ff::api
