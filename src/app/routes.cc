#include "app/routes.h"

#include "api/approval_routes.h"
#include "api/audit_routes.h"
#include "api/budget_routes.h"
#include "api/execution_routes.h"
#include "api/feed_routes.h"
#include "api/flow_routes.h"
#include "api/lane_routes.h"
#include "api/overview_routes.h"
#include "api/quota_routes.h"
#include "api/signal_routes.h"
#include "api/stream_append_routes.h"
#include "api/stream_routes.h"
#include "api/suspend_routes.h"
#include "api/waitpoint_routes.h"
#include "api/work_routes.h"
#include "api/worker_routes.h"

namespace ff::app {
namespace {

/// What executions say, wait for and are told.
void add_conversation_routes(api::Routes& routes, Services& services, api::Pools& pools) {
    const model::PartitionConfig partitions = services.options.rules.partitions;
    const api::StreamGround streams{.streams = services.streams,
                                    .pools = pools,
                                    .partitions = partitions,
                                    .heartbeat = services.options.sse_heartbeat};
    api::add_stream_routes(routes, streams);
    api::add_stream_append_routes(routes, streams);
    api::add_feed_routes(routes, {.feeds = services.feeds,
                                  .pools = pools,
                                  .partitions = partitions,
                                  .heartbeat = services.options.sse_heartbeat});
    api::add_signal_routes(routes, services.signals, partitions);
    api::add_suspend_routes(routes, services.suspensions, partitions);
    api::add_waitpoint_routes(routes, {.signals = services.signals,
                                       .suspensions = services.suspensions,
                                       .pools = pools,
                                       .partitions = partitions});
    api::add_approval_routes(routes, services.approvals);
    api::add_audit_routes(routes, services.audit, pools);
}

}  // namespace

void add_routes(api::Routes& routes, Services& services, api::Pools& pools) {
    api::add_lane_routes(routes, services.lanes);
    const model::PartitionConfig partitions = services.options.rules.partitions;
    api::add_execution_routes(routes, services.executions, partitions);
    api::add_work_routes(routes, services.work, services.workers, partitions);
    api::add_worker_routes(routes, services.workers);
    api::add_flow_routes(routes, services.flows);
    api::add_budget_routes(routes, services.budgets);
    api::add_quota_routes(routes, services.quotas);
    api::add_overview_routes(routes, services.overview);
    add_conversation_routes(routes, services, pools);
}

}  // namespace ff::app
