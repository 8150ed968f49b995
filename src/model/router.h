#pragma once

#include <cstdint>

#include "model/exec_keys.h"
#include "model/flow_keys.h"
#include "model/index_keys.h"
#include "model/partition.h"

namespace ff::model {

/// Says where things live. Stateless beside the configuration; which connection serves a
/// partition is the store's business.
class Router {
  public:
    explicit Router(PartitionConfig config) : config_(config) {}

    const PartitionConfig& config() const { return config_; }
    std::uint16_t num_flow_partitions() const { return config_.num_flow_partitions(); }

    /// Read out of the id, never hashed again: valid whatever the configuration says now.
    static PartitionKey partition_for(const ExecutionId& id) { return id.partition(); }
    PartitionKey partition_for(const FlowId& id) const { return partition_of(id, config_); }
    PartitionKey partition_for(const BudgetId& id) const { return partition_of(id, config_); }
    PartitionKey partition_for(const QuotaPolicyId& id) const { return partition_of(id, config_); }

    static ExecKeys exec_keys(const ExecutionId& id) { return ExecKeys(id); }
    static IndexKeys index_keys(std::uint16_t index) { return IndexKeys(index); }
    FlowKeys flow_keys(const FlowId& id) const { return {id, config_}; }

  private:
    PartitionConfig config_;
};

}  // namespace ff::model
