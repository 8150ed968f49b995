#include "app/routes.h"

#include "api/budget_routes.h"
#include "api/execution_routes.h"
#include "api/flow_routes.h"
#include "api/lane_routes.h"
#include "api/quota_routes.h"

namespace ff::app {

void add_routes(api::Routes& routes, Services& services, api::Pools& /*pools*/) {
    api::add_lane_routes(routes, services.lanes);
    api::add_execution_routes(routes, services.executions, services.options.rules.partitions);
    api::add_flow_routes(routes, services.flows);
    api::add_budget_routes(routes, services.budgets);
    api::add_quota_routes(routes, services.quotas);
}

}  // namespace ff::app
