#include <gtest/gtest.h>

#include "api/server_world.h"

namespace ff::testing {
namespace {

class LanesApi : public ::testing::TestWithParam<std::string> {
  protected:
    ServerWorld& world() { return server_world_of(GetParam()); }
};

TEST_P(LanesApi, ListsWhatWasSetAndTheConfiguredOnes) {
    const JsonReply set =
        world().put("/v1/lanes/bulk", R"({"state":"paused","scheduling_weight":7})");
    EXPECT_EQ(set.status, 200) << set.body;
    EXPECT_EQ(set.text("status"), "set");
    const JsonReply lanes = world().get("/v1/lanes");
    EXPECT_EQ(lanes.status, 200);
    EXPECT_NE(
        lanes.body.find(R"({"lane_id":"bulk","state":"paused","scheduling_weight":7,"counts":{)"),
        std::string::npos)
        << lanes.body;
    EXPECT_NE(lanes.body.find(R"("lane_id":"default","state":"active")"), std::string::npos);
}

TEST_P(LanesApi, RefusesWhatIsNoLaneState) {
    for (const std::string body :
         {R"({"state":"asleep"})", R"({"state":1})", R"({"scheduling_weight":0})",
          R"({"scheduling_weight":1001})", R"({"default_priority":-1})",
          R"({"default_policy_json":"{"})", R"({"lane_id":"other"})", "[]", "{"}) {
        const JsonReply reply = world().put("/v1/lanes/refused", body);
        EXPECT_EQ(reply.status, 400) << body << reply.body;
    }
    EXPECT_EQ(world().put("/v1/lanes/a%20b", "{}").status, 400);
    EXPECT_EQ(world().get("/v1/lanes").body.find("refused"), std::string::npos);
}

class Ch07Lanes : public LanesApi {
  protected:
    JsonReply set(std::string_view state) {
        return world().put("/v1/lanes/gate", R"({"state":")" + std::string(state) + R"("})");
    }
    JsonReply create() {
        return world().post(
            "/v1/executions",
            R"({"namespace":"acme","lane_id":"gate","execution_kind":"noop","payload":"x"})");
    }
    int claim() {
        return world()
            .post("/v1/workers/w/tasks/claim",
                  R"({"worker_instance_id":"w-1","lanes":["gate"],"max_tasks":1})")
            .status;
    }
};

TEST_P(Ch07Lanes, S21_StatesDecideWhatGoesInAndOut) {
    EXPECT_EQ(set("paused").status, 200);
    EXPECT_EQ(create().status, 201);
    EXPECT_EQ(create().status, 201);
    EXPECT_EQ(claim(), 204);
    EXPECT_EQ(set("draining").status, 200);
    const JsonReply refused = create();
    EXPECT_EQ(refused.status, 409) << refused.body;
    EXPECT_EQ(refused.code(), "lane_not_accepting");
    EXPECT_EQ(claim(), 200);
    EXPECT_EQ(set("disabled").status, 200);
    EXPECT_EQ(create().status, 409);
    EXPECT_EQ(claim(), 204);
    EXPECT_EQ(set("active").status, 200);
    EXPECT_EQ(create().status, 201);
    EXPECT_EQ(claim(), 200);
}

/// Ruling 33 of spec 00; section 7 of spec 06 says which may be deleted.
TEST_P(LanesApi, OnlyADisabledAndEmptyOneIsDeleted) {
    const auto set = [&](std::string_view state) {
        return world().put("/v1/lanes/over", R"({"state":")" + std::string(state) + R"("})").status;
    };
    const auto remove = [&](std::string_view lane) {
        return world().request("DELETE", "/v1/lanes/" + std::string(lane));
    };
    const auto create = [&] {
        return world().post("/v1/executions", R"({"lane_id":"over","execution_kind":"noop"})");
    };
    EXPECT_EQ(remove("never-there").text("status"), "already_satisfied");
    EXPECT_EQ(remove("default").code(), "lane_in_use") << "FF_LANES names it";
    const JsonReply held = create();
    ASSERT_EQ(held.status, 201) << held.body;
    const JsonReply active = remove("over");
    EXPECT_EQ(active.status, 409) << active.body;
    EXPECT_EQ(active.json().find("detail")->element(1).as_string(), "active");
    ASSERT_EQ(set("disabled"), 200);
    const JsonReply full = remove("over");
    EXPECT_EQ(full.code(), "lane_in_use");
    EXPECT_EQ(full.json().find("detail")->element(0).as_string(), "executions");
    EXPECT_EQ(full.json().find("detail")->element(1).as_string(), "1");
    EXPECT_NE(world().get("/v1/lanes").body.find(R"("lane_id":"over")"), std::string::npos);
    const std::string id = held.text("execution_id");
    ASSERT_EQ(world().post("/v1/executions/" + encode(id) + "/cancel", "{}").status, 200);
    EXPECT_EQ(remove("over").text("status"), "deleted");
    EXPECT_EQ(remove("over").text("status"), "already_satisfied");
    EXPECT_EQ(world().get("/v1/lanes").body.find(R"("lane_id":"over")"), std::string::npos);
    EXPECT_EQ(world().command({"EXISTS", "ff:lane:over:config"}).to_integer(), 0);
    // Whoever uses it again has a lane like any other, and scanners know it.
    ASSERT_EQ(create().status, 201);
    EXPECT_NE(world().get("/v1/lanes").body.find(R"("lane_id":"over")"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Stores, Ch07Lanes, ::testing::Values("embedded", "valkey"));
INSTANTIATE_TEST_SUITE_P(Stores, LanesApi, ::testing::Values("embedded", "valkey"));

}  // namespace
}  // namespace ff::testing
