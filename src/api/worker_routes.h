#pragma once

#include "api/route.h"
#include "service/workers.h"

namespace ff::api {

/// The registry of workers (spec 07, section 4.4). `workers` outlives the table.
void add_worker_routes(Routes& routes, service::Workers& workers);

}  // namespace ff::api
