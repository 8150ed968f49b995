#pragma once

#include <vector>

#include "engine/create_execution.h"
#include "model/partition.h"

namespace ff::engine {

/// `ff_create_batch`: up to 1000 executions of one partition.
struct CreateBatch {
    /// One for each execution, in order.
    using Outcome = std::vector<Result<CreateExecution::Outcome>>;
    static constexpr std::size_t kItemsMax = 1000;

    model::PartitionKey partition;
    std::vector<CreateExecution> executions{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

}  // namespace ff::engine
