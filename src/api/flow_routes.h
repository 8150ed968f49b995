#pragma once

#include "api/route.h"
#include "service/flows.h"

namespace ff::api {

/// `/v1/flows`. `flows` outlives the table.
void add_flow_routes(Routes& routes, service::Flows& flows);

// The parts of it.
void add_flow_graph_routes(Routes& routes, service::Flows& flows);
void add_flow_view_routes(Routes& routes, service::Flows& flows);

}  // namespace ff::api
