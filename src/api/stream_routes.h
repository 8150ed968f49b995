#pragma once

#include "api/pool.h"
#include "api/route.h"
#include "api/sse.h"
#include "model/partition.h"
#include "service/streams.h"

namespace ff::api {

/// What the routes of streams stand on; all of it outlives them.
struct StreamGround {
    service::Streams& streams;
    Pools& pools;
    model::PartitionConfig partitions{};
    Millis heartbeat = kHeartbeat;
};

/// Attempt streams, summaries, the merged view, lease history and the wait for an end (spec 04,
/// section 12).
void add_stream_routes(Routes& routes, StreamGround ground);

}  // namespace ff::api
