#pragma once

#include "api/route.h"
#include "model/partition.h"
#include "service/executions.h"

namespace ff::api {

/// Submitting, reading and operating executions (spec 07, section 3.1). `executions` outlives the
/// table.
void add_execution_routes(Routes& routes, service::Executions& executions,
                          model::PartitionConfig partitions);

}  // namespace ff::api
