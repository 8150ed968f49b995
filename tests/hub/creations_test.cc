// What new executions cost in calls when many come at once.

#include "service/creations.h"

#include <set>

#include <gtest/gtest.h>

#include "base/task_group.h"
#include "sched/counting_store.h"
#include "sched/world.h"

namespace ff::testing {
namespace {

using Outcome = service::Creations::Outcome;

class CreationCalls : public ::testing::TestWithParam<std::string> {
  protected:
    World& world = world_of(GetParam());
    CountingStore store{world.store()};
    service::Creations creations{world.loop().get_executor(), store};

    static boost::asio::awaitable<void> create(service::Creations& creations,
                                               engine::CreateExecution task,
                                               std::vector<Result<Outcome>>& outcomes) {
        Result<Outcome> outcome = co_await creations.one(task);
        outcomes.push_back(std::move(outcome));
    }
    /// All of them in one turn of the loop.
    std::vector<Outcome> create_together(std::vector<engine::CreateExecution> tasks) {
        std::vector<Result<Outcome>> outcomes;
        TaskGroup group(world.loop().get_executor(), "creations");
        for (engine::CreateExecution& task : tasks)
            group.spawn(create(creations, std::move(task), outcomes));
        run(world.loop(), group.join());
        EXPECT_EQ(outcomes.size(), tasks.size());
        std::vector<Outcome> made;
        for (const Result<Outcome>& outcome : outcomes) {
            EXPECT_TRUE(outcome.has_value()) << outcome.error().text();
            if (outcome.has_value()) made.push_back(*outcome);
        }
        return made;
    }
};

TEST_P(CreationCalls, ThoseOfOneTurnShareTheirCalls) {
    const model::LaneId lane = world.lane("a");
    std::vector<engine::CreateExecution> tasks;
    for (int i = 0; i < 20; ++i) tasks.push_back(world.task(lane));
    std::set<std::string> asked;
    for (const auto& task : tasks) asked.insert(task.execution_id.to_string());
    std::set<std::string> made;
    for (const Outcome& outcome : create_together(std::move(tasks))) {
        EXPECT_FALSE(outcome.duplicate);
        EXPECT_EQ(world.core_field(outcome.execution_id, "public_state"), "waiting");
        made.insert(outcome.execution_id.to_string());
    }
    EXPECT_EQ(made, asked);
    EXPECT_EQ(store.functions(), 3U) << "eight, eight and four";
}

TEST_P(CreationCalls, OneAloneWaitsForNobody) {
    EXPECT_EQ(create_together({world.task(world.lane("a"))}).size(), 1U);
    EXPECT_EQ(store.functions(), 1U);
}

TEST_P(CreationCalls, EachPartitionHasItsCall) {
    create_together({world.task(world.lane("a")), world.task(world.lane("b")),
                     world.task(world.lane("a")), world.task(world.lane("b"))});
    EXPECT_EQ(store.functions(), 2U);
}

TEST_P(CreationCalls, TheSameKeyTwiceInATurnIsOneExecution) {
    engine::CreateExecution first = world.task(world.lane("a"));
    first.idempotency_key = *model::IdempotencyKey::parse("once");
    engine::CreateExecution second = world.task(world.lane("a"));
    second.idempotency_key = first.idempotency_key;
    const std::vector<Outcome> made = create_together({std::move(first), std::move(second)});
    ASSERT_EQ(made.size(), 2U);
    EXPECT_EQ(made[0].execution_id, made[1].execution_id);
    EXPECT_NE(made[0].duplicate, made[1].duplicate);
}

TEST_P(CreationCalls, ARefusalIsOfItsOwnRequestOnly) {
    engine::CreateExecution bad = world.task(world.lane("a"));
    bad.policy_json = "no json";
    engine::CreateExecution good = world.task(world.lane("a"));
    std::vector<Result<Outcome>> outcomes;
    TaskGroup group(world.loop().get_executor(), "creations");
    group.spawn(create(creations, std::move(bad), outcomes));
    group.spawn(create(creations, std::move(good), outcomes));
    run(world.loop(), group.join());
    ASSERT_EQ(outcomes.size(), 2U);
    const bool first_is_good = outcomes[0].has_value();
    EXPECT_NE(outcomes[0].has_value(), outcomes[1].has_value());
    EXPECT_EQ(outcomes[first_is_good ? 1 : 0].error().code, "invalid_policy_json");
}

INSTANTIATE_TEST_SUITE_P(On, CreationCalls, ::testing::Values("embedded", "valkey", "cluster"),
                         [](const auto& name) { return name.param; });

}  // namespace
}  // namespace ff::testing
