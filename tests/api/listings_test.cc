#include <atomic>
#include <map>
#include <thread>

#include "api/exec_world.h"

namespace ff::testing {
namespace {

constexpr int kPageSizes[] = {1, 7, 50, 1000};
constexpr int kCreatedMeanwhile = 60;

/// Every listing of the API is read to its end while others create more.
class RepairListings : public ExecApi {
  protected:
    /// How often each member stands in the pages of a listing.
    using Counts = std::map<std::string, int>;

    Counts walk(const std::string& target, const std::string& list, const std::string& id,
                int limit, const std::string& cursor_name = "cursor") {
        Counts counts;
        std::string cursor;
        for (int page = 0; page < 20'000; ++page) {
            const std::string join = target.find('?') == std::string::npos ? "?" : "&";
            const JsonReply reply =
                world().get(target + join + "limit=" + std::to_string(limit) +
                            (cursor.empty() ? "" : "&" + cursor_name + "=" + encode(cursor)));
            if (reply.status != 200) throw std::runtime_error(reply.body);
            const json::Value found = *reply.json().find(list);
            EXPECT_LE(found.size(), static_cast<std::size_t>(limit)) << target;
            for (std::size_t i = 0; i < found.size(); ++i) {
                const json::Value one = found.element(i);
                const auto text = one.is_object() ? one.find(id)->as_string() : one.as_string();
                ++counts[std::string(text.value_or(""))];
            }
            const auto next = reply.json().find("next_cursor")->as_string();
            if (!next) return counts;
            cursor = *next;
        }
        ADD_FAILURE() << target << " does not end";
        return counts;
    }

    /// Members that were there before the walk are met once; those that came later at most once.
    void expect_once_each(const Counts& counts, const std::vector<std::string>& members,
                          const std::string& where) {
        std::size_t missing = 0;
        for (const std::string& member : members) missing += counts.contains(member) ? 0 : 1;
        EXPECT_EQ(missing, 0U) << "of " << members.size() << " are not in " << where;
        std::size_t repeated = 0;
        for (const auto& [member, count] : counts) repeated += count > 1 ? 1 : 0;
        EXPECT_EQ(repeated, 0U) << "are repeated in " << where;
    }
    void expect_complete(const std::string& target, const std::string& list, const std::string& id,
                         const std::vector<std::string>& members,
                         const std::string& cursor_name = "cursor") {
        for (const int limit : kPageSizes) {
            expect_once_each(walk(target, list, id, limit, cursor_name), members,
                             target + " by " + std::to_string(limit));
        }
    }

    std::vector<std::string> create_batch(int count, std::string_view more = "") {
        std::string batch = R"({"executions":[)";
        for (int i = 0; i < count; ++i) batch += (i == 0 ? "" : ",") + new_execution(more);
        const JsonReply reply = world().post("/v1/executions/batch", batch + "]}");
        if (reply.status != 200) throw std::runtime_error(reply.body);
        std::vector<std::string> ids;
        const json::Value results = *reply.json().find("results");
        for (std::size_t i = 0; i < results.size(); ++i) {
            ids.emplace_back(results.element(i).find("execution_id")->as_string().value_or(""));
        }
        return ids;
    }
};

/// Calls something again and again on another thread, a bounded number of times.
class Meanwhile {
  public:
    explicit Meanwhile(std::function<void()> work)
        : thread_([this, work = std::move(work)] {
              for (int i = 0; i < kCreatedMeanwhile && !stopped_; ++i) work();
          }) {}
    ~Meanwhile() {
        stopped_ = true;
        thread_.join();
    }
    Meanwhile(const Meanwhile&) = delete;
    Meanwhile& operator=(const Meanwhile&) = delete;

  private:
    std::atomic<bool> stopped_ = false;
    std::thread thread_;
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
          ns + "&tag=colour:red&state=eligible"}) {
        expect_complete("/v1/executions?" + query, "executions", "execution_id", mine);
    }
    expect_complete("/v1/executions?view=ids&partition=" + home, "executions", "", mine);
}

TEST_P(RepairListings, Repair_01_ThousandsOfANamespaceAreListedToTheEnd) {
    std::vector<std::string> mine;
    for (int i = 0; i < 3; ++i) {
        const std::vector<std::string> some = create_batch(1000, R"(,"tags":{"run":"7"})");
        mine.insert(mine.end(), some.begin(), some.end());
    }
    const std::string late = created_id(R"(,"delay_until":"+3600000")");
    create_batch(1000);
    const std::string ns = "/v1/executions?namespace=" + own_name();
    for (const int limit : {50, 1000}) {
        expect_once_each(walk(ns, "executions", "execution_id", limit), mine, "the namespace");
        expect_once_each(walk(ns + "&tag=run:7", "executions", "execution_id", limit), mine,
                         "the tag");
        const Counts delayed = walk(ns + "&state=delayed", "executions", "execution_id", limit);
        EXPECT_EQ(delayed, (Counts{{late, 1}}));
    }
    const JsonReply found = world().get(ns + "&state=delayed&limit=50");
    EXPECT_EQ(found.integer("total_returned"), 1) << found.body;
}

TEST_P(RepairListings, Repair_01_FlowsAndTheirPartsAreListedOnceEach) {
    const std::string ns = R"({"namespace":")" + own_name() + "\"";
    std::vector<std::string> flows;
    for (int i = 0; i < 40; ++i) {
        flows.push_back(world().post("/v1/flows", ns + "}").text("flow_id"));
    }
    std::string nodes;
    for (int i = 0; i < 60; ++i) {
        nodes += (i == 0 ? R"({"name":"n)" : R"(,{"name":"n)") + std::to_string(i) + "\"" +
                 (i == 0 ? "}" : R"(,"depends_on":["n0"]})");
    }
    const JsonReply submitted =
        world().post("/v1/flows/submit", ns + R"(,"defaults":{"lane_id":")" + own_name() +
                                             R"("},"nodes":[)" + nodes + "]}");
    ASSERT_EQ(submitted.status, 201) << submitted.body;
    flows.push_back(submitted.text("flow_id"));
    const Meanwhile others([&] { world().post("/v1/flows", ns + "}"); });
    expect_complete("/v1/flows?namespace=" + own_name(), "flows", "flow_id", flows);
    expect_complete("/v1/flows?state=open&namespace=" + own_name(), "flows", "flow_id", flows);
    const std::string flow = "/v1/flows/" + flows.back();
    for (const int limit : kPageSizes) {
        EXPECT_EQ(walk(flow + "/members", "members", "execution_id", limit).size(), 60U);
        EXPECT_EQ(walk(flow + "/edges", "edges", "edge_id", limit).size(), 59U);
        EXPECT_EQ(walk(flow + "/graph", "nodes", "execution_id", limit).size(), 60U);
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
    expect_complete("/v1/budgets", "budgets", "budget_id", budgets);
    expect_complete("/v1/quotas", "quotas", "quota_policy_id", quotas);
    expect_complete("/v1/workers", "workers", "worker_instance_id", workers);
    expect_complete("/v1/workers?namespace=" + own_name(), "workers", "worker_instance_id",
                    workers);
}

INSTANTIATE_TEST_SUITE_P(Stores, RepairListings,
                         ::testing::Values("embedded", "valkey", "cluster"));

}  // namespace
}  // namespace ff::testing
