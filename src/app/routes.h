#pragma once

#include "api/pool.h"
#include "api/route.h"
#include "app/services.h"

namespace ff::app {

/// The whole table, but for the routes that look at the process itself. Services and pools outlive
/// it.
void add_routes(api::Routes& routes, Services& services, api::Pools& pools);

}  // namespace ff::app
