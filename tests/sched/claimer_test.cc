#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <gtest/gtest.h>

#include "base/task_group.h"
#include "engine/end_execution.h"
#include "model/global_keys.h"
#include "sched/world.h"

namespace ff::testing {
namespace {

using sched::LaneTask;

class ClaimCycle : public ::testing::TestWithParam<std::string> {
  protected:
    World& world = world_of(GetParam());

    std::vector<LaneTask> claim(sched::Claimer& claimer, sched::ClaimRequest request) {
        auto tasks = run(world.loop(), claimer.claim(std::move(request)));
        EXPECT_TRUE(tasks.has_value()) << tasks.error().text();
        return tasks.has_value() ? *std::move(tasks) : std::vector<LaneTask>();
    }
    void set_lane(const model::LaneId& lane, std::string_view state,
                  std::string_view weight = "1") {
        world.command(
            {"HSET", model::lane_config_key(lane), "state", state, "scheduling_weight", weight});
    }
};

/// What a server runs beside its claimer: wake messages on their way to it.
class WakeFeed {
  public:
    WakeFeed(World& world, sched::Claimer& claimer)
        : world_(world), claimer_(claimer), group_(world.loop().get_executor(), "wake") {
        store::Channels channels{.patterns = {std::string(model::kWakeChannelPattern)}};
        auto subscribed = run(world.loop(), world.store().subscribe(std::move(channels)));
        subscription_ = *std::move(subscribed);
        group_.spawn(pump());
    }
    ~WakeFeed() {
        group_.cancel();
        run(world_.loop(), group_.join());
    }
    std::size_t messages() const { return messages_; }

  private:
    boost::asio::awaitable<void> pump() {
        for (;;) {
            auto notice = co_await subscription_->next(Deadline::never());
            if (!notice.has_value() || !notice->has_value()) co_return;
            const store::Notice& message = **notice;
            if (message.kind == store::Notice::Kind::Gap) {
                claimer_.on_gap();
                continue;
            }
            ++messages_;
            const std::size_t space = std::min(message.message.find(' '), message.message.size());
            const auto partition = model::PartitionKey::parse(message.message.substr(0, space));
            const std::string lane = message.channel.substr(std::string_view("ff:wake:").size());
            const std::string kind =
                message.message.substr(std::min(space + 1, message.message.size()));
            if (partition.has_value()) claimer_.on_wake(lane, partition->index(), kind);
        }
    }

    World& world_;
    sched::Claimer& claimer_;
    TaskGroup group_;
    std::unique_ptr<store::Subscription> subscription_{};
    std::size_t messages_ = 0;
};

class Ch06Claim : public ClaimCycle {};

TEST_P(Ch06Claim, S41_SoloWorkIsFoundByTheFirstCall) {
    auto claimer = world.claimer();
    const model::LaneId main = *model::LaneId::parse("main");
    const model::ExecutionId id = world.create(main);
    EXPECT_EQ(id.partition_index(), 213);
    const auto tasks = claim(*claimer, world.request({main}));
    ASSERT_EQ(tasks.size(), 1U);
    EXPECT_EQ(tasks[0].task.execution_id, id);
    EXPECT_EQ(tasks[0].task.payload, "payload");
    EXPECT_EQ(tasks[0].lane, main);
}

TEST_P(Ch06Claim, S42_LaneStatesHoldBackAndLetGo) {
    auto claimer = world.claimer();
    const auto lane = world.lane("states");
    set_lane(lane, "paused");
    world.create(lane);
    EXPECT_TRUE(claim(*claimer, world.request({lane})).empty());
    set_lane(lane, "draining");
    claimer->lanes().forget(lane);
    EXPECT_EQ(claim(*claimer, world.request({lane})).size(), 1U);
    set_lane(lane, "disabled");
    claimer->lanes().forget(lane);
    world.create(lane);
    EXPECT_TRUE(claim(*claimer, world.request({lane})).empty());
    const sched::LaneConfig disabled{.state = sched::LaneState::Disabled};
    const sched::LaneConfig draining{.state = sched::LaneState::Draining};
    EXPECT_FALSE(disabled.takes_work());
    EXPECT_FALSE(draining.takes_work());
    EXPECT_TRUE(sched::LaneConfig{.state = sched::LaneState::Paused}.takes_work());

    // Re-activating delivers to a waiting worker at once.
    Result<std::vector<LaneTask>> waited{std::vector<LaneTask>{}};
    TaskGroup group(world.loop().get_executor(), "waiter");
    sched::ClaimRequest request = world.request({lane});
    request.wait = Millis(10'000);
    const auto wait = [](sched::Claimer& from, sched::ClaimRequest what,
                         Result<std::vector<LaneTask>>& into) -> boost::asio::awaitable<void> {
        into = co_await from.claim(std::move(what));
    };
    group.spawn(wait(*claimer, request, waited));
    EXPECT_TRUE(run_until(world.loop(), [&] { return claimer->waiting() == 1; }));
    set_lane(lane, "active");
    claimer->lanes().forget(lane);
    claimer->on_gap();
    run(world.loop(), group.join());
    ASSERT_TRUE(waited.has_value());
    EXPECT_EQ(waited->size(), 1U);
}

TEST_P(Ch06Claim, S43_LanesShareByTheirWeights) {
    auto claimer = world.claimer();
    const auto a = world.lane("a");
    const auto b = world.lane("b");
    set_lane(a, "active", "3");
    set_lane(b, "active", "1");
    constexpr int kTaken = 200;
    for (int i = 0; i < kTaken; ++i) {
        world.create(a);
        if (i % 2 == 0) world.create(b);
    }
    std::map<std::string, int> taken;
    for (int i = 0; i < kTaken / 2; ++i) {
        for (const LaneTask& task : claim(*claimer, world.request({a, b})))
            ++taken[task.lane.text()];
    }
    EXPECT_NEAR(taken[a.text()], 75, 1);
    EXPECT_NEAR(taken[b.text()], 25, 1);
}

TEST_P(Ch06Claim, S44_ASmallNamespaceIsNotDrownedByALargeOne) {
    auto claimer = world.claimer();
    const auto lane = world.lane("shared");
    constexpr int kLarge = 200;
    for (int i = 0; i < kLarge; ++i) {
        auto task = world.task(lane);
        task.ns = *model::Namespace::parse("x");
        world.create(std::move(task));
    }
    for (int i = 0; i < 5; ++i) {
        auto task = world.task(lane);
        task.ns = *model::Namespace::parse("y");
        world.create(std::move(task));
    }
    int of_y = 0;
    for (int batch = 0; batch < 4; ++batch) {
        const auto tasks = claim(*claimer, world.request({lane}, 16));
        EXPECT_EQ(tasks.size(), 16U);
        for (const LaneTask& task : tasks) of_y += task.task.ns == "y" ? 1 : 0;
    }
    EXPECT_EQ(of_y, 5);
}

TEST_P(Ch06Claim, S52_AnIdleClaimIsWokenByWorkAndPollsNothing) {
    auto claimer = world.claimer();
    WakeFeed feed(world, *claimer);
    const auto lane = world.lane("idle");
    sched::ClaimRequest request = world.request({lane});
    request.wait = Millis(20'000);
    Result<std::vector<LaneTask>> waited{std::vector<LaneTask>{}};
    std::chrono::steady_clock::time_point woken{};
    const auto wait =
        [](sched::Claimer& from, sched::ClaimRequest what, Result<std::vector<LaneTask>>& into,
           std::chrono::steady_clock::time_point& at) -> boost::asio::awaitable<void> {
        into = co_await from.claim(std::move(what));
        at = std::chrono::steady_clock::now();
    };
    TaskGroup group(world.loop().get_executor(), "waiter");
    group.spawn(wait(*claimer, request, waited, woken));
    ASSERT_TRUE(run_until(world.loop(), [&] { return claimer->waiting() == 1; }));
    const auto id = world.create(lane);
    run(world.loop(), group.join());
    ASSERT_TRUE(waited.has_value());
    ASSERT_EQ(waited->size(), 1U);
    EXPECT_EQ((*waited)[0].task.execution_id, id);
    EXPECT_EQ(feed.messages(), 1U);
}

TEST_P(Ch06Claim, S53_OneTaskWakesOneOfManyWaiters) {
    auto claimer = world.claimer();
    WakeFeed feed(world, *claimer);
    const auto lane = world.lane("crowd");
    constexpr std::size_t kWaiters = 100;
    std::size_t served = 0;
    std::size_t finished = 0;
    const auto wait = [](sched::Claimer& from, sched::ClaimRequest what, std::size_t& tasks,
                         std::size_t& done) -> boost::asio::awaitable<void> {
        auto got = co_await from.claim(std::move(what));
        if (got.has_value()) tasks += got->size();
        ++done;
    };
    TaskGroup group(world.loop().get_executor(), "waiters");
    for (std::size_t i = 0; i < kWaiters; ++i) {
        sched::ClaimRequest request = world.request({lane});
        request.wait = 6 * kPatience;
        group.spawn(wait(*claimer, request, served, finished));
    }
    // Before it waits, each looks into every partition: some 25,000 calls.
    ASSERT_TRUE(
        run_until(world.loop(), [&] { return claimer->waiting() == kWaiters; }, 3 * kPatience));
    for (std::size_t task = 1; task <= 3; ++task) {
        world.create(lane);
        ASSERT_TRUE(run_until(world.loop(), [&] { return served == task; }));
        EXPECT_EQ(finished, task);
        ASSERT_TRUE(run_until(world.loop(), [&] { return claimer->waiting() == kWaiters - task; }));
    }
    claimer->stop();
    run(world.loop(), group.join());
    EXPECT_EQ(served, 3U);
}

TEST_P(Ch06Claim, S55_WorkWhoseMessageWasLostIsFoundAfterAGap) {
    auto claimer = world.claimer();
    const auto lane = world.lane("lost");
    std::size_t served = 0;
    std::size_t finished = 0;
    const auto wait = [](sched::Claimer& from, sched::ClaimRequest what, std::size_t& tasks,
                         std::size_t& done) -> boost::asio::awaitable<void> {
        auto got = co_await from.claim(std::move(what));
        if (got.has_value()) tasks += got->size();
        ++done;
    };
    TaskGroup group(world.loop().get_executor(), "waiter");
    sched::ClaimRequest request = world.request({lane});
    request.wait = Millis(60'000);
    group.spawn(wait(*claimer, request, served, finished));
    ASSERT_TRUE(run_until(world.loop(), [&] { return claimer->waiting() == 1; }));
    world.create(lane);  // nobody forwards the message
    EXPECT_EQ(finished, 0U);
    claimer->on_gap();
    run(world.loop(), group.join());
    EXPECT_EQ(served, 1U);
}

TEST_P(Ch06Claim, S55_WithoutAnyMessageTheSweepFindsIt) {
    auto claimer = world.claimer({.sweep_interval = Millis(200)});
    const auto lane = world.lane("swept");
    std::size_t served = 0;
    std::size_t finished = 0;
    const auto wait = [](sched::Claimer& from, sched::ClaimRequest what, std::size_t& tasks,
                         std::size_t& done) -> boost::asio::awaitable<void> {
        auto got = co_await from.claim(std::move(what));
        if (got.has_value()) tasks += got->size();
        ++done;
    };
    TaskGroup group(world.loop().get_executor(), "waiter");
    sched::ClaimRequest request = world.request({lane});
    request.wait = Millis(60'000);
    group.spawn(wait(*claimer, request, served, finished));
    ASSERT_TRUE(run_until(world.loop(), [&] { return claimer->waiting() == 1; }));
    world.create(lane);
    run(world.loop(), group.join());
    EXPECT_EQ(served, 1U);
}

TEST_P(ClaimCycle, ARepeatedClaimGivesTheSameTasksAndNothingNew) {
    auto claimer = world.claimer();
    const auto lane = world.lane("repeat");
    for (int i = 0; i < 4; ++i) world.create(lane);
    sched::ClaimRequest request = world.request({lane}, 2);
    request.claim_id = "claim-" + GetParam();
    const auto first = claim(*claimer, request);
    ASSERT_EQ(first.size(), 2U);
    auto other_server = world.claimer();
    const auto again = claim(*other_server, request);
    ASSERT_EQ(again.size(), 2U);
    std::set<std::string> ids;
    for (const LaneTask& task : first) ids.insert(task.task.fence.lease_id.to_string());
    for (const LaneTask& task : again) {
        EXPECT_TRUE(ids.contains(task.task.fence.lease_id.to_string()));
        EXPECT_EQ(task.lane, lane);
    }
}

TEST_P(ClaimCycle, ARepeatedClaimThatFoundWorkElsewhereTakesNothingNewAtHome) {
    const auto lane = world.lane("away");
    // Work of a flow lives in the flow's partition, not in the lane's own.
    auto away = world.task(lane);
    away.execution_id =
        *model::ExecutionId::parse("{fp:3}:" + model::Uuid::mint_v4(world.random()).to_string());
    const auto id = world.create(std::move(away));
    auto claimer = world.claimer();
    sched::ClaimRequest request = world.request({lane});
    request.claim_id = "away-" + GetParam();
    const auto first = claim(*claimer, request);
    ASSERT_EQ(first.size(), 1U);
    EXPECT_EQ(first[0].task.execution_id, id);
    world.create(lane);
    auto other_server = world.claimer();
    const auto again = claim(*other_server, request);
    ASSERT_EQ(again.size(), 1U);
    EXPECT_EQ(again[0].task.execution_id, id);
}

TEST_P(ClaimCycle, ASpreadLaneIsServedFromAllItsPartitions) {
    const auto lane = world.lane("spread");
    const std::uint16_t home = world.partitioner().partition(lane, world.partitions());
    std::set<std::string> created;
    for (std::uint16_t i = 0; i < 12; ++i) {
        auto task = world.task(lane);
        task.execution_id =
            *model::ExecutionId::parse("{fp:" + std::to_string((home + i % 4) % 256) +
                                       "}:" + model::Uuid::mint_v4(world.random()).to_string());
        created.insert(world.create(std::move(task)).to_string());
    }
    auto claimer = world.claimer({.lane_spread = 4});
    std::set<std::string> claimed;
    for (int i = 0; i < 12; ++i) {
        for (const LaneTask& task : claim(*claimer, world.request({lane}))) {
            claimed.insert(task.task.execution_id.to_string());
        }
    }
    EXPECT_EQ(claimed, created);
}

TEST_P(ClaimCycle, WhatIsGivenBackIsClaimedAgainAsIfForTheFirstTime) {
    auto claimer = world.claimer();
    const auto lane = world.lane("back");
    world.create(lane);
    auto tasks = claim(*claimer, world.request({lane}));
    ASSERT_EQ(tasks.size(), 1U);
    const auto id = tasks[0].task.execution_id;
    const auto given = run(world.loop(), claimer->give_back(tasks));
    ASSERT_TRUE(given.has_value());
    EXPECT_EQ(world.core_field(id, "public_state"), "waiting");
    EXPECT_EQ(world.core_field(id, "current_lease_id"), "");
    EXPECT_EQ(world.core_field(id, "total_attempt_count"), "1");
    WakeFeed wakes(world, *claimer);
    claimer->on_gap();
    const auto again = claim(*claimer, world.request({lane}));
    ASSERT_EQ(again.size(), 1U);
    EXPECT_EQ(again[0].task.attempt_type, "initial");
    EXPECT_EQ(again[0].task.attempt_index, tasks[0].task.attempt_index);
}

TEST_P(ClaimCycle, CompletingAndClaimingIsOneAnswer) {
    auto claimer = world.claimer();
    const auto lane = world.lane("chain");
    for (int i = 0; i < 4; ++i) world.create(lane);
    const auto first = claim(*claimer, world.request({lane}, 2));
    ASSERT_EQ(first.size(), 2U);
    std::vector<engine::CompleteExecution> completions;
    for (const LaneTask& task : first) {
        completions.push_back({.execution_id = task.task.execution_id, .fence = task.task.fence});
    }
    completions.push_back({.execution_id = first[0].task.execution_id,
                           .fence = engine::Fence{.lease_id = model::LeaseId::mint(world.random()),
                                                  .lease_epoch = {1},
                                                  .attempt_id = first[0].task.fence.attempt_id}});
    const auto answer =
        run(world.loop(), claimer->complete_and_claim(world.request({lane}, 3), completions));
    ASSERT_EQ(answer.completed.size(), 3U);
    EXPECT_TRUE(answer.completed[0] && !answer.completed[0]->replayed);
    EXPECT_TRUE(answer.completed[1]);
    EXPECT_FALSE(answer.completed[2]);
    EXPECT_FALSE(answer.claim_error);
    EXPECT_EQ(answer.tasks.size(), 2U);
    completions.pop_back();
    auto only = world.request({lane}, 1);
    only.tasks_max = 0;
    const auto again = run(world.loop(), claimer->complete_and_claim(only, completions));
    EXPECT_TRUE(again.completed[0] && again.completed[0]->replayed);
    EXPECT_TRUE(again.tasks.empty());
}

TEST_P(ClaimCycle, AnAbandonedWaitEndsAtOnce) {
    auto claimer = world.claimer();
    auto request = world.request({world.lane("none")});
    request.wait = Millis(30'000);
    request.abandonment = std::make_shared<sched::Abandonment>();
    TaskGroup group(world.loop().get_executor(), "abandon");
    bool ended = false;
    const auto waiting = [](sched::Claimer& from, sched::ClaimRequest asked,
                            bool& done) -> boost::asio::awaitable<void> {
        const auto tasks = co_await from.claim(std::move(asked));
        done = tasks.has_value() && tasks->empty();
    };
    group.spawn(waiting(*claimer, request, ended));
    ASSERT_TRUE(run_until(world.loop(), [&] { return claimer->waiting() == 1; }));
    request.abandonment->abandon();
    ASSERT_TRUE(run_until(world.loop(), [&] { return ended; }, Millis(2'000)));
    run(world.loop(), group.join());
    EXPECT_EQ(claimer->waiting(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Hosts, ClaimCycle, ::testing::Values("embedded", "valkey", "cluster"),
                         [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(Hosts, Ch06Claim, ::testing::Values("embedded", "valkey", "cluster"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ff::testing
