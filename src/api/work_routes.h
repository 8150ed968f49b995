#pragma once

#include "api/route.h"
#include "model/partition.h"
#include "service/work.h"
#include "service/workers.h"

namespace ff::api {

/// Claims, and what a worker does with its tasks (spec 07, sections 4.2 and 4.3), but for
/// suspension and streams. The services outlive the table.
void add_work_routes(Routes& routes, service::Work& work, service::Workers& workers,
                     model::PartitionConfig partitions);

// Its parts.

/// Claim of tasks and of grants.
void add_claim_routes(Routes& routes, service::Work& work, model::PartitionConfig partitions);
/// What is done under a lease.
void add_task_routes(Routes& routes, service::Work& work, model::PartitionConfig partitions);
/// What a task has done, recorded and read.
void add_step_routes(Routes& routes, service::Work& work, model::PartitionConfig partitions);
/// Renewal, alone and of many.
void add_renew_routes(Routes& routes, service::Work& work, service::Workers& workers,
                      model::PartitionConfig partitions);

}  // namespace ff::api
