// Defects that verification of the whole found in what workers hold in their hands, each by its
// number.
#include <gtest/gtest.h>

#include "sdk/door_world.h"
#include "support/resp_connection.h"
#include "support/wait.h"

namespace ff::testing {
namespace {

using flowfabric::Millis;
using flowfabric::Worker;

TEST(RepairWorker, Repair_11_AnotherRegistrationByHeartbeatSaysAllThatTheFirstDid) {
    DoorWorld& world = door_world("direct");
    flowfabric::WorkerConfig config = world.config(DoorWorld::unique("lane"));
    config.max_concurrent_tasks = 3;
    config.lease_ttl = Millis(1000);
    const Worker worker = Worker::connect(config).value();
    const std::string prefix = "ff:worker:{" + config.ns + "}:{" + config.worker_instance_id + "}:";
    RespConnection store = RespConnection::connect(world.valkey_port());
    ASSERT_EQ(store("HGET", prefix + "caps", "max_tasks").text, "3");
    ASSERT_EQ(store("DEL", prefix + "alive", prefix + "caps").integer, 2);
    ASSERT_TRUE(wait_until([&] { return store("EXISTS", prefix + "alive").integer == 1; }));
    EXPECT_EQ(store("HGET", prefix + "caps", "max_tasks").text, "3");
}

TEST(RepairWorker, Repair_12_ClaimsFromGrantsAreInTheMetrics) {
    DoorWorld& world = door_world("inprocess");
    const std::string lane = DoorWorld::unique("lane");
    world.submit(lane);
    Worker worker = world.worker(lane);
    const auto grant =
        world.client().request_grant({.worker_id = worker.config().worker_id,
                                      .worker_instance_id = worker.config().worker_instance_id,
                                      .lane = lane,
                                      .ttl = Millis(30'000)});
    ASSERT_TRUE(grant.has_value() && grant->has_value());
    const std::string before = world.client().metrics().value();
    auto task = worker.claim_from_grant(**grant);
    ASSERT_TRUE(task.has_value()) << task.error().text();
    const std::string after = world.client().metrics().value();
    const auto count_of = [](const std::string& text) {
        const std::string name = "\nff_claim_from_grant_duration_seconds_count";
        const std::size_t at = text.find(name);
        if (at == std::string::npos) return 0.0;
        return std::stod(text.substr(text.find(' ', at)));
    };
    EXPECT_EQ(count_of(after), count_of(before) + 1) << after.substr(0, 2000);
    EXPECT_TRUE(task->complete().has_value());
}

class RepairDoors : public ::testing::TestWithParam<std::string> {};

TEST_P(RepairDoors, Repair_13_NoDoorWaitsLongerThanThirtySeconds) {
    DoorWorld& world = door_world(GetParam());
    const std::string lane = DoorWorld::unique("lane");
    Worker worker = world.worker(lane);
    const auto refused = worker.claim_tasks(1, Millis(30'001));
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, "invalid_input");
    EXPECT_NE(refused.error().text().find("wait_ms"), std::string::npos) << refused.error().text();
    world.submit(lane);
    auto tasks = worker.claim_tasks(1, Millis(30'000));
    ASSERT_TRUE(tasks.has_value()) << tasks.error().text();
    ASSERT_EQ(tasks->size(), 1U);
    EXPECT_TRUE(tasks->front().complete().has_value());
}

TEST_P(RepairDoors, Repair_18_SpendTellsAndTrySpendAsks) {
    DoorWorld& world = door_world(GetParam());
    const std::string lane = DoorWorld::unique("lane");
    const std::string budget =
        world.client()
            .create_budget({.scope = {"execution", ""}, .hard_limits = {{"tokens", 20}}})
            .value();
    const auto used = [&] {
        return world.client().describe_budget(budget).value().usage.at("tokens");
    };
    const std::string id =
        world.submit(lane, "{}", "work", R"({"budget_ids":[")" + budget + R"("]})");
    Worker worker = world.worker(lane);
    auto tasks = worker.claim_tasks(1, Millis(9000)).value();
    ASSERT_EQ(tasks.size(), 1U);
    flowfabric::Task& task = tasks.front();
    EXPECT_EQ(task.spend({{"tokens", 18}}).value().front().status, "ok");
    EXPECT_EQ(task.try_spend({{"tokens", 3}}).value().front().status, "hard_breach");
    EXPECT_EQ(used(), 18);
    const auto over = task.spend({{"tokens", 3}}).value().front();
    EXPECT_EQ(over.status, "hard_breach");
    EXPECT_EQ(over.action, "fail");
    EXPECT_EQ(over.current_usage, 21);
    EXPECT_EQ(used(), 21);
    EXPECT_EQ(world.client().try_spend(budget, {{"tokens", 1}}).value().status, "hard_breach");
    EXPECT_EQ(used(), 21);
    EXPECT_EQ(world.client().spend(budget, id, {{"tokens", 1}}).value().status, "hard_breach");
    EXPECT_EQ(used(), 22);
    EXPECT_TRUE(task.complete().has_value());
}

TEST_P(RepairDoors, Repair_22_AWorkerGetsTheKindsOfItsConfiguration) {
    DoorWorld& world = door_world(GetParam());
    const std::string lane = DoorWorld::unique("lane");
    for (int i = 0; i < 3; ++i) world.submit(lane, "{}", "other");
    const std::string mine = world.submit(lane, "{}", "mine");
    flowfabric::WorkerConfig config = world.config(lane);
    config.kinds = {"mine", "more"};
    config.max_concurrent_tasks = 4;
    Worker worker = Worker::connect(config).value();
    auto tasks = worker.claim_tasks(4, Millis(9000));
    ASSERT_TRUE(tasks.has_value()) << tasks.error().text();
    ASSERT_EQ(tasks->size(), 1U);
    EXPECT_EQ(tasks->front().id(), mine);
    EXPECT_TRUE(tasks->front().complete().has_value());
    config.kinds.assign(65, "k");
    const auto refused = Worker::connect(config);
    ASSERT_FALSE(refused.has_value());
    EXPECT_NE(refused.error().text().find("kinds"), std::string::npos) << refused.error().text();
}

TEST_P(RepairDoors, Repair_22_ClaimNextAsksForKindsToo) {
    DoorWorld& world = door_world(GetParam());
    if (!world.has_store_access()) return;
    const std::string lane = DoorWorld::unique("lane");
    world.submit(lane, "{}", "other");
    const std::string mine = world.submit(lane, "{}", "mine");
    flowfabric::WorkerConfig config = world.config(lane);
    config.kinds = {"mine"};
    config.direct_claim = true;
    Worker worker = Worker::connect(config).value();
    auto task = worker.claim_next();
    ASSERT_TRUE(task.has_value()) << task.error().text();
    ASSERT_TRUE(task->has_value());
    EXPECT_EQ((*task)->id(), mine);
    EXPECT_TRUE((*task)->complete().has_value());
    EXPECT_FALSE(worker.claim_next().value().has_value());
}

INSTANTIATE_TEST_SUITE_P(Doors, RepairDoors, ::testing::Values("http", "direct", "inprocess"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ff::testing
