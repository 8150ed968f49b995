#include <algorithm>
#include <set>

#include "api/flow_world.h"
#include "base/bytes.h"
#include "support/wait.h"

namespace ff::testing {
namespace {

class Ch05Server : public FlowApi {};
class Ch07Flows : public FlowApi {};

constexpr std::string_view kDocument = R"({"flow_id":"@","flow_kind":"etl","namespace":"acme",
 "defaults":{"lane_id":"%","priority":10},
 "nodes":[
   {"name":"fetch","execution_kind":"http","payload":"{\"url\":\"https://example.org\"}"},
   {"name":"parse","execution_kind":"parse","payload_base64":"AP8=",
    "depends_on":[{"node":"fetch","data":"input:page"}]},
   {"name":"store","execution_kind":"store","depends_on":["parse"],
    "join":{"mode":"quorum","k":1,"on_satisfied":"let_run"}}],
 "seal":true})";

std::string document(const std::string& flow, const std::string& lane) {
    std::string text(kDocument);
    text.replace(text.find('@'), 1, flow);
    text.replace(text.find('%'), 1, lane);
    return text;
}

std::string node(const JsonReply& reply, std::string_view name) {
    return text_in(*reply.json().find("nodes"), name);
}

TEST_P(Ch05Server, S03_AnIdOfAPartitionThatIsNotThereIsRefused) {
    const std::string flow = new_flow();
    const JsonReply reply =
        world().post("/v1/flows/" + flow + "/members",
                     R"({"execution_id":"{fp:256}:550e8400-e29b-41d4-a716-446655440000"})");
    EXPECT_EQ(reply.status, 400) << reply.body;
    EXPECT_NE(reply.body.find("partition_out_of_range"), std::string::npos) << reply.body;
    // The index is part of the id, whatever the number of partitions.
    const auto id = model::ExecutionId::parse("{fp:0}:550e8400-e29b-41d4-a716-446655440000");
    EXPECT_EQ(id->partition_index(), 0);
    for (const std::uint16_t count : {std::uint16_t{4}, std::uint16_t{1024}}) {
        const auto config = model::PartitionConfig::create({.flow = count});
        EXPECT_TRUE(model::check_in_range(*id, *config).has_value());
    }
}

TEST_P(Ch05Server, S55_ADocumentSubmittedTwiceIsOneFlow) {
    const std::string flow = new_id();
    const JsonReply first = world().post("/v1/flows/submit", document(flow, lane()));
    ASSERT_EQ(first.status, 201) << first.body;
    EXPECT_EQ(first.text("status"), "submitted");
    EXPECT_EQ(first.integer("node_count"), 3);
    EXPECT_EQ(first.integer("edge_count"), 2);
    EXPECT_EQ(first.integer("eligible_now_count"), 1);
    const JsonReply again = world().post("/v1/flows/submit", document(flow, lane()));
    EXPECT_EQ(again.status, 200) << again.body;
    EXPECT_EQ(again.text("status"), "already_satisfied");
    for (const std::string name : {"fetch", "parse", "store"}) {
        EXPECT_EQ(node(again, name), node(first, name));
        EXPECT_FALSE(node(first, name).empty());
    }
    EXPECT_EQ(world().get("/v1/flows/" + flow).integer("node_count"), 3);
    std::string changed = document(flow, lane());
    changed.replace(changed.find("AP8="), 4, "AP4=");
    const JsonReply conflict = world().post("/v1/flows/submit", changed);
    EXPECT_EQ(conflict.status, 409);
    EXPECT_EQ(conflict.code(), "mutation_conflict");
}

TEST_P(Ch05Server, S55_TheIdsOfTheExampleAreThoseOfTheSpecification) {
    const JsonReply reply =
        world().post("/v1/flows/submit", document("550e8400-e29b-41d4-a716-446655440000", lane()));
    EXPECT_EQ(node(reply, "fetch"), "{fp:24}:5eefda36-40f7-5e97-adb4-4f8a7ab37298");
    EXPECT_EQ(node(reply, "parse"), "{fp:24}:a0367629-1671-5f56-ba2b-19e00957149d");
    const JsonReply edges = world().get("/v1/flows/550e8400-e29b-41d4-a716-446655440000/edges");
    std::set<std::string> ids;
    for (const json::Value& edge : objects(edges, "edges")) ids.insert(text_in(edge, "edge_id"));
    EXPECT_EQ(ids, (std::set<std::string>{"4540f7b7-b7c8-5e4f-86c8-d42da40b9488",
                                          "087c8e06-79a2-550a-bed8-9edc14f973ef"}));
}

TEST_P(Ch05Server, S56_EveryProblemOfADocumentIsTold) {
    const std::string flow = new_id();
    const JsonReply reply = world().post(
        "/v1/flows/submit", R"({"flow_id":")" + flow + R"(","namespace":"acme","nodes":[
            {"name":"a","depends_on":["c"]},{"name":"b","depends_on":["a"]},
            {"name":"c","depends_on":["b"]},{"name":"d","depends_on":["nobody"]},
            {"name":"d"},
            {"name":"e","depends_on":["a","b"],"join":{"mode":"quorum","k":3}}]})");
    EXPECT_EQ(reply.status, 400) << reply.body;
    EXPECT_EQ(reply.code(), "invalid_input");
    std::multiset<std::string> codes;
    for (const json::Value& problem : objects(reply, "errors")) {
        codes.insert(text_in(problem, "code"));
        if (text_in(problem, "code") != "cycle_detected") continue;
        std::set<std::string> names;
        const auto listed = problem.find("names");
        for (std::size_t i = 0; i < listed->size(); ++i) {
            names.emplace(*listed->element(i).as_string());
        }
        EXPECT_EQ(names, (std::set<std::string>{"a", "b", "c"}));
    }
    EXPECT_EQ(codes, (std::multiset<std::string>{"cycle_detected", "execution_not_in_flow",
                                                 "duplicate_node", "invalid_input"}))
        << reply.body;
    EXPECT_EQ(world().get("/v1/flows/" + flow).status, 404);
}

TEST_P(Ch05Server, S61_AnExecutionOfAnotherNamespaceIsNotLetIn) {
    const std::string flow = new_flow();
    const JsonReply other =
        world().post("/v1/executions", R"({"namespace":"b","execution_kind":"k","lane_id":")" +
                                           lane() + R"(","colocate_with_flow":")" + flow + "\"}");
    const std::string id = other.text("execution_id");
    const JsonReply reply =
        world().post("/v1/flows/" + flow + "/members", R"({"execution_id":")" + id + "\"}");
    EXPECT_EQ(reply.status, 409) << reply.body;
    EXPECT_EQ(reply.code(), "namespace_mismatch");
    EXPECT_EQ(world().get("/v1/flows/" + flow).integer("node_count"), 0);
    EXPECT_EQ(core_field(id, "flow_id"), "");
}

TEST_P(Ch07Flows, S19_AnExecutionOfAnotherPartitionIsNotLetIn) {
    const std::string flow = new_flow();
    std::string id = create(lane()).text("execution_id");
    const std::string tag = flow_keys(flow).tag();
    for (int i = 0; id.starts_with(tag) && i < 8; ++i) {
        id = create(lane("other" + std::to_string(i))).text("execution_id");
    }
    const JsonReply reply =
        world().post("/v1/flows/" + flow + "/members", R"({"execution_id":")" + id + "\"}");
    EXPECT_EQ(reply.status, 400) << reply.body;
    EXPECT_EQ(reply.code(), "partition_mismatch");
    EXPECT_EQ(world().get("/v1/flows/" + flow).integer("graph_revision"), 0);
    EXPECT_EQ(core_field(id, "flow_id"), "");
}

TEST_P(Ch07Flows, BuildsAFlowPieceByPiece) {
    const std::string flow = new_flow(R"(,"flow_kind":"etl")");
    const std::string a = member_for(flow, lane());
    const std::string b = member_for(flow, lane());
    const std::string base = "/v1/flows/" + flow;
    EXPECT_EQ(world().post(base + "/members", R"({"execution_id":")" + a + "\"}").status, 201);
    const JsonReply added = world().post(base + "/members", R"({"execution_id":")" + b + "\"}");
    EXPECT_EQ(added.text("status"), "added");
    EXPECT_EQ(added.integer("node_count"), 2);
    const JsonReply known = world().post(base + "/members", R"({"execution_id":")" + b + "\"}");
    EXPECT_EQ(known.status, 200);
    EXPECT_EQ(known.text("status"), "already_member");

    const JsonReply group = world().put(base + "/edge-groups/" + encode(b),
                                        R"({"policy":"any_of","on_satisfied":"let_run"})");
    EXPECT_EQ(group.text("status"), "set") << group.body;
    const std::string ends =
        R"("upstream_execution_id":")" + a + R"(","downstream_execution_id":")" + b + "\"";
    const JsonReply stale =
        world().post(base + "/edges", "{" + ends + R"(,"expected_graph_revision":7})");
    EXPECT_EQ(stale.status, 409);
    EXPECT_EQ(stale.code(), "stale_graph_revision");
    EXPECT_TRUE(stale.flag("retryable"));
    const JsonReply staged =
        world().post(base + "/edges?apply=true", "{" + ends + R"(,"expected_graph_revision":2})");
    EXPECT_EQ(staged.status, 201) << staged.body;
    EXPECT_EQ(staged.text("status"), "staged");
    EXPECT_EQ(staged.integer("new_graph_revision"), 3);
    EXPECT_EQ(state_of(b), "waiting_children");
    const JsonReply same = world().post(base + "/edges?apply=true", "{" + ends + "}");
    EXPECT_EQ(same.status, 200);
    EXPECT_EQ(same.text("status"), "already_satisfied");
    const JsonReply applied = world().post(
        base + "/edges/apply", "{" + ends + R"(,"edge_id":")" + staged.text("edge_id") + "\"}");
    EXPECT_EQ(applied.text("status"), "already_applied") << applied.body;
    const JsonReply cycle =
        world().post(base + "/edges", R"({"upstream_execution_id":")" + b +
                                          R"(","downstream_execution_id":")" + a + "\"}");
    EXPECT_EQ(cycle.status, 400);
    EXPECT_EQ(cycle.code(), "cycle_detected");

    EXPECT_EQ(world().put(base + "/tags", R"({"app.team":"x"})").integer("count"), 1);
    EXPECT_EQ(world().put(base + "/tags", R"({"App":"x"})").code(), "invalid_tag_key");
    const JsonReply sealed = world().post(base + "/seal", "{}");
    EXPECT_EQ(sealed.text("status"), "sealed") << sealed.body;
    EXPECT_EQ(sealed.text("public_flow_state"), "open");
    EXPECT_EQ(world().post(base + "/seal", "{}").text("status"), "already_satisfied");
    const JsonReply flow_view = world().get(base);
    EXPECT_TRUE(flow_view.flag("sealed"));
    EXPECT_EQ(text_in(*flow_view.json().find("tags"), "app.team"), "x");
}

TEST_P(Ch07Flows, RunsAFlowToItsEndAndShowsIt) {
    const std::string flow = new_id();
    const JsonReply submitted = world().post("/v1/flows/submit", document(flow, lane()));
    ASSERT_EQ(submitted.status, 201) << submitted.body;
    const std::string base = "/v1/flows/" + flow;
    auto tasks = claim(lane());
    ASSERT_EQ(tasks.size(), 1U);
    EXPECT_EQ(tasks[0].execution_id.to_string(), node(submitted, "fetch"));
    complete(tasks[0], "page");
    const JsonReply graph = world().get(base + "/graph");
    ASSERT_EQ(graph.status, 200) << graph.body;
    for (const json::Value& each : objects(graph, "nodes")) {
        const std::string name = text_in(each, "name");
        EXPECT_EQ(text_in(each, "public_state"), name == "fetch"   ? "completed"
                                                 : name == "parse" ? "waiting"
                                                                   : "waiting_children");
    }
    EXPECT_EQ(objects(graph, "edges").size(), 2U);
    EXPECT_EQ(objects(graph, "groups").size(), 2U);
    for (int i = 0; i < 2; ++i) {
        tasks = claim(lane());
        ASSERT_EQ(tasks.size(), 1U);
        complete(tasks[0]);
    }
    EXPECT_EQ(flow_state(flow), "completed");
    const JsonReply summary = world().get(base + "/summary");
    EXPECT_EQ(summary.integer("members_completed"), 3) << summary.body;
    EXPECT_EQ(summary.text("public_flow_state"), "completed");
    EXPECT_EQ(
        world().get("/v1/executions/" + encode(node(submitted, "parse")) + "/inputs/page").body,
        "page");
}

TEST_P(Ch07Flows, PagesMembersAndEdges) {
    const std::string flow = new_id();
    std::string nodes = R"({"name":"root"})";
    for (int i = 0; i < 9; ++i) {
        nodes += R"(,{"name":"n)" + std::to_string(i) + R"(","depends_on":["root"]})";
    }
    const JsonReply submitted = world().post(
        "/v1/flows/submit", R"({"flow_id":")" + flow + R"(","namespace":"acme","nodes":[)" + nodes +
                                R"(],"defaults":{"lane_id":")" + lane() + "\"}}");
    ASSERT_EQ(submitted.status, 201) << submitted.body;
    for (const auto& [view, list, id, total] :
         {std::tuple{"members", "members", "execution_id", 10U},
          std::tuple{"edges", "edges", "edge_id", 9U},
          std::tuple{"graph", "nodes", "execution_id", 10U}}) {
        std::set<std::string> seen;
        std::string cursor;
        int pages = 0;
        do {
            const JsonReply page = world().get("/v1/flows/" + flow + "/" + view + "?limit=4" +
                                               (cursor.empty() ? "" : "&cursor=" + encode(cursor)));
            ASSERT_EQ(page.status, 200) << page.body;
            const auto items = objects(page, list);
            EXPECT_LE(items.size(), 4U);
            for (const json::Value& item : items)
                EXPECT_TRUE(seen.insert(text_in(item, id)).second);
            cursor = page.has("next_cursor") ? page.text("next_cursor") : "";
            ++pages;
        } while (!cursor.empty() && pages < 10);
        EXPECT_EQ(seen.size(), total) << view;
        EXPECT_EQ(pages, 3) << view;
    }
    EXPECT_EQ(world().get("/v1/flows/" + flow + "/edges?cursor=bogus").code(), "invalid_cursor");
}

TEST_P(Ch07Flows, ListsFlowsByNamespaceTagAndState) {
    const std::string ns = "list-" + new_id().substr(0, 8);
    std::vector<std::string> ids;
    for (int i = 0; i < 12; ++i) {
        const JsonReply flow = world().post("/v1/flows", R"({"namespace":")" + ns + "\"}");
        ids.push_back(flow.text("flow_id"));
    }
    world().put("/v1/flows/" + ids[3] + "/tags", R"({"app.team":"a:b"})");
    world().post("/v1/flows/" + ids[5] + "/cancel", "{}");
    std::vector<std::string> seen;
    std::string cursor;
    do {
        const JsonReply page = world().get("/v1/flows?limit=5&namespace=" + ns +
                                           (cursor.empty() ? "" : "&cursor=" + encode(cursor)));
        ASSERT_EQ(page.status, 200) << page.body;
        for (const json::Value& flow : objects(page, "flows")) {
            seen.push_back(text_in(flow, "flow_id"));
        }
        cursor = page.has("next_cursor") ? page.text("next_cursor") : "";
    } while (!cursor.empty());
    // Newest first; flows of one millisecond in any order.
    EXPECT_EQ(std::set<std::string>(seen.begin(), seen.end()),
              std::set<std::string>(ids.begin(), ids.end()));
    EXPECT_EQ(seen.size(), ids.size());
    const JsonReply cancelled = world().get("/v1/flows?state=cancelled&namespace=" + ns);
    ASSERT_EQ(objects(cancelled, "flows").size(), 1U) << cancelled.body;
    EXPECT_EQ(text_in(objects(cancelled, "flows")[0], "flow_id"), ids[5]);
    const JsonReply tagged = world().get("/v1/flows?tag=app.team:a:b&namespace=" + ns);
    ASSERT_EQ(objects(tagged, "flows").size(), 1U) << tagged.body;
    EXPECT_EQ(text_in(objects(tagged, "flows")[0], "flow_id"), ids[3]);
    const std::uint16_t index = model::partition_of(*model::FlowId::parse(ids[0]), {}).index();
    const JsonReply here = world().get("/v1/flows?limit=1000&partition=" + std::to_string(index));
    EXPECT_NE(here.body.find(ids[0]), std::string::npos);
    EXPECT_EQ(world().get("/v1/flows?state=bogus").status, 400);
    EXPECT_EQ(world().get("/v1/flows?cursor=bogus").code(), "invalid_cursor");
    EXPECT_EQ(world().get("/v1/flows?partition=256").status, 400);
}

TEST_P(Ch07Flows, ExpandsARunningFlow) {
    const std::string flow = new_id();
    const std::string base = "/v1/flows/" + flow;
    const std::string defaults = R"("defaults":{"lane_id":")" + lane() + "\"}";
    const JsonReply submitted = world().post(
        "/v1/flows/submit", R"({"flow_id":")" + flow + R"(","namespace":"acme","seal":false,)" +
                                defaults + R"(,"nodes":[{"name":"a"},{"name":"b"}]})");
    ASSERT_EQ(submitted.status, 201) << submitted.body;
    auto tasks = claim(lane(), 2);
    ASSERT_EQ(tasks.size(), 2U);
    complete(tasks[0]);
    const std::string expansion =
        R"({"mutation_id":"m1",)" + defaults +
        R"(,"nodes":[{"name":"c","depends_on":["a","b"]},{"name":"d","depends_on":["c",{"execution_id":")" +
        node(submitted, "a") + R"("}]}]})";
    const JsonReply expanded = world().post(base + "/expand", expansion);
    ASSERT_EQ(expanded.status, 201) << expanded.body;
    EXPECT_EQ(expanded.text("status"), "expanded");
    EXPECT_EQ(expanded.integer("node_count"), 4);
    EXPECT_EQ(state_of(node(expanded, "c")), "waiting_children");
    const JsonReply again = world().post(base + "/expand", expansion);
    EXPECT_EQ(again.status, 200) << again.body;
    EXPECT_EQ(again.text("status"), "already_satisfied");
    const JsonReply wrong = world().post(
        base + "/expand", R"({"nodes":[{"name":"a"},{"name":"z","depends_on":["zz"]}]})");
    EXPECT_EQ(wrong.status, 400);
    EXPECT_EQ(objects(wrong, "errors").size(), 2U) << wrong.body;
    complete(tasks[1]);
    // A had ended before the expansion: its edge to c is left to the cascade, which comes after it.
    EXPECT_TRUE(wait_until([&] { return state_of(node(expanded, "c")) == "waiting"; }));
    EXPECT_EQ(world().post("/v1/flows/" + new_id() + "/expand", expansion).code(),
              "flow_not_found");
    EXPECT_EQ(world().post(base + "/seal", "{}").status, 200);
    const JsonReply sealed = world().post(base + "/expand", R"({"nodes":[{"name":"y"}]})");
    EXPECT_EQ(sealed.code(), "flow_sealed") << sealed.body;
}

INSTANTIATE_TEST_SUITE_P(Stores, Ch05Server, ::testing::Values("embedded", "valkey", "cluster"));
INSTANTIATE_TEST_SUITE_P(Stores, Ch07Flows, ::testing::Values("embedded", "valkey", "cluster"));

}  // namespace
}  // namespace ff::testing
