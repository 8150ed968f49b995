#include "api/exec_world.h"

namespace ff::testing {
namespace {

class Ch07Overview : public ExecApi {
  protected:
    JsonReply overview() {
        JsonReply reply = world().get("/v1/overview");
        if (reply.status != 200) throw std::runtime_error(reply.body);
        return reply;
    }
    /// Asks until the lane of the test answers so; an overview may be a moment old.
    template <class Condition>
    bool shows(Condition&& condition) {
        return wait_until([&] {
            const JsonReply reply = overview();
            const json::Value lanes = *reply.json().find("lanes");
            for (std::size_t i = 0; i < lanes.size(); ++i)
                if (lanes.element(i).find("lane_id")->as_string() == own_name())
                    return condition(lanes.element(i));
            return false;
        });
    }
    static std::int64_t integer(const json::Value& object, std::string_view name) {
        const auto found = object.find(name);
        return found ? found->as_integer().value_or(-1) : -1;
    }
    /// Over all points.
    static std::int64_t sum(const json::Value& lane, std::string_view name) {
        const json::Value points = *lane.find(name);
        std::int64_t all = 0;
        for (std::size_t i = 0; i < points.size(); ++i)
            all += points.element(i).as_integer().value_or(0);
        return all;
    }
    static std::int64_t last(const json::Value& lane, std::string_view name) {
        const json::Value points = *lane.find(name);
        return points.element(points.size() - 1).as_integer().value_or(-1);
    }
};

TEST_P(Ch07Overview, S67_ALaneHasItsLastHourWhatWaitsAndWhoServesIt) {
    const std::string old_and_unimportant = created_id(R"(,"priority":1)");
    for (int i = 0; i < 5; ++i) created_id(R"(,"priority":7)");
    const std::string registered = "/v1/workers/pool/instances/" + own_name("-1");
    ASSERT_EQ(world()
                  .put(registered, R"({"namespace":")" + own_name() + R"(","lanes":[")" +
                                       own_name() + R"("],"capabilities":[]})")
                  .status,
              200);
    act(claim_one(), "complete");
    act(claim_one(), "complete");
    act(claim_one(), "fail", R"(,"reason":"broken","category":"test","no_retry":true)");
    claim_one();
    EXPECT_TRUE(shows([](const json::Value& lane) {
        return sum(lane, "completed") == 2 && sum(lane, "failed") == 1 &&
               last(lane, "waiting") == 2 && last(lane, "running") == 1;
    })) << overview().body;
    EXPECT_TRUE(shows([&](const json::Value& lane) {
        const auto oldest = lane.find("oldest_waiting");
        return integer(lane, "workers") == 1 && oldest &&
               oldest->find("execution_id")->as_string() == old_and_unimportant &&
               integer(*oldest, "created_at") == info(old_and_unimportant).integer("created_at");
    })) << overview().body;
    const JsonReply now = overview();
    EXPECT_LE(now.integer("points_from"), now.integer("at"));
    EXPECT_LT(now.integer("at") - now.integer("points_from"), 3'600'000);
    EXPECT_GE(now.integer("workers_alive"), 1);
    // Another overview would be asked for what nobody knows.
    EXPECT_EQ(world().get("/v1/overview?lane=x").status, 400);
}

TEST_P(Ch07Overview, S67_ALaneInWhichNothingWaitsHasNoOldest) {
    act((created_id(), claim_one()), "complete");
    EXPECT_TRUE(shows([](const json::Value& lane) {
        return sum(lane, "completed") == 1 && last(lane, "waiting") == 0 &&
               !lane.find("oldest_waiting");
    })) << overview().body;
}

TEST_P(Ch07Overview, S68_ApprovalsAreCountedAndBudgetsNearTheirLimitAreNamed) {
    const std::int64_t before = overview().integer("approvals_waiting");
    created_id();
    const JsonReply asked =
        act(claim_one(), "suspend", R"(,"signals":["yes"],"approval":{"prompt":"Go on?"})");
    ASSERT_EQ(asked.status, 200) << asked.body;
    const auto budget = [&](int used) {
        const JsonReply made = world().post(
            "/v1/budgets",
            R"({"scope_type":"execution","name":"near","dimensions":["calls","tokens"],)"
            R"("hard_limits":[1000,100]})");
        EXPECT_EQ(made.status, 201) << made.body;
        const std::string id = made.text("budget_id");
        world().post("/v1/budgets/" + id + "/usage",
                     R"({"dimensions":{"calls":5,"tokens":)" + std::to_string(used) + "}}");
        return id;
    };
    const std::string far = budget(79);
    const std::string near = budget(80);
    const std::string nearer = budget(97);
    EXPECT_TRUE(wait_until([&] {
        const JsonReply now = overview();
        return now.integer("approvals_waiting") == before + 1 &&
               now.body.find(near) != std::string::npos;
    })) << overview().body;
    const JsonReply now = overview();
    EXPECT_EQ(now.body.find(far), std::string::npos);
    EXPECT_LT(now.body.find(nearer), now.body.find(near)) << "the nearest comes first";
    EXPECT_NE(now.body.find(R"("dimension":"tokens","used":97,"hard_limit":100)"),
              std::string::npos)
        << now.body;
}

INSTANTIATE_TEST_SUITE_P(Stores, Ch07Overview, ::testing::Values("embedded", "valkey"));

}  // namespace
}  // namespace ff::testing
