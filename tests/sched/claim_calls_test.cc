// What a claim costs in calls, and what a repeated one gives.

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include <gtest/gtest.h>

#include "base/task_group.h"
#include "engine/end_execution.h"
#include "sched/counting_store.h"
#include "sched/world.h"

namespace ff::testing {
namespace {

using sched::LaneTask;

class ClaimCalls : public ::testing::TestWithParam<std::string> {
  protected:
    World& world = world_of(GetParam());
    CountingStore store{world.store()};
    sched::Claimer claimer{
        world.loop().get_executor(), world.clock(),          world.random(), store,
        world.partitioner(),         sched::ClaimerOptions{}};

    std::vector<LaneTask> claim(const sched::ClaimRequest& request) {
        auto tasks = run(world.loop(), claimer.claim(request));
        EXPECT_TRUE(tasks.has_value()) << tasks.error().text();
        return tasks.has_value() ? *std::move(tasks) : std::vector<LaneTask>();
    }
    sched::ClaimRequest request_with(const model::LaneId& lane, std::string_view capability) {
        sched::ClaimRequest request = world.request({lane});
        request.capabilities = *model::CapabilitySet::parse_csv(capability);
        return request;
    }
    /// Work that lies where the lane's own does not.
    model::ExecutionId create_in(std::uint16_t partition, engine::CreateExecution task) {
        const std::string uuid = model::Uuid::mint_v4(world.random()).to_string();
        task.execution_id =
            *model::ExecutionId::parse("{fp:" + std::to_string(partition) + "}:" + uuid);
        return world.create(std::move(task));
    }
    static std::vector<engine::CompleteExecution> completions_of(
        const std::vector<LaneTask>& tasks) {
        std::vector<engine::CompleteExecution> made;
        for (const LaneTask& task : tasks)
            made.push_back({.execution_id = task.task.execution_id, .fence = task.task.fence});
        return made;
    }
    static std::set<std::string> ids_of(const std::vector<LaneTask>& tasks) {
        std::set<std::string> ids;
        for (const LaneTask& task : tasks) ids.insert(task.task.execution_id.to_string());
        return ids;
    }
};

/// The net under lost messages is one claim for all who want the same, not one for each.
TEST_P(ClaimCalls, OneOfManyWaitersSweepsForAll) {
    constexpr std::size_t kMany = 40;
    sched::Claimer sweeping{world.loop().get_executor(),
                            world.clock(),
                            world.random(),
                            store,
                            world.partitioner(),
                            sched::ClaimerOptions{.sweep_interval = Millis(300)}};
    const auto wait = [](sched::Claimer& from,
                         sched::ClaimRequest what) -> boost::asio::awaitable<void> {
        const auto got = co_await from.claim(std::move(what));
        EXPECT_TRUE(got.has_value() && got->empty());
    };
    TaskGroup group(world.loop().get_executor(), "waiters");
    sched::ClaimRequest request = world.request({world.lane("many")});
    request.wait = Millis(60'000);
    for (std::size_t i = 0; i < kMany; ++i) group.spawn(wait(sweeping, request));
    const auto all_wait = [&] { return sweeping.waiting() == kMany; };
    ASSERT_TRUE(run_until(world.loop(), all_wait));
    const std::size_t before = store.functions();
    ASSERT_TRUE(run_until(world.loop(), [&] { return store.functions() > before && all_wait(); }));
    EXPECT_LT(store.functions() - before, kMany / 2);
    sweeping.stop();
    run(world.loop(), group.join());
}

TEST_P(ClaimCalls, AnEmptyLaneIsAskedAtHomeAndLookedThroughElsewhere) {
    const auto lane = world.lane("bare");
    EXPECT_TRUE(claim(request_with(lane, "")).empty());
    // At home and at the first place elsewhere.
    EXPECT_EQ(store.functions(), 2U);
    // Another group asks where it does not know better.
    EXPECT_TRUE(claim(request_with(lane, "gpu")).empty());
    EXPECT_EQ(store.functions(), 4U);
    EXPECT_TRUE(claim(request_with(lane, "gpu")).empty());
    EXPECT_EQ(store.functions(), 4U);
}

TEST_P(ClaimCalls, WorkElsewhereIsFoundWhereverItIs) {
    const auto lane = world.lane("elsewhere");
    const auto near = create_in(7, world.task(lane));
    auto routed = world.task(lane);
    routed.policy_json = R"({"routing_requirements":{"required_capabilities":["gpu"]}})";
    const auto far = create_in(201, std::move(routed));
    EXPECT_EQ(ids_of(claim(request_with(lane, ""))), std::set{near.to_string()});
    // The first worker moves what it cannot do to its route; the place is bare for nobody then.
    EXPECT_TRUE(claim(request_with(lane, "")).empty());
    EXPECT_EQ(ids_of(claim(request_with(lane, "gpu"))), std::set{far.to_string()});
}

TEST_P(ClaimCalls, WorkThatEntersABarePlaceIsFoundOnceItIsTold) {
    const auto lane = world.lane("entering");
    EXPECT_TRUE(claim(request_with(lane, "")).empty());
    const auto id = create_in(9, world.task(lane));
    claimer.on_wake(lane.text(), 9);
    EXPECT_EQ(ids_of(claim(request_with(lane, "gpu"))), std::set{id.to_string()});
}

TEST_P(ClaimCalls, ABarePlaceIsArmed) {
    const auto lane = world.lane("armed");
    EXPECT_TRUE(claim(request_with(lane, "")).empty());
    const auto armed = world.command({"HGET", "ff:wake:{fp:77}", lane.text()});
    ASSERT_TRUE(armed.to_integer().has_value());
    EXPECT_GT(*armed.to_integer(), to_ms(world.clock().now()));
    // Whoever adds work tells of it and disarms the place.
    create_in(77, world.task(lane));
    EXPECT_TRUE(world.command({"HGET", "ff:wake:{fp:77}", lane.text()}).is_null());
}

TEST_P(ClaimCalls, Repair_22_ABarePlaceIsArmedForTheKindsAskedFor) {
    const auto lane = world.lane("kinds");
    sched::ClaimRequest request = world.request({lane});
    request.kinds = model::KindSet::from_lines("mine");
    EXPECT_TRUE(claim(request).empty());
    EXPECT_EQ(store.functions(), 2U) << "at home and at the first place elsewhere";
    const auto armed = [&] {
        return !world.command({"HGET", "ff:wake:{fp:77}", lane.text() + "\nmine"}).is_null();
    };
    EXPECT_TRUE(armed());
    const auto of_kind = [&](std::string kind) {
        auto task = world.task(lane);
        task.execution_kind = std::move(kind);
        return create_in(77, std::move(task));
    };
    of_kind("other");
    EXPECT_TRUE(armed());
    const std::size_t before = store.functions();
    claimer.on_wake(lane.text(), 77);
    claimer.on_wake(lane.text(), 77, "other");
    EXPECT_TRUE(claim(request).empty());
    EXPECT_EQ(store.functions(), before) << "no other work makes it look";
    const auto mine = of_kind("mine");
    EXPECT_FALSE(armed()) << "whoever adds it tells of it";
    claimer.on_wake(lane.text(), 77, "mine");
    EXPECT_EQ(ids_of(claim(request)), std::set{mine.to_string()});
}

TEST_P(ClaimCalls, ABarePlaceIsArmedByTheTimeOfTheStore) {
    const ManualClock slow(world.clock().now() - Millis(3'600'000));
    sched::Claimer behind{world.loop().get_executor(), slow, world.random(), store,
                          world.partitioner(),         {}};
    const auto lane = world.lane("behind");
    const auto none = run(world.loop(), behind.claim(request_with(lane, "")));
    ASSERT_TRUE(none.has_value() && none->empty());
    const auto armed = world.command({"HGET", "ff:wake:{fp:77}", lane.text()});
    ASSERT_TRUE(armed.to_integer().has_value());
    EXPECT_GT(*armed.to_integer(), to_ms(world.clock().now()));
}

TEST_P(ClaimCalls, CompletingAndClaimingWithAnIdIsOneFunctionCall) {
    const auto lane = world.lane("turn");
    for (int i = 0; i < 6; ++i) world.create(lane);
    const auto first = claim(world.request({lane}, 2));
    ASSERT_EQ(first.size(), 2U);
    const std::size_t before = store.functions();
    sched::ClaimRequest request = world.request({lane}, 2);
    request.claim_id = "turn-" + GetParam();
    const auto answer =
        run(world.loop(), claimer.complete_and_claim(request, completions_of(first)));
    EXPECT_EQ(store.functions(), before + 1);
    for (const auto& completed : answer.completed) EXPECT_TRUE(completed && !completed->replayed);
    ASSERT_EQ(answer.tasks.size(), 2U);
    // Sent again, on another server: nothing new is claimed.
    auto other_server = world.claimer();
    const auto again =
        run(world.loop(), other_server->complete_and_claim(request, completions_of(first)));
    for (const auto& completed : again.completed) EXPECT_TRUE(completed && completed->replayed);
    EXPECT_EQ(ids_of(again.tasks), ids_of(answer.tasks));
}

TEST_P(ClaimCalls, AnIdThatWasNeverSentBeforeIsNotLookedFor) {
    const auto lane = world.lane("first");
    for (int i = 0; i < 6; ++i) world.create(lane);
    sched::ClaimRequest request = world.request({lane}, 2);
    ASSERT_EQ(claim(request).size(), 2U);
    request.claim_id = "first-" + GetParam();
    request.first_try = true;
    const std::size_t before = store.calls();
    const auto first = claim(request);
    EXPECT_EQ(store.calls(), before + 1);
    ASSERT_EQ(first.size(), 2U);
    request.first_try = false;
    EXPECT_EQ(ids_of(claim(request)), ids_of(first));
}

TEST_P(ClaimCalls, ATurnTakesFromAllPartitionsOfASpreadLaneAtOnce) {
    const auto lane = world.lane("turn-spread");
    const std::uint16_t home = world.partitioner().partition(lane, world.partitions());
    const auto next = static_cast<std::uint16_t>((home + 1) % 256);
    for (int i = 0; i < 6; ++i) {
        create_in(home, world.task(lane));
        create_in(next, world.task(lane));
    }
    auto spread = std::make_unique<sched::Claimer>(world.loop().get_executor(), world.clock(),
                                                   world.random(), store, world.partitioner(),
                                                   sched::ClaimerOptions{.lane_spread = 2});
    const auto first = run(world.loop(), spread->claim(world.request({lane}, 4)));
    ASSERT_EQ(first->size(), 4U);
    const std::size_t before = store.functions();
    sched::ClaimRequest request = world.request({lane}, 4);
    request.claim_id = "turn-spread-" + GetParam();
    const auto answer =
        run(world.loop(), spread->complete_and_claim(request, completions_of(*first)));
    EXPECT_EQ(store.functions(), before + 2);
    std::map<std::uint16_t, int> places;
    for (const LaneTask& task : answer.tasks) ++places[task.task.execution_id.partition_index()];
    EXPECT_EQ(places[home], 2);
    EXPECT_EQ(places[next], 2);
    // What was taken beside the first partition is found again without a mark.
    const auto again =
        run(world.loop(), spread->complete_and_claim(request, completions_of(*first)));
    EXPECT_EQ(ids_of(again.tasks), ids_of(answer.tasks));
    EXPECT_EQ(again.tasks.size(), 4U);
}

TEST_P(ClaimCalls, ARepeatedTurnThatFoundWorkElsewhereTakesNothingNewAtHome) {
    const auto lane = world.lane("turn-away");
    world.create(lane);
    const auto first = claim(world.request({lane}));
    ASSERT_EQ(first.size(), 1U);
    const auto away = create_in(5, world.task(lane));
    sched::ClaimRequest request = world.request({lane});
    request.claim_id = "turn-away-" + GetParam();
    const auto answer =
        run(world.loop(), claimer.complete_and_claim(request, completions_of(first)));
    ASSERT_EQ(ids_of(answer.tasks), std::set{away.to_string()});
    world.create(lane);
    auto other_server = world.claimer();
    const auto again =
        run(world.loop(), other_server->complete_and_claim(request, completions_of(first)));
    EXPECT_EQ(ids_of(again.tasks), ids_of(answer.tasks));
}

TEST_P(ClaimCalls, WorkBehindTheHeadOfTheQueueIsFound) {
    const auto lane = world.lane("behind");
    for (int i = 0; i < 80; ++i) {
        auto strange = world.task(lane);
        strange.ns = *model::Namespace::parse("strange");
        world.create(std::move(strange));
    }
    sched::ClaimRequest mine = world.request({lane});
    mine.only_namespace = world.task(lane).ns;
    // The first call to a place reads deep; the next one, soon after, the head only.
    EXPECT_TRUE(claim(mine).empty());
    const auto id = world.create(lane);
    claimer.on_wake(lane.text(), id.partition_index());
    EXPECT_EQ(ids_of(claim(mine)), std::set{id.to_string()});
    // What was completed makes room for work behind the head as well.
    const auto next = world.create(lane);
    claimer.on_wake(lane.text(), next.partition_index());
    mine.claim_id = "behind-" + GetParam();
    const auto answer = run(world.loop(), claimer.complete_and_claim(mine, {}));
    EXPECT_EQ(ids_of(answer.tasks), std::set{next.to_string()});
}

TEST_P(ClaimCalls, AClaimWithAnIdGetsEachTaskOnceThoughLanesShareAPartition) {
    const auto one = world.lane("one");
    const auto two = world.lane("two");
    create_in(11, world.task(one));
    create_in(11, world.task(two));
    sched::ClaimRequest request = world.request({one, two}, 4);
    request.claim_id = "shared-" + GetParam();
    const auto tasks = claim(request);
    EXPECT_EQ(ids_of(tasks).size(), tasks.size());
    EXPECT_GE(tasks.size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(Hosts, ClaimCalls, ::testing::Values("embedded", "valkey", "cluster"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ff::testing
