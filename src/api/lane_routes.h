#pragma once

#include "api/route.h"
#include "service/lanes.h"

namespace ff::api {

/// `/v1/lanes`. `lanes` outlives the table.
void add_lane_routes(Routes& routes, service::Lanes& lanes);

}  // namespace ff::api
