#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/json.h"
#include "model/due_time.h"
#include "model/ids.h"
#include "service/graph_fields.h"
#include "service/graph_problem.h"

namespace ff::service {

/// What a node waits for.
struct GraphDependency {
    /// A node's name, or an execution id if `by_id`.
    std::string on{};
    bool by_id = false;
    /// Empty for `success_only`.
    std::string kind{};
    std::string data{};
};

/// How the dependencies of a node join.
struct GraphJoin {
    std::string mode = "all_of";
    std::optional<std::int64_t> k{};
    std::string on_satisfied = "cancel_remaining";
};

struct GraphNode {
    std::string name{};
    std::string lane{};
    std::string execution_kind{};
    /// Where neither this nor the policy says it, the lane does.
    std::optional<std::int64_t> priority{};
    std::string creator_identity{};
    /// What the document says; the lane's and the server's defaults come under it.
    std::string policy_json{};
    std::optional<Bytes> payload{};
    std::string payload_encoding{};
    std::optional<model::DueTime> delay_until{};
    std::optional<model::DueTime> execution_deadline{};
    TextMap tags{};
    std::vector<GraphDependency> depends_on{};
    std::optional<GraphJoin> join{};
};

/// A graph as it was submitted (spec 05, section 5.5.1), its values checked one by one. Whether
/// they fit together is `check_graph`'s question.
struct GraphDocument {
    enum class Use : std::uint8_t { Submit, Expand };

    std::optional<model::FlowId> flow_id{};
    std::string flow_kind{};
    /// Of a submission without problems it is there.
    std::optional<model::Namespace> ns{};
    std::string created_by{};
    std::string failure_policy{};
    std::string outcome_policy{};
    TextMap tags{};
    bool seal = false;
    /// Budgets and quotas that policies name may be created later.
    bool allow_missing_budget = false;
    /// The caller's name for an expansion.
    std::string mutation_id{};
    std::optional<std::int64_t> expected_graph_revision{};
    std::vector<GraphNode> nodes{};
};

constexpr std::size_t kGraphNodesMax = 1'000;
constexpr std::size_t kGraphEdgesMax = 5'000;
constexpr std::size_t kGraphPayloadBytesMax = 16'777'216;

GraphDocument read_graph(json::Value document, GraphDocument::Use use, GraphProblems& problems);

/// The path of a node, and of one of its dependencies, as problems name them.
std::string node_path(std::size_t node);
std::string dependency_path(std::size_t node, std::size_t dependency);

}  // namespace ff::service
