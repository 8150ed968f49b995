#pragma once

#include "base/task.h"
#include "model/partition.h"
#include "store/store.h"

namespace ff::sched {

/// Gives back the quota places of up to 256 runs of a partition that gave up their lease. The
/// functions note them in the same call that ends the lease, so a crash before or in the middle of
/// this only repeats a harmless release. The outcome counts the places that came free.
Task<std::size_t> drain_quota_releases(store::Store& store, std::uint16_t partition,
                                       model::PartitionConfig partitions);

}  // namespace ff::sched
