#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/execution_id.h"
#include "model/ids.h"
#include "model/partition.h"
#include "service/graph_document.h"

namespace ff::service {

/// A checked graph in the words of ff_submit_flow. The same document gives the same bytes.
struct GraphPlan {
    std::string json{};
    std::vector<std::string> payloads{};
    /// Node name to execution, in the order of the document.
    std::vector<std::pair<std::string, model::ExecutionId>> nodes{};
};

GraphPlan plan_graph(const GraphDocument& graph, GraphDocument::Use use, const model::FlowId& flow,
                     const model::PartitionConfig& partitions);

}  // namespace ff::service
