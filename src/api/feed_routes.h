#pragma once

#include "api/pool.h"
#include "api/route.h"
#include "api/sse.h"
#include "model/partition.h"
#include "service/feeds.h"

namespace ff::api {

/// What the routes of feeds stand on; all of it outlives them.
struct FeedGround {
    service::Feeds& feeds;
    Pools& pools;
    model::PartitionConfig partitions{};
    Millis heartbeat = kHeartbeat;
};

/// Event feeds by long-poll and as events (spec 04, section 13.6).
void add_feed_routes(Routes& routes, FeedGround ground);

}  // namespace ff::api
