#include "app/routes.h"

#include "api/lane_routes.h"

namespace ff::app {

void add_routes(api::Routes& routes, Services& services, api::Pools& /*pools*/) {
    api::add_lane_routes(routes, services.lanes);
}

}  // namespace ff::app
