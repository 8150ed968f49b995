#include "service/graph_plan.h"

#include <optional>

#include "base/json.h"
#include "model/graph_ids.h"

namespace ff::service {
namespace {

void write_texts(json::Writer& out, const TextMap& texts) {
    out.begin_object();
    for (const auto& [key, value] : texts) out.key(key).string(value);
    out.end_object();
}

void write_due(json::Writer& out, std::string_view name, const std::optional<model::DueTime>& due) {
    out.key(name).string(due ? due->to_string() : "");
}

void write_flow(json::Writer& out, const GraphDocument& graph, GraphDocument::Use use) {
    out.key("flow").begin_object();
    if (use == GraphDocument::Use::Submit) {
        out.key("flow_kind").string(graph.flow_kind);
        out.key("namespace").string(graph.ns ? graph.ns->text() : "");
        out.key("created_by").string(graph.created_by);
        out.key("failure_policy").string(graph.failure_policy);
        out.key("outcome_policy").string(graph.outcome_policy);
        if (!graph.tags.empty()) {
            out.key("tags");
            write_texts(out, graph.tags);
        }
    }
    out.key("seal").boolean(graph.seal);
    out.end_object();
}

void write_node(json::Writer& out, const GraphNode& node, const model::ExecutionId& id,
                GraphPlan& plan) {
    out.begin_object();
    out.key("eid").string(id.to_string());
    out.key("name").string(node.name);
    out.key("lane").string(node.lane);
    out.key("kind").string(node.execution_kind);
    out.key("priority").integer(node.priority.value_or(0));
    out.key("creator").string(node.creator_identity);
    out.key("policy").string(node.policy_json);
    out.key("payload").integer(node.payload ? static_cast<std::int64_t>(plan.payloads.size()) : -1);
    if (node.payload) plan.payloads.push_back(*node.payload);
    write_due(out, "delay_until", node.delay_until);
    write_due(out, "deadline_at", node.execution_deadline);
    if (!node.payload_encoding.empty()) {
        out.key("payload_encoding").string(node.payload_encoding);
    }
    if (!node.tags.empty()) {
        out.key("tags");
        write_texts(out, node.tags);
    }
    if (node.join) {
        out.key("join").begin_object();
        out.key("policy").string(node.join->mode);
        if (node.join->k) out.key("k").integer(*node.join->k);
        out.key("on_satisfied").string(node.join->on_satisfied);
        out.end_object();
    }
    out.end_object();
}

void write_edges(json::Writer& out, const GraphNode& node, const model::ExecutionId& id,
                 const model::FlowId& flow, const model::PartitionConfig& partitions) {
    for (const GraphDependency& dependency : node.depends_on) {
        const model::EdgeId edge =
            model::graph_edge_id(flow, {.upstream = dependency.on, .downstream = node.name});
        out.begin_object();
        out.key("id").string(edge.to_string());
        out.key("up").string(
            dependency.by_id
                ? dependency.on
                : model::node_execution_id(flow, dependency.on, partitions).to_string());
        out.key("down").string(id.to_string());
        out.key("kind").string(dependency.kind);
        out.key("data").string(dependency.data);
        out.end_object();
    }
}

}  // namespace

GraphPlan plan_graph(const GraphDocument& graph, GraphDocument::Use use, const model::FlowId& flow,
                     const model::PartitionConfig& partitions) {
    GraphPlan plan;
    json::Writer out(plan.json);
    out.begin_object();
    write_flow(out, graph, use);
    out.key("nodes").begin_array();
    for (const GraphNode& node : graph.nodes) {
        const model::ExecutionId id = model::node_execution_id(flow, node.name, partitions);
        write_node(out, node, id, plan);
        plan.nodes.emplace_back(node.name, id);
    }
    out.end_array();
    out.key("edges").begin_array();
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        write_edges(out, graph.nodes[i], plan.nodes[i].second, flow, partitions);
    }
    out.end_array();
    out.end_object();
    return plan;
}

}  // namespace ff::service
