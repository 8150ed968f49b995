#pragma once

#include <string_view>

#include "model/execution_id.h"
#include "model/ids.h"

namespace ff::model {

// Ids inside a submitted graph follow from the flow and the names in it, so that repeating a
// submission names the same executions and edges.

/// The member for the node of that name.
ExecutionId node_execution_id(const FlowId& flow, std::string_view node_name,
                              const PartitionConfig& config);

/// The ends of an edge as the document writes them: a node's name, or an execution id as text.
struct EdgeEnds {
    std::string_view upstream{};
    std::string_view downstream{};
};
EdgeId graph_edge_id(const FlowId& flow, const EdgeEnds& ends);

}  // namespace ff::model
