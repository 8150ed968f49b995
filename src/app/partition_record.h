#pragma once

#include "base/task.h"
#include "model/partition.h"
#include "store/store.h"

namespace ff::app {

/// Holds the store to one set of partition counts for life (spec 01, section 3.5). Refuses with
/// `partition_mismatch` naming the first count that differs, stored and configured.
Task<Done> agree_on_partitions(store::Store& store, model::PartitionConfig partitions);

/// What a guest of the store goes by: the stored counts, the defaults where nothing is stored. A
/// count that is none is an error, as is a record that cannot be read.
Task<model::PartitionConfig> stored_partitions(store::Store& store);

}  // namespace ff::app
