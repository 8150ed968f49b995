// Every listing is read to its end while others add to it. What belongs to one execution is in
// part_listings_test.cc.
#include "api/listing_walk.h"

namespace ff::testing {
namespace {

/// Where other tests have left many entries.
constexpr int kLargePages[] = {50, 1000};

class RepairListings : public ListingWalk {
  protected:
    static Listing executions(const std::string& query) {
        return {.target = "/v1/executions?" + query, .list = "executions", .id = "execution_id"};
    }
    static Listing flows(const std::string& query) {
        return {.target = "/v1/flows?" + query, .list = "flows", .id = "flow_id"};
    }
};

TEST_P(RepairListings, Repair_01_ExecutionsAreListedOnceEachInPagesOfAnySize) {
    const std::string tagged = R"(,"tags":{"colour":"red"})";
    const std::vector<std::string> mine = create_batch(60, tagged);
    const std::string home = mine.front().substr(4, mine.front().find('}') - 4);
    const std::string lane = "lane=" + own_name();
    const std::string ns = "namespace=" + own_name();
    const Meanwhile others([&] { create(tagged); });
    for (const std::string& query :
         {lane, lane + "&state=eligible", lane + "&partition=" + home, ns, ns + "&state=eligible",
          ns + "&" + lane, ns + "&partition=" + home, ns + "&tag=colour:red",
          ns + "&tag=colour:red&state=eligible", "order=newest&" + lane, lane + "&state=waiting",
          "order=newest&state=eligible&" + lane}) {
        expect_complete(executions(query), mine);
    }
    expect_complete(executions("view=ids&partition=" + home), mine);
    // An offset that nobody reads would give the first page for ever.
    for (const std::string& query : {lane, ns, ns + "&partition=" + home, "order=newest&" + lane}) {
        const JsonReply refused = world().get("/v1/executions?offset=10&" + query);
        EXPECT_EQ(refused.status, 400) << query;
        EXPECT_EQ(refused.json().find("fields")->find("field")->as_string(), "offset");
    }
}

TEST_P(RepairListings, Repair_01_ThousandsOfANamespaceAreListedToTheEnd) {
    std::vector<std::string> mine;
    for (int i = 0; i < 3; ++i) {
        const std::vector<std::string> some = create_batch(1000, R"(,"tags":{"run":"7"})");
        mine.insert(mine.end(), some.begin(), some.end());
    }
    const std::string late = created_id(R"(,"delay_until":"+3600000")");
    create_batch(1000);
    const std::string ns = "namespace=" + own_name();
    for (const int limit : {50, 1000}) {
        expect_once_each(walk(executions(ns), limit), mine, "the namespace");
        expect_once_each(walk(executions(ns + "&tag=run:7"), limit), mine, "the tag");
        const Counts delayed = walk(executions(ns + "&state=delayed"), limit);
        EXPECT_EQ(delayed, (Counts{{late, 1}}));
    }
    const JsonReply found = world().get("/v1/executions?" + ns + "&state=delayed&limit=50");
    EXPECT_EQ(found.integer("total_returned"), 1) << found.body;
}

TEST_P(RepairListings, Repair_01_FlowsAndTheirPartsAreListedOnceEach) {
    const std::string ns = R"({"namespace":")" + own_name() + "\"";
    std::vector<std::string> mine;
    for (int i = 0; i < 40; ++i) {
        mine.push_back(world().post("/v1/flows", ns + "}").text("flow_id"));
        const std::string tags = "/v1/flows/" + mine.back() + "/tags";
        ASSERT_EQ(world().put(tags, R"({"team.name":"search"})").status, 200);
    }
    const std::vector<std::string> tagged = mine;
    std::string nodes;
    for (int i = 0; i < 60; ++i) {
        nodes += (i == 0 ? R"({"name":"n)" : R"(,{"name":"n)") + std::to_string(i) + "\"" +
                 (i == 0 ? "}" : R"(,"depends_on":["n0"]})");
    }
    const JsonReply submitted =
        world().post("/v1/flows/submit", ns + R"(,"defaults":{"lane_id":")" + own_name() +
                                             R"("},"nodes":[)" + nodes + "]}");
    ASSERT_EQ(submitted.status, 201) << submitted.body;
    mine.push_back(submitted.text("flow_id"));
    const Meanwhile others([&] { world().post("/v1/flows", ns + "}"); });
    const std::string query = "namespace=" + own_name();
    expect_complete(flows(query), mine);
    expect_complete(flows(query + "&state=open"), mine);
    expect_complete(flows(query + "&tag=team.name:search"), tagged);
    expect_complete(flows(""), mine, kLargePages);
    // In some partition each of them is met once, and in no other.
    Counts found;
    for (int partition = 0; partition < 256; ++partition) {
        const std::string one = query + "&partition=" + std::to_string(partition);
        for (const auto& [flow, count] : walk(flows(one), 7)) found[flow] += count;
    }
    expect_once_each(found, mine, "the partitions");
    const std::string flow = "/v1/flows/" + mine.back();
    for (const int limit : kPageSizes) {
        EXPECT_EQ(walk({flow + "/members", "members", "execution_id"}, limit).size(), 60U);
        EXPECT_EQ(walk({flow + "/edges", "edges", "edge_id"}, limit).size(), 59U);
        EXPECT_EQ(walk({flow + "/graph", "nodes", "execution_id"}, limit).size(), 60U);
    }
}

TEST_P(RepairListings, Repair_01_PoliciesAndWorkersAreListedOnceEach) {
    std::vector<std::string> budgets;
    std::vector<std::string> quotas;
    std::vector<std::string> workers;
    const auto add_worker = [&](const std::string& name) {
        const std::string body =
            R"({"namespace":")" + own_name() + R"(","lanes":[")" + own_name() + R"("]})";
        const JsonReply put = world().put("/v1/workers/pool/instances/" + name, body);
        EXPECT_EQ(put.status / 100, 2) << put.body;
    };
    const std::string budget =
        R"({"scope_type":"execution","dimensions":["tokens"],"hard_limits":[10]})";
    const std::string quota = R"({"max_concurrent":3})";
    for (int i = 0; i < 20; ++i) {
        budgets.push_back(world().post("/v1/budgets", budget).text("budget_id"));
        quotas.push_back(world().post("/v1/quotas", quota).text("quota_policy_id"));
        workers.push_back(own_name("-" + std::to_string(i)));
        add_worker(workers.back());
    }
    int later = 0;
    const Meanwhile others([&] {
        world().post("/v1/budgets", budget);
        add_worker(own_name("-late-" + std::to_string(++later)));
    });
    expect_complete({"/v1/budgets", "budgets", "budget_id"}, budgets);
    expect_complete({"/v1/quotas", "quotas", "quota_policy_id"}, quotas);
    expect_complete({"/v1/workers", "workers", "worker_instance_id"}, workers);
    expect_complete({"/v1/workers?namespace=" + own_name(), "workers", "worker_instance_id"},
                    workers);
}

INSTANTIATE_TEST_SUITE_P(Stores, RepairListings,
                         ::testing::Values("embedded", "valkey", "cluster"));

}  // namespace
}  // namespace ff::testing
