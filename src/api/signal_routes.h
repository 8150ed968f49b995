#pragma once

#include "api/route.h"
#include "model/partition.h"
#include "service/signals.h"

namespace ff::api {

/// Signals, approvals, operator resumes (spec 07, section 3.1). The service outlives them.
void add_signal_routes(Routes& routes, service::Signals& signals,
                       model::PartitionConfig partitions);

}  // namespace ff::api
