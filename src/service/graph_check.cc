#include "service/graph_check.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

namespace ff::service {
namespace {

constexpr std::string_view kInputPrefix = "input:";
constexpr std::size_t kInputNameBytesMax = 64;

bool is_input_name(std::string_view name) {
    const auto fits = [](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '.' || c == '-';
    };
    return !name.empty() && name.size() <= kInputNameBytesMax && std::ranges::all_of(name, fits);
}

class Check {
  public:
    Check(const GraphDocument& graph, const KnownMembers& known, GraphProblems& problems)
        : graph_(graph), known_(known), problems_(problems) {}

    void run() {
        check_names();
        std::size_t edges = 0;
        std::size_t payload_bytes = 0;
        for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
            check_dependencies(i);
            check_data(i);
            check_join(i);
            edges += graph_.nodes[i].depends_on.size();
            if (graph_.nodes[i].payload) payload_bytes += graph_.nodes[i].payload->size();
        }
        if (edges > kGraphEdgesMax) {
            refuse("flow_too_large", "nodes",
                   "more than " + std::to_string(kGraphEdgesMax) + " dependencies");
        }
        if (payload_bytes > kGraphPayloadBytesMax) {
            refuse("flow_too_large", "nodes",
                   "more than " + std::to_string(kGraphPayloadBytesMax) + " bytes of payload");
        }
        check_cycles();
    }

  private:
    void refuse(std::string_view code, std::string path, std::string message) {
        problems_.add(
            {.code = std::string(code), .path = std::move(path), .message = std::move(message)});
    }

    void check_names() {
        for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
            const std::string& name = graph_.nodes[i].name;
            if (name.empty()) continue;
            const auto [first, is_new] = by_name_.emplace(name, i);
            if (!is_new) {
                refuse("duplicate_node", node_path(i) + ".name",
                       "\"" + name + "\" is also the name of " + node_path(first->second));
            } else if (known_.names.contains(name)) {
                refuse("duplicate_node", node_path(i) + ".name",
                       "the flow has a node \"" + name + "\" already");
            }
        }
    }

    void check_dependencies(std::size_t i) {
        std::map<std::string, std::size_t> seen;
        const GraphNode& node = graph_.nodes[i];
        for (std::size_t j = 0; j < node.depends_on.size(); ++j) {
            const GraphDependency& dependency = node.depends_on[j];
            const std::string path = dependency_path(i, j);
            if (!dependency.kind.empty() && dependency.kind != "success_only" &&
                dependency.kind != "always") {
                refuse("invalid_dependency", path + ".kind", "not success_only or always");
            }
            if (dependency.on.empty()) continue;
            const auto [first, is_new] = seen.emplace(dependency.on, j);
            if (!is_new) {
                refuse("dependency_already_exists", path,
                       "the same as " + dependency_path(i, first->second));
            }
            if (!dependency.by_id && dependency.on == node.name) {
                refuse("self_referencing_edge", path, "a node cannot wait for itself");
            } else if (!is_there(dependency)) {
                refuse("execution_not_in_flow", path, "there is no node \"" + dependency.on + "\"");
            }
        }
    }

    bool is_there(const GraphDependency& dependency) const {
        if (known_.unread) return true;
        if (dependency.by_id) return known_.ids.contains(dependency.on);
        return by_name_.contains(dependency.on) || known_.names.contains(dependency.on);
    }

    void check_data(std::size_t i) {
        const GraphNode& node = graph_.nodes[i];
        std::map<std::string, std::size_t> inputs;
        std::optional<std::size_t> payload_edge;
        const bool first_wins = node.join && node.join->mode == "any_of";
        for (std::size_t j = 0; j < node.depends_on.size(); ++j) {
            const std::string& data = node.depends_on[j].data;
            if (data.empty()) continue;
            const std::string path = dependency_path(i, j) + ".data";
            if (!data.starts_with(kInputPrefix)) {
                if (payload_edge && !first_wins) {
                    refuse("data_passing_conflict", path,
                           "the payload is replaced by " + dependency_path(i, *payload_edge) +
                               " already");
                }
                payload_edge = payload_edge.value_or(j);
                continue;
            }
            if (!is_input_name(std::string_view(data).substr(kInputPrefix.size()))) {
                refuse("invalid_input", path, "a malformed input name");
                continue;
            }
            const auto [first, is_new] = inputs.emplace(data, j);
            if (!is_new) {
                refuse("data_passing_conflict", path,
                       "the same input as " + dependency_path(i, first->second));
            }
        }
    }

    void check_join(std::size_t i) {
        const GraphNode& node = graph_.nodes[i];
        if (!node.join) return;
        const std::string path = node_path(i) + ".join";
        if (node.depends_on.empty()) {
            refuse("invalid_input", path, "a join without dependencies");
            return;
        }
        if (node.join->mode != "quorum") {
            if (node.join->k) refuse("invalid_input", path + ".k", "only a quorum has a k");
            return;
        }
        if (!node.join->k) {
            refuse("invalid_input", path + ".k", "a quorum needs one");
        } else if (static_cast<std::size_t>(*node.join->k) > node.depends_on.size()) {
            refuse("invalid_input", path + ".k",
                   std::to_string(*node.join->k) + " of " + std::to_string(node.depends_on.size()) +
                       " dependencies");
        }
    }

    /// Walks from every node to what it waits for, and reports each way back that it meets. Without
    /// recursion: a graph may be a chain of a thousand.
    void check_cycles() {
        marks_.assign(graph_.nodes.size(), Mark::New);
        for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
            if (marks_[i] == Mark::New) walk_from(i);
        }
    }

    void walk_from(std::size_t start) {
        struct Step {
            std::size_t node = 0;
            std::size_t next = 0;
        };
        std::vector<Step> trail{{.node = start}};
        marks_[start] = Mark::OnTrail;
        while (!trail.empty()) {
            Step& step = trail.back();
            const auto& dependencies = graph_.nodes[step.node].depends_on;
            if (step.next == dependencies.size()) {
                marks_[step.node] = Mark::Done;
                trail.pop_back();
                continue;
            }
            const auto up = by_name_.find(dependencies[step.next].on);
            const bool is_own = !dependencies[step.next].by_id && up != by_name_.end();
            ++step.next;
            if (!is_own || up->second == step.node) continue;
            if (marks_[up->second] == Mark::New) {
                marks_[up->second] = Mark::OnTrail;
                trail.push_back({.node = up->second});
            } else if (marks_[up->second] == Mark::OnTrail) {
                std::vector<std::size_t> around;
                for (auto at = trail.rbegin(); at->node != up->second; ++at) {
                    around.push_back(at->node);
                }
                around.push_back(up->second);
                report_cycle(around);
            }
        }
    }

    /// `around` leads from a node to those that wait for it.
    void report_cycle(std::vector<std::size_t> around) {
        std::ranges::rotate(around, std::ranges::min_element(around));
        std::vector<std::string> names;
        std::string text;
        for (const std::size_t node : around) {
            names.push_back(graph_.nodes[node].name);
            text += graph_.nodes[node].name + " > ";
        }
        problems_.add({.code = "cycle_detected",
                       .path = node_path(around.front()) + ".depends_on",
                       .message = text + names.front(),
                       .names = std::move(names)});
    }

    enum class Mark : std::uint8_t { New, OnTrail, Done };

    const GraphDocument& graph_;
    const KnownMembers& known_;
    GraphProblems& problems_;
    std::map<std::string, std::size_t> by_name_{};
    std::vector<Mark> marks_{};
};

}  // namespace

void check_graph(const GraphDocument& graph, const KnownMembers& known, GraphProblems& problems) {
    Check(graph, known, problems).run();
}

KnownMembers referred_members(const GraphDocument& graph) {
    KnownMembers referred;
    for (const GraphNode& node : graph.nodes) {
        if (!node.name.empty()) referred.names.insert(node.name);
        for (const GraphDependency& dependency : node.depends_on) {
            if (dependency.on.empty()) continue;
            (dependency.by_id ? referred.ids : referred.names).insert(dependency.on);
        }
    }
    return referred;
}

}  // namespace ff::service
