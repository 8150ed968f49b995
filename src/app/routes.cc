#include "app/routes.h"

#include "api/execution_routes.h"
#include "api/lane_routes.h"

namespace ff::app {

void add_routes(api::Routes& routes, Services& services, api::Pools& /*pools*/) {
    api::add_lane_routes(routes, services.lanes);
    api::add_execution_routes(routes, services.executions, services.options.rules.partitions);
}

}  // namespace ff::app
