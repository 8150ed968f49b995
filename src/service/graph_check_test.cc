#include "service/graph_check.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "service/graph_plan.h"

namespace ff::service {
namespace {

using Use = GraphDocument::Use;

/// `code path` of everything that is wrong, sorted.
std::vector<std::string> problems_of(std::string_view text, Use use = Use::Submit,
                                     const KnownMembers& known = {}) {
    const auto document = json::Document::parse(text);
    GraphProblems problems;
    const GraphDocument graph = read_graph(document->root(), use, problems);
    check_graph(graph, known, problems);
    std::vector<std::string> found;
    for (const GraphProblem& problem : problems.found()) {
        found.push_back(problem.code + " " + problem.path);
    }
    std::ranges::sort(found);
    return found;
}

using List = std::vector<std::string>;

std::string nodes(std::string_view list) {
    return R"({"namespace":"n","nodes":[)" + std::string(list) + "]}";
}

TEST(Graph, AcceptsEveryFieldThereIs) {
    EXPECT_EQ(problems_of(R"({"flow_id":"550e8400-e29b-41d4-a716-446655440000","flow_kind":"k",
        "namespace":"n","created_by":"me","failure_policy":"fail_fast","outcome_policy":"leaves",
        "tags":{"app.x":"y"},"seal":false,
        "defaults":{"lane_id":"l","priority":3,"execution_kind":"k","creator_identity":"c",
                    "policy":{"max_replay_count":1},"payload_encoding":"json"},
        "nodes":[{"name":"a","payload":"p","tags":{"t":"v"},"delay_until":"+50",
                  "execution_deadline_at":99999999999999},
                 {"name":"b","payload_base64":"AP8=",
                  "depends_on":["a",{"node":"c","kind":"always","data":"input:x"}],
                  "join":{"mode":"quorum","k":2,"on_satisfied":"let_run"}},
                 {"name":"c"}]})"),
              List{});
}

TEST(Graph, TellsWhatIsWrongWithEachValue) {
    EXPECT_EQ(problems_of(R"({"namespace":"a b","flow_id":"x","seal":1,"color":"red",
        "failure_policy":"hope","tags":{"App":"x","app.y":3},"defaults":{"lanes":"l"},
        "nodes":[{"name":"a b","lane_id":"","priority":"high","payload":"p","payload_base64":"AA==",
                  "policy":{"max_replay_count":-1},"delay_until":"soon","depends_on":"x","weight":1},
                 7]})"),
              (List{"invalid_input color", "invalid_input defaults.lanes",
                    "invalid_input failure_policy", "invalid_input flow_id",
                    "invalid_input namespace", "invalid_input nodes[0].delay_until",
                    "invalid_input nodes[0].depends_on", "invalid_input nodes[0].lane_id",
                    "invalid_input nodes[0].name", "invalid_input nodes[0].payload",
                    "invalid_input nodes[0].priority", "invalid_input nodes[0].weight",
                    "invalid_input nodes[1]", "invalid_input seal", "invalid_input tags.app.y",
                    "invalid_policy_json nodes[0].policy", "invalid_tag_key tags.App"}));
}

TEST(Graph, NeedsANamespaceAndNodes) {
    EXPECT_EQ(problems_of("{}"), (List{"invalid_input namespace", "invalid_input nodes"}));
    EXPECT_EQ(problems_of("[]"),
              (List{"invalid_input ", "invalid_input namespace", "invalid_input nodes"}));
    EXPECT_EQ(problems_of(R"({"nodes":[]})", Use::Expand), List{"invalid_input nodes"});
}

TEST(Graph, RefusesDependenciesThatCannotBe) {
    EXPECT_EQ(problems_of(nodes(R"({"name":"a","depends_on":["a"]},
        {"name":"b","depends_on":["nobody","c","c",{"node":"c","execution_id":"x"},{}]},
        {"name":"c","depends_on":[{"node":"d","kind":"sometimes"}]},{"name":"d"},{"name":"d"})")),
              (List{"dependency_already_exists nodes[1].depends_on[2]",
                    "duplicate_node nodes[4].name", "execution_not_in_flow nodes[1].depends_on[0]",
                    "execution_not_in_flow nodes[1].depends_on[3]",
                    "invalid_dependency nodes[2].depends_on[0].kind",
                    "invalid_input nodes[1].depends_on[3].node",
                    "invalid_input nodes[1].depends_on[4].node",
                    "self_referencing_edge nodes[0].depends_on[0]"}));
}

TEST(Graph, RefusesDataThatMeetsInOnePlace) {
    const std::string two = R"({"name":"a"},{"name":"b"},{"name":"c","depends_on":[)";
    EXPECT_EQ(problems_of(nodes(two + R"({"node":"a","data":"input:x"},
        {"node":"b","data":"input:x"}]})")),
              List{"data_passing_conflict nodes[2].depends_on[1].data"});
    EXPECT_EQ(problems_of(nodes(two + R"({"node":"a","data":"result"},
        {"node":"b","data":"result"}]})")),
              List{"data_passing_conflict nodes[2].depends_on[1].data"});
    EXPECT_EQ(problems_of(nodes(two + R"({"node":"a","data":"result"},
        {"node":"b","data":"result"}],"join":{"mode":"any_of"}})")),
              List{});
    EXPECT_EQ(problems_of(nodes(two + R"({"node":"a","data":"input:a b"}]})")),
              List{"invalid_input nodes[2].depends_on[0].data"});
}

TEST(Graph, RefusesJoinsThatCannotBe) {
    const auto join = [](std::string_view text) {
        return nodes(R"({"name":"a"},{"name":"b","depends_on":["a"],"join":)" + std::string(text) +
                     "}");
    };
    EXPECT_EQ(problems_of(join(R"({"mode":"quorum"})")), List{"invalid_input nodes[1].join.k"});
    EXPECT_EQ(problems_of(join(R"({"mode":"quorum","k":2})")),
              List{"invalid_input nodes[1].join.k"});
    EXPECT_EQ(problems_of(join(R"({"mode":"any_of","k":1})")),
              List{"invalid_input nodes[1].join.k"});
    EXPECT_EQ(problems_of(join(R"({"mode":"most"})")), List{"invalid_input nodes[1].join.mode"});
    EXPECT_EQ(problems_of(nodes(R"({"name":"a","join":{}})")), List{"invalid_input nodes[0].join"});
}

TEST(Graph, NamesTheNodesOfEveryCycle) {
    const auto document = json::Document::parse(
        nodes(R"({"name":"a","depends_on":["c"]},{"name":"b","depends_on":["a"]},
                 {"name":"c","depends_on":["b"]},{"name":"d","depends_on":["a","e"]},
                 {"name":"e","depends_on":["d"]})"));
    GraphProblems problems;
    const GraphDocument graph = read_graph(document->root(), Use::Submit, problems);
    check_graph(graph, {}, problems);
    ASSERT_EQ(problems.found().size(), 2U);
    EXPECT_EQ(problems.found()[0].names, (List{"a", "b", "c"}));
    EXPECT_EQ(problems.found()[0].message, "a > b > c > a");
    EXPECT_EQ(problems.found()[1].names, (List{"d", "e"}));
}

TEST(Graph, WalksALongChainWithoutRecursion) {
    std::string list = R"({"name":"n0"})";
    for (int i = 1; i < 1000; ++i) {
        list += R"(,{"name":"n)" + std::to_string(i) + R"(","depends_on":["n)" +
                std::to_string(i - 1) + "\"]}";
    }
    EXPECT_EQ(problems_of(nodes(list)), List{});
    EXPECT_EQ(problems_of(nodes(list + R"(,{"name":"one too many"})")),
              List{"flow_too_large nodes"});
}

TEST(Graph, KnowsTheMembersAnExpansionRefersTo) {
    const std::string text =
        R"({"nodes":[{"name":"a","depends_on":["old",{"execution_id":"x"},"gone"]},{"name":"b"}]})";
    EXPECT_EQ(
        problems_of(text, Use::Expand, {.names = {"old", "b"}, .ids = {"x"}}),
        (List{"duplicate_node nodes[1].name", "execution_not_in_flow nodes[0].depends_on[2]"}));
    EXPECT_EQ(problems_of(text, Use::Expand, {.unread = true}), List{});
    EXPECT_EQ(problems_of(R"({"mutation_id":"submit","namespace":"n","nodes":[{"name":"a"}]})",
                          Use::Expand),
              (List{"invalid_input mutation_id", "invalid_input namespace"}));
}

TEST(Graph, PlansTheSameBytesForTheSameDocument) {
    const auto document = json::Document::parse(
        nodes(R"({"name":"a","payload_base64":"AP8="},{"name":"b","depends_on":["a"]})"));
    GraphProblems problems;
    const GraphDocument graph = read_graph(document->root(), Use::Submit, problems);
    const auto flow = model::FlowId::parse("550e8400-e29b-41d4-a716-446655440000");
    const GraphPlan plan = plan_graph(graph, Use::Submit, *flow, {});
    EXPECT_EQ(plan.json, plan_graph(graph, Use::Submit, *flow, {}).json);
    EXPECT_EQ(plan.payloads, (List{std::string("\0\xff", 2)}));
    EXPECT_EQ(plan.nodes[0].first, "a");
    EXPECT_EQ(plan.nodes[0].second.partition_index(), 24);
}

}  // namespace
}  // namespace ff::service
