#include "model/graph_ids.h"

#include "model/key_text.h"

namespace ff::model {

ExecutionId node_execution_id(const FlowId& flow, std::string_view node_name,
                              const PartitionConfig& config) {
    const Uuid uuid = Uuid::named(flow.uuid(), concat({"node:", node_name}));
    return ExecutionId::deterministic_for_flow(flow, config, uuid);
}

EdgeId graph_edge_id(const FlowId& flow, const EdgeEnds& ends) {
    return EdgeId(Uuid::named(flow.uuid(), concat({"edge:", ends.upstream, ">", ends.downstream})));
}

}  // namespace ff::model
