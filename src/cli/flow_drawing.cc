#include "cli/flow_drawing.h"

#include <algorithm>
#include <map>

namespace ff::cli {
namespace {

using flowfabric::FlowEdge;
using flowfabric::FlowMember;

struct Node {
    std::string name{};
    std::string state{};
    std::vector<std::string> upstream{};
    /// The longest way from a node without dependencies.
    std::size_t level = 0;
};

std::string_view mark_of(const std::string& state) {
    if (state == "completed") return "✓";
    if (state == "failed" || state == "expired") return "✗";
    if (state == "active") return "▶";
    if (state == "suspended") return "⏸";
    if (state == "cancelled" || state == "skipped") return "–";
    return "·";
}

std::map<std::string, Node> read_nodes(const std::vector<FlowMember>& nodes,
                                       const std::vector<FlowEdge>& edges) {
    std::map<std::string, Node> read;
    for (const FlowMember& node : nodes)
        read[node.execution_id] = {.name = node.name.empty() ? node.execution_id : node.name,
                                   .state = node.public_state.empty() ? "gone" : node.public_state};
    for (const FlowEdge& edge : edges) {
        const auto child = read.find(edge.downstream);
        if (child != read.end() && read.contains(edge.upstream))
            child->second.upstream.push_back(edge.upstream);
    }
    // A graph without cycles settles within as many rounds as it has nodes.
    bool moved = true;
    for (std::size_t round = 0; moved && round <= read.size(); ++round) {
        moved = false;
        for (auto& [id, node] : read) {
            for (const std::string& parent : node.upstream) {
                const std::size_t below = read[parent].level + 1;
                if (below > node.level) {
                    node.level = below;
                    moved = true;
                }
            }
        }
    }
    return read;
}

}  // namespace

std::vector<std::string> draw_flow(const std::vector<FlowMember>& nodes,
                                   const std::vector<FlowEdge>& edges,
                                   const std::function<std::string(const std::string&)>& paint) {
    std::map<std::string, Node> graph = read_nodes(nodes, edges);
    std::vector<const Node*> order;
    std::size_t widest = 0;
    for (const auto& [id, node] : graph) {
        order.push_back(&node);
        widest = std::max(widest, 3 * node.level + node.name.size());
    }
    std::sort(order.begin(), order.end(), [](const Node* a, const Node* b) {
        return std::tie(a->level, a->name) < std::tie(b->level, b->name);
    });
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < order.size(); ++at) {
        const Node* node = order[at];
        const bool last = at + 1 == order.size() || order[at + 1]->level != node->level;
        std::string line;
        for (std::size_t i = 1; i < node->level; ++i) line += "   ";
        if (node->level > 0) line += last ? "└─ " : "├─ ";
        line += std::string(mark_of(node->state)) + " " + node->name;
        line.append(widest + 2 - (3 * node->level + node->name.size()), ' ');
        line += paint(node->state);
        std::string from;
        for (const std::string& parent : node->upstream)
            from += (from.empty() ? "  ← " : ", ") + graph[parent].name;
        lines.push_back(line + from);
    }
    return lines;
}

}  // namespace ff::cli
