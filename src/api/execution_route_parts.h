#pragma once

#include "api/route.h"
#include "model/partition.h"
#include "service/executions.h"

namespace ff::api {

// The parts of `add_execution_routes`.

/// Listing, explain, attempts and lease history.
void add_execution_list_routes(Routes& routes, service::Executions& executions,
                               model::PartitionConfig partitions);
/// Children that an execution calls from inside a lease.
void add_call_routes(Routes& routes, service::Executions& executions,
                     model::PartitionConfig partitions);
/// Cancel, priority, replay and revoke-lease.
void add_execution_operator_routes(Routes& routes, service::Executions& executions,
                                   model::PartitionConfig partitions);

}  // namespace ff::api
