#include "service/graph_document.h"

#include <algorithm>
#include <string_view>

#include "base/numbers.h"
#include "model/execution_policy.h"
#include "model/policy_merge.h"

namespace ff::service {
namespace {

constexpr std::size_t kNameBytesMax = 128;
constexpr std::size_t kKindBytesMax = 128;
constexpr std::size_t kTextBytesMax = 1'024;
constexpr std::size_t kReferenceBytesMax = 256;
constexpr std::size_t kLaneBytesMax = 64;
constexpr std::int64_t kPriorityMax = 9'000;
constexpr std::string_view kDefaultLane = "default";

bool is_name(std::string_view text) {
    const auto fits = [](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '.' || c == '-';
    };
    return !text.empty() && text.size() <= kNameBytesMax && std::ranges::all_of(text, fits);
}

/// `[a-z][a-z0-9_]*\.[^.]`, as ff_set_flow_tags asks.
bool is_tag_key(std::string_view key) {
    if (key.empty() || key[0] < 'a' || key[0] > 'z') return false;
    std::size_t at = 1;
    while (at < key.size() && ((key[at] >= 'a' && key[at] <= 'z') ||
                               (key[at] >= '0' && key[at] <= '9') || key[at] == '_')) {
        ++at;
    }
    return at + 1 < key.size() && key[at] == '.' && key[at + 1] != '.';
}

/// The members that a node has and `defaults` may give.
void read_common(GraphFields& fields, GraphNode& node) {
    if (auto lane = fields.text("lane_id", kLaneBytesMax)) {
        const auto parsed = model::LaneId::parse(*lane);
        if (!parsed) fields.refuse("lane_id", parsed.error());
        node.lane = *std::move(lane);
    }
    if (auto kind = fields.text("execution_kind", kKindBytesMax)) node.execution_kind = *kind;
    if (const auto priority = fields.integer("priority", -kSafeIntegerMax, kSafeIntegerMax)) {
        node.priority = std::clamp<std::int64_t>(*priority, 0, kPriorityMax);
    }
    if (auto creator = fields.text("creator_identity", kTextBytesMax)) {
        node.creator_identity = *std::move(creator);
    }
    if (auto encoding = fields.text("payload_encoding", kKindBytesMax)) {
        node.payload_encoding = *std::move(encoding);
    }
    if (const auto policy = fields.object("policy")) {
        const std::string text = policy->to_text();
        const auto checked = model::ExecutionPolicy::parse_given(text);
        if (!checked) return fields.refuse("policy", checked.error());
        // Over that of `defaults`, which the node has so far.
        auto merged = model::merge_policies(text, node.policy_json);
        if (merged) node.policy_json = *std::move(merged);
    }
}

GraphDependency read_dependency(json::Value value, const std::string& path,
                                GraphProblems& problems) {
    GraphDependency dependency;
    if (const auto name = value.as_string()) {
        dependency.on = std::string(*name);
        return dependency;
    }
    GraphFields fields(value, path, problems);
    const auto name = fields.text("node", kNameBytesMax);
    const auto id = fields.text("execution_id", kNameBytesMax);
    if (name.has_value() == id.has_value() && value.is_object()) {
        fields.refuse("node", "exactly one of node and execution_id is needed");
    }
    dependency.by_id = id.has_value();
    dependency.on = id ? *id : name.value_or("");
    dependency.kind = fields.text("kind", kKindBytesMax).value_or("");
    dependency.data = fields.text("data", kReferenceBytesMax).value_or("");
    fields.finish();
    return dependency;
}

void read_dependencies(GraphFields& fields, GraphNode& node, GraphProblems& problems) {
    const auto list = fields.array("depends_on");
    if (!list) return;
    for (std::size_t i = 0; i < list->size(); ++i) {
        const std::string path = fields.path_of("depends_on") + "[" + std::to_string(i) + "]";
        node.depends_on.push_back(read_dependency(list->element(i), path, problems));
    }
}

GraphJoin read_join(json::Value value, const std::string& path, GraphProblems& problems) {
    GraphFields fields(value, path, problems);
    GraphJoin join;
    join.mode = fields.text("mode", kKindBytesMax).value_or(join.mode);
    if (join.mode == "count") join.mode = "quorum";
    if (join.mode != "all_of" && join.mode != "any_of" && join.mode != "quorum") {
        fields.refuse("mode", "not all_of, any_of or quorum");
    }
    join.k = fields.integer("k", 1, kSafeIntegerMax);
    join.on_satisfied = fields.text("on_satisfied", kKindBytesMax).value_or(join.on_satisfied);
    if (join.on_satisfied != "cancel_remaining" && join.on_satisfied != "let_run") {
        fields.refuse("on_satisfied", "not cancel_remaining or let_run");
    }
    fields.finish();
    return join;
}

GraphNode read_node(json::Value value, const GraphNode& defaults, const std::string& path,
                    GraphProblems& problems) {
    GraphFields fields(value, path, problems);
    GraphNode node = defaults;
    node.name = fields.text("name", kTextBytesMax).value_or("");
    if (value.is_object() && !is_name(node.name)) {
        fields.refuse("name", "1 to 128 of A-Z a-z 0-9 _ . - are needed");
    }
    read_common(fields, node);
    node.payload = fields.bytes("payload");
    node.delay_until = fields.due_time("delay_until");
    node.execution_deadline = fields.due_time("execution_deadline_at");
    node.tags = fields.texts("tags");
    for (const auto& [key, text] : node.tags) {
        if (key.empty()) fields.refuse("tags", "invalid_tag_key", "a key is empty");
    }
    read_dependencies(fields, node, problems);
    if (const auto join = fields.object("join")) {
        node.join = read_join(*join, fields.path_of("join"), problems);
    }
    fields.finish();
    return node;
}

void read_choice(GraphFields& fields, std::string_view name, std::string& into,
                 std::initializer_list<std::string_view> choices) {
    const auto text = fields.text(name, kKindBytesMax);
    if (!text) return;
    into = *text;
    if (std::ranges::find(choices, std::string_view(into)) == choices.end()) {
        fields.refuse(name, "unknown value");
    }
}

void read_flow_fields(GraphFields& fields, GraphDocument& graph) {
    if (const auto id = fields.text("flow_id", kTextBytesMax)) {
        const auto parsed = model::FlowId::parse(*id);
        if (parsed) {
            graph.flow_id = *parsed;
        } else {
            fields.refuse("flow_id", parsed.error());
        }
    }
    graph.flow_kind = fields.text("flow_kind", kKindBytesMax).value_or("");
    if (const auto ns = fields.text("namespace", kTextBytesMax)) {
        auto parsed = model::Namespace::parse(*ns);
        if (parsed) {
            graph.ns = *std::move(parsed);
        } else {
            fields.refuse("namespace", parsed.error());
        }
    } else if (!fields.has("namespace")) {
        fields.refuse("namespace", "is needed");
    }
    graph.created_by = fields.text("created_by", kTextBytesMax).value_or("");
    read_choice(fields, "failure_policy", graph.failure_policy, {"isolate_failures", "fail_fast"});
    read_choice(fields, "outcome_policy", graph.outcome_policy, {"strict", "leaves"});
    graph.tags = fields.texts("tags");
    for (const auto& [key, value] : graph.tags) {
        if (!is_tag_key(key)) {
            fields.refuse("tags." + key, "invalid_tag_key", "not <word>.<name>");
        }
    }
}

void read_expansion_fields(GraphFields& fields, GraphDocument& graph) {
    graph.mutation_id = fields.text("mutation_id", kNameBytesMax).value_or("");
    if (fields.has("mutation_id") && !is_name(graph.mutation_id)) {
        fields.refuse("mutation_id", "1 to 128 of A-Z a-z 0-9 _ . - are needed");
    }
    if (graph.mutation_id == "submit") fields.refuse("mutation_id", "is reserved");
    graph.expected_graph_revision = fields.integer("expected_graph_revision", 0, kSafeIntegerMax);
}

}  // namespace

std::string node_path(std::size_t node) {
    return "nodes[" + std::to_string(node) + "]";
}

std::string dependency_path(std::size_t node, std::size_t dependency) {
    return node_path(node) + ".depends_on[" + std::to_string(dependency) + "]";
}

GraphDocument read_graph(json::Value document, GraphDocument::Use use, GraphProblems& problems) {
    GraphFields fields(document, "", problems);
    GraphDocument graph;
    if (use == GraphDocument::Use::Submit) {
        read_flow_fields(fields, graph);
    } else {
        read_expansion_fields(fields, graph);
    }
    graph.seal = fields.flag("seal").value_or(use == GraphDocument::Use::Submit);
    graph.allow_missing_budget = fields.flag("allow_missing_budget").value_or(false);
    GraphNode defaults{.lane = std::string(kDefaultLane)};
    if (const auto given = fields.object("defaults")) {
        GraphFields members(*given, "defaults", problems);
        read_common(members, defaults);
        members.finish();
    }
    const auto nodes = fields.array("nodes");
    if (!nodes || nodes->size() == 0) {
        if (!fields.has("nodes") || nodes) fields.refuse("nodes", "at least one is needed");
    } else if (nodes->size() > kGraphNodesMax) {
        fields.refuse("nodes", "flow_too_large",
                      "more than " + std::to_string(kGraphNodesMax) + " nodes");
    } else {
        for (std::size_t i = 0; i < nodes->size(); ++i) {
            graph.nodes.push_back(read_node(nodes->element(i), defaults, node_path(i), problems));
        }
    }
    fields.finish();
    return graph;
}

}  // namespace ff::service
