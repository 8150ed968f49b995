#include <set>

#include "api/exec_world.h"
#include "model/execution_id.h"
#include "model/global_keys.h"

namespace ff::testing {
namespace {

class Ch07Executions : public ExecApi {
  protected:
    std::vector<std::string> listed(const std::string& query) {
        const JsonReply reply = world().get("/v1/executions?" + query);
        EXPECT_EQ(reply.status, 200) << reply.body;
        std::vector<std::string> ids;
        const auto executions = reply.json().find("executions");
        for (std::size_t i = 0; executions && i < executions->size(); ++i) {
            const json::Value one = executions->element(i);
            const auto id =
                one.is_object() ? one.find("execution_id")->as_string() : one.as_string();
            ids.emplace_back(id.value_or(""));
        }
        return ids;
    }
    /// By the store's clock, so that the next execution is newer than those before.
    void wait_for_next_millisecond() {
        const auto now = [this] {
            const store::Reply time = world().command({"TIME"});
            return *time.items()[0].to_integer() * 1000 + *time.items()[1].to_integer() / 1000;
        };
        const std::int64_t before = now();
        ASSERT_TRUE(wait_until([&] { return now() > before; }));
    }
    /// All pages of a listing.
    std::vector<std::string> walk(const std::string& query) {
        std::vector<std::string> all;
        std::string cursor;
        for (int page = 0; page < 100; ++page) {
            const std::string target = query + (cursor.empty() ? "" : "&cursor=" + encode(cursor));
            for (std::string& id : listed(target)) all.push_back(std::move(id));
            const JsonReply reply = world().get("/v1/executions?" + target);
            if (!reply.has("next_cursor")) return all;
            cursor = reply.text("next_cursor");
        }
        ADD_FAILURE() << "the listing does not end";
        return all;
    }
};

TEST_P(Ch07Executions, S09_TheSameIdempotencyKeyGivesTheFirstId) {
    const std::string first = created_id(R"(,"idempotency_key":"order-7")");
    const JsonReply again = create(R"(,"idempotency_key":"order-7")");
    EXPECT_EQ(again.status, 200) << again.body;
    EXPECT_EQ(again.text("status"), "duplicate");
    EXPECT_EQ(again.text("execution_id"), first);
    EXPECT_EQ(again.text("public_state"), "waiting");
    const JsonReply by_id = create(R"(,"execution_id":")" + first + "\"");
    EXPECT_EQ(by_id.status, 200);
    EXPECT_EQ(by_id.text("execution_id"), first);
    const std::string tag = first.substr(0, first.find(':', 4));
    const std::string other = tag + ":11111111-2222-4333-8444-" + own_name("0000").substr(1);
    const JsonReply with_other_id =
        create(R"(,"idempotency_key":"order-7","execution_id":")" + other + "\"");
    EXPECT_EQ(with_other_id.status, 200) << with_other_id.body;
    EXPECT_EQ(with_other_id.text("execution_id"), first);
}

TEST_P(Ch07Executions, BelongToTheDefaultNamespaceAndLaneUnlessTold) {
    const JsonReply created = world().post("/v1/executions", R"({"execution_kind":"k"})");
    ASSERT_EQ(created.status, 201) << created.body;
    const JsonReply info = world().get("/v1/executions/" + encode(created.text("execution_id")));
    EXPECT_EQ(info.text("namespace"), "default");
    EXPECT_EQ(info.text("lane_id"), "default");
}

TEST_P(Ch07Executions, S10_DelayedWorkIsCreatedDelayed) {
    const JsonReply relative = create(R"(,"delay_until":"+5000")");
    EXPECT_EQ(relative.status, 201);
    EXPECT_EQ(relative.text("status"), "created");
    EXPECT_EQ(relative.text("public_state"), "delayed");
    EXPECT_EQ(create(R"(,"delay_until":4102444800000)").text("public_state"), "delayed");
    EXPECT_EQ(create(R"(,"delay_until":1)").text("public_state"), "waiting");
    EXPECT_EQ(create(R"(,"delay_until":"5 s")").status, 400);
    EXPECT_EQ(create(R"(,"initial_hold":"dependencies")").text("public_state"), "waiting_children");
}

TEST_P(Ch07Executions, S13_ListingsAreBoundedAndCoverAllPartitions) {
    EXPECT_EQ(world().get("/v1/executions?state=bogus").status, 400);
    EXPECT_EQ(world().get("/v1/executions?limit=0").status, 400);
    EXPECT_EQ(world().get("/v1/executions?partition=256").status, 400);
    EXPECT_EQ(world().get("/v1/executions?cursor=zz").code(), "invalid_cursor");
    std::set<std::string> mine;
    for (int p = 0; p < 12; ++p) {
        const std::string id = "{fp:" + std::to_string(p * 20) + "}:11111111-2222-4333-8444-" +
                               own_name("0000").substr(1);
        mine.insert(created_id(R"(,"execution_id":")" + id + "\""));
    }
    const std::string lane = "lane=" + own_name();
    EXPECT_EQ(listed(lane + "&limit=5000").size(), 12U);
    EXPECT_EQ(listed(lane + "&limit=5").size(), 5U);
    const std::vector<std::string> walked = walk(lane + "&limit=5");
    EXPECT_EQ(walked.size(), 12U);
    EXPECT_EQ(std::set(walked.begin(), walked.end()), mine);
    EXPECT_EQ(listed(lane + "&partition=20").size(), 1U);
    EXPECT_EQ(listed(lane + "&state=active").size(), 0U);
    std::string batch = R"({"executions":[)";
    for (int i = 0; i < 1000; ++i) batch += (i == 0 ? "" : ",") + new_execution();
    ASSERT_EQ(world().post("/v1/executions/batch", batch + "]}").status, 200);
    EXPECT_EQ(listed(lane + "&limit=5000").size(), 1000U);
    EXPECT_EQ(walk(lane + "&limit=1000").size(), 1012U);
    EXPECT_EQ(listed("view=ids&partition=20&limit=1").size(), 1U);
    EXPECT_EQ(world().get("/v1/executions?view=ids").status, 400);
}

TEST_P(Ch07Executions, CreatedTogetherAreListedOnceEachPageByPage) {
    std::string batch = R"({"executions":[)";
    for (int i = 0; i < 30; ++i) batch += (i == 0 ? "" : ",") + new_execution();
    const JsonReply reply = world().post("/v1/executions/batch", batch + "]}");
    ASSERT_EQ(reply.status, 200) << reply.body;
    const std::vector<std::string> walked = walk("lane=" + own_name() + "&limit=7");
    EXPECT_EQ(walked.size(), 30U);
    EXPECT_EQ(std::set(walked.begin(), walked.end()).size(), 30U);
    const std::vector<std::string> by_namespace = walk("namespace=" + own_name() + "&limit=7");
    EXPECT_EQ(by_namespace.size(), 30U);
    EXPECT_EQ(std::set(by_namespace.begin(), by_namespace.end()).size(), 30U);
}

TEST_P(Ch07Executions, ABatchAnswersEachItemOnItsOwn) {
    const std::string batch = R"({"executions":[)" + new_execution(R"(,"idempotency_key":"k")") +
                              "," + new_execution(R"(,"policy":{"retry_policy":7})") + "," +
                              new_execution(R"(,"idempotency_key":"k")") +
                              R"(,{"namespace":"a b"},7]})";
    EXPECT_EQ(world().post("/v1/executions/batch", batch).status, 400);
    const std::string good = batch.substr(0, batch.size() - 4) + "]}";
    const JsonReply reply = world().post("/v1/executions/batch", good);
    ASSERT_EQ(reply.status, 200) << reply.body;
    const json::Value results = *reply.json().find("results");
    ASSERT_EQ(results.size(), 4U);
    EXPECT_EQ(results.element(0).find("status")->as_string(), "created");
    EXPECT_EQ(results.element(1).find("code")->as_string(), "invalid_policy_json");
    EXPECT_EQ(results.element(2).find("status")->as_string(), "duplicate");
    EXPECT_EQ(results.element(2).find("execution_id")->as_string(),
              results.element(0).find("execution_id")->as_string());
    EXPECT_EQ(results.element(3).find("code")->as_string(), "invalid_input");
}

TEST_P(Ch07Executions, S60_NamespacesAndTagsAreIndexed) {
    const std::string other = own_name("b");
    std::vector<std::string> mine;
    for (int i = 0; i < 5; ++i) {
        const std::string tag =
            R"(,"tags":{"team.name":")" + std::string(i < 2 ? "a:b" : "c") + "\"}";
        mine.push_back(created_id(tag));
        wait_for_next_millisecond();
    }
    const JsonReply elsewhere = world().post(
        "/v1/executions", R"({"namespace":")" + other + R"(","lane_id":"x","execution_kind":"k",)" +
                              R"("tags":{"team.name":"c"}})");
    ASSERT_EQ(elsewhere.status, 201);
    const std::vector<std::string> found = listed("namespace=" + own_name());
    EXPECT_EQ(found, std::vector<std::string>(mine.rbegin(), mine.rend())) << "newest first";
    EXPECT_EQ(walk("namespace=" + own_name() + "&limit=2"), found);
    EXPECT_EQ(listed("namespace=" + other),
              std::vector<std::string>{elsewhere.text("execution_id")});
    const std::vector<std::string> tagged =
        walk("namespace=" + own_name() + "&tag=team.name:a%3Ab&limit=1");
    EXPECT_EQ(std::set(tagged.begin(), tagged.end()), std::set(mine.begin(), mine.begin() + 2));
    EXPECT_EQ(world().get("/v1/executions?tag=team.name:c").status, 400);
    EXPECT_EQ(listed("namespace=" + own_name() + "&lane=elsewhere").size(), 0U);
    EXPECT_EQ(listed("namespace=" + own_name() + "&state=eligible").size(), 5U);

    const JsonReply changed =
        world().put("/v1/executions/" + encode(mine[4]) + "/tags", R"({"team.name":"a:b"})");
    EXPECT_EQ(changed.integer("count"), 1) << changed.body;
    EXPECT_EQ(listed("namespace=" + own_name() + "&tag=team.name:a:b").size(), 3U);
    EXPECT_EQ(listed("namespace=" + own_name() + "&tag=team.name:c").size(), 2U);
    EXPECT_EQ(world().get("/v1/executions/" + encode(mine[4]) + "/tags").text("team.name"), "a:b");
    EXPECT_EQ(world().put("/v1/executions/" + encode(mine[4]) + "/tags", R"({"bare":"x"})").code(),
              "invalid_tag_key");
}

TEST_P(Ch07Executions, S60_NothingIsIndexedWhenIndexesAreOff) {
    WorldOptions options;
    options.settings.secondary_indexes = false;
    ServerWorld without(GetParam(), std::move(options));
    ASSERT_EQ(without.post("/v1/executions", new_execution(R"(,"tags":{"a.b":"c"})")).status, 201);
    EXPECT_EQ(without.get("/v1/executions?namespace=" + own_name()).status, 400);
    const auto ns = *model::Namespace::parse(own_name());
    EXPECT_EQ(without.command({"EXISTS", model::namespace_executions_key(ns)}).to_integer(), 0);
    EXPECT_EQ(without.command({"EXISTS", model::tag_key(ns, "a.b", "c")}).to_integer(), 0);
}

TEST_P(Ch07Executions, LanesAndNamespacesAreKnownBeforeTheirFirstExecutionIs) {
    created_id(R"(,"delay_until":"+500000")");
    EXPECT_EQ(world().command({"SISMEMBER", model::kLanesKey, own_name()}).to_integer(), 1);
    EXPECT_EQ(world().command({"SISMEMBER", model::kNamespacesKey, own_name()}).to_integer(), 1);
}

INSTANTIATE_TEST_SUITE_P(Stores, Ch07Executions, ::testing::Values("embedded", "valkey"));

class Ch01Ingress : public ExecApi {};

TEST_P(Ch01Ingress, S05_AnIdOfAPartitionThatIsNotThereIsRefused) {
    const std::string id = "{fp:300}:550e8400-e29b-41d4-a716-446655440000";
    EXPECT_EQ(info(id).status, 400);
    EXPECT_EQ(info(id).code(), "invalid_input");
    EXPECT_NE(info(id).body.find("partition_out_of_range"), std::string::npos) << info(id).body;
    EXPECT_EQ(create(R"(,"execution_id":")" + id + "\"").status, 400);
    EXPECT_EQ(act(id, "cancel", "{}").status, 400);
}

TEST_P(Ch01Ingress, S10_ANamespaceThatCouldCollideIsRefused) {
    for (const std::string ns : {"a:b", "{x}", ""}) {
        const JsonReply reply =
            world().post("/v1/executions", R"({"namespace":")" + ns + R"(","lane_id":")" +
                                               own_name() + R"(","execution_kind":"k"})");
        EXPECT_EQ(reply.status, 400) << ns << reply.body;
        EXPECT_EQ(reply.code(), "invalid_input");
    }
    EXPECT_EQ(world().command({"SISMEMBER", model::kLanesKey, own_name()}).to_integer(), 0);
}

INSTANTIATE_TEST_SUITE_P(Stores, Ch01Ingress, ::testing::Values("embedded", "valkey"));

}  // namespace
}  // namespace ff::testing
