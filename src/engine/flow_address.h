#pragma once

#include "model/flow_keys.h"
#include "model/ids.h"
#include "model/partition.h"

namespace ff::engine {

/// A flow and where it lives.
struct FlowAddress {
    model::FlowId id;
    model::PartitionConfig partitions{};

    model::FlowKeys keys() const { return {id, partitions}; }
    model::FlowIndexKeys index() const {
        return model::FlowIndexKeys(model::partition_of(id, partitions));
    }
};

}  // namespace ff::engine
