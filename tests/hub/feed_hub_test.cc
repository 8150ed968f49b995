#include "hub/feed_hub.h"

#include <gtest/gtest.h>

#include "base/task_group.h"
#include "engine/end_execution.h"
#include "hub/attempts.h"
#include "model/index_keys.h"

namespace ff::testing {
namespace {

using hub::FeedEvent;
using hub::FeedFamily;
using hub::FeedPage;
using hub::FeedSubscription;

/// Each test has a store of its own: feeds belong to all of it.
class FeedTest : public ::testing::TestWithParam<std::string> {
  protected:
    void TearDown() override { run(world.loop(), feeds.stop()); }

    /// An execution in that partition that ended at once.
    model::ExecutionId end_one(std::uint16_t partition, const std::string& ns = "acme",
                               std::string tags_json = {}) {
        engine::CreateExecution task = world.task(world.lane("a"));
        task.execution_id =
            *model::ExecutionId::parse("{fp:" + std::to_string(partition) +
                                       "}:" + model::Uuid::mint_v4(world.random()).to_string());
        task.ns = *model::Namespace::parse(ns);
        task.tags_json = std::move(tags_json);
        const model::ExecutionId id = world.create(std::move(task));
        world.must(engine::CancelExecution{.execution_id = id, .reason = "test"});
        return id;
    }
    /// So many of them, with tags.
    void end_many(std::uint16_t partition, std::uint64_t count) {
        std::vector<engine::CreateExecution> tasks;
        std::vector<engine::CancelExecution> ends;
        for (std::uint64_t i = 0; i < count; ++i) {
            engine::CreateExecution task = world.task(world.lane("a"));
            task.execution_id =
                *model::ExecutionId::parse("{fp:" + std::to_string(partition) +
                                           "}:" + model::Uuid::mint_v4(world.random()).to_string());
            task.tags_json = R"({"team":"red"})";
            ends.push_back({.execution_id = task.execution_id, .reason = "test"});
            tasks.push_back(std::move(task));
        }
        const auto created = run(world.loop(), engine::run_all(world.store(), std::move(tasks)));
        for (const auto& outcome : created) ASSERT_TRUE(outcome.has_value());
        const auto ended = run(world.loop(), engine::run_all(world.store(), std::move(ends)));
        for (const auto& outcome : ended) ASSERT_TRUE(outcome.has_value());
    }
    FeedPage next(FeedSubscription& subscription, Millis wait = Millis(10'000),
                  std::size_t events_max = 100) {
        const Deadline until = Deadline::after(wait);
        auto page = run(world.loop(), feeds.next(subscription, events_max, until), Millis(60'000));
        EXPECT_TRUE(page.has_value()) << page.error().text();
        return page.has_value() ? *std::move(page) : FeedPage{};
    }
    FeedSubscription from_now(hub::FeedFilter filter) {
        auto cursor = run(world.loop(), feeds.now(filter));
        EXPECT_TRUE(cursor.has_value());
        return {std::move(filter), *std::move(cursor)};
    }
    /// All events until so many are there.
    std::vector<FeedEvent> collect(FeedSubscription& subscription, std::size_t count) {
        std::vector<FeedEvent> all;
        while (all.size() < count) {
            FeedPage page = next(subscription);
            if (page.events.empty()) break;
            for (FeedEvent& event : page.events) all.push_back(std::move(event));
        }
        return all;
    }
    std::string events_key(std::uint16_t partition) { return model::IndexKeys(partition).events(); }

    World world{GetParam()};
    hub::FeedHub feeds{world.loop().get_executor(), world.store(), {}};
};

class Ch04Feeds : public FeedTest {};

TEST_P(Ch04Feeds, S46_OneSubscriptionSeesAllPartitions) {
    end_one(7);
    FeedSubscription subscription = from_now({.families = {FeedFamily::Completion}});
    const model::ExecutionId first = end_one(3);
    const model::ExecutionId second = end_one(200);
    const std::vector<FeedEvent> events = collect(subscription, 2);
    ASSERT_EQ(events.size(), 2U);
    EXPECT_EQ(events[0].entry.field("execution_id"), first.to_string());
    EXPECT_EQ(events[1].entry.field("execution_id"), second.to_string());
    EXPECT_EQ(events[1].entry.field("outcome"), "cancelled");
    EXPECT_TRUE(events[1].event_id().starts_with("completion/200/"));
    EXPECT_TRUE(next(subscription, Millis(0)).events.empty());
}

boost::asio::awaitable<void> next_into(hub::FeedHub& feeds, FeedSubscription& subscription,
                                       std::optional<Result<FeedPage>>& out) {
    Result<FeedPage> page = co_await feeds.next(subscription, 100, Deadline::after(Millis(30'000)));
    out.emplace(std::move(page));
}

TEST_P(Ch04Feeds, S46_AWaitingSubscriptionIsWoken) {
    FeedSubscription subscription = from_now({.families = {FeedFamily::Completion}});
    TaskGroup group(world.loop().get_executor(), "waiting");
    std::optional<Result<FeedPage>> page;
    group.spawn(next_into(feeds, subscription, page));
    EXPECT_FALSE(run_until(world.loop(), [&] { return page.has_value(); }, Millis(50)));
    const model::ExecutionId id = end_one(99);
    ASSERT_TRUE(run_until(world.loop(), [&] { return page.has_value(); }));
    ASSERT_TRUE(page->has_value());
    ASSERT_EQ((*page)->events.size(), 1U);
    EXPECT_EQ((*page)->events.front().entry.field("execution_id"), id.to_string());
}

TEST_P(Ch04Feeds, S47_ResumingFromACursorMissesNothing) {
    FeedSubscription subscription = from_now({.families = {FeedFamily::Completion}});
    for (int i = 0; i < 6; ++i) end_one(static_cast<std::uint16_t>(i % 2));
    const FeedPage first = next(subscription, Millis(10'000), 2);
    ASSERT_EQ(first.events.size(), 2U);
    const auto cursor = hub::FeedCursor::parse(first.cursor.to_string());
    ASSERT_TRUE(cursor.has_value());
    FeedSubscription again({.families = {FeedFamily::Completion}}, *cursor);
    FeedSubscription continued = subscription;
    const std::vector<FeedEvent> rest = collect(again, 4);
    const std::vector<FeedEvent> same = collect(continued, 4);
    ASSERT_EQ(rest.size(), 4U);
    ASSERT_EQ(same.size(), 4U);
    for (std::size_t i = 0; i < rest.size(); ++i) {
        EXPECT_EQ(rest[i].event_id(), same[i].event_id());
        EXPECT_NE(rest[i].event_id(), first.events[0].event_id());
        EXPECT_NE(rest[i].event_id(), first.events[1].event_id());
    }
}

TEST_P(Ch04Feeds, S48_WhatIsLostIsTold) {
    FeedSubscription subscription =
        from_now({.families = {FeedFamily::Completion}, .partition = 12});
    for (int i = 0; i < 8; ++i) end_one(12);
    world.command({"DEL", events_key(12)});
    for (const char* id : {"9000000000000-6", "9000000000000-7", "9000000000001-8"}) {
        world.command({"XADD", events_key(12), id, "family", "completion"});
    }
    const hub::FeedCursor old = subscription.cursor();
    const FeedPage page = next(subscription);
    ASSERT_EQ(page.gaps.size(), 1U);
    EXPECT_EQ(page.gaps.front().lost, 5U);
    EXPECT_EQ(page.events.size(), 3U);

    world.command({"DEL", events_key(12)});
    FeedSubscription emptied({.families = {FeedFamily::Completion}, .partition = 12}, old);
    const FeedPage nothing = next(emptied);
    ASSERT_EQ(nothing.gaps.size(), 1U);
    EXPECT_EQ(nothing.gaps.front().lost, 8U);
    EXPECT_TRUE(next(emptied, Millis(0)).gaps.empty());

    world.command({"DEL", model::IndexKeys(12).feed_seq()});
    end_one(12);
    FeedSubscription reset({.families = {FeedFamily::Completion}, .partition = 12}, page.cursor);
    const FeedPage anew = next(reset);
    ASSERT_EQ(anew.gaps.size(), 1U);
    EXPECT_FALSE(anew.gaps.front().lost.has_value());
    EXPECT_EQ(collect(reset, 1).size(), 1U);
}

TEST_P(Ch04Feeds, S49_FilteredEventsPassUnseen) {
    FeedSubscription of_a = from_now({.families = {FeedFamily::Completion}, .ns = "a"});
    FeedSubscription tagged =
        from_now({.families = {FeedFamily::Completion}, .tags = {{"team", "red"}}});
    end_one(4, "b");
    EXPECT_TRUE(next(of_a, Millis(0)).events.empty());
    EXPECT_GT(of_a.cursor().at({.partition = 4}).n, 0U);
    end_one(4, "a", R"({"team":"blue"})");
    const model::ExecutionId red = end_one(4, "b", R"({"team":"red"})");
    ASSERT_EQ(collect(of_a, 1).size(), 1U);
    const std::vector<FeedEvent> found = collect(tagged, 1);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found.front().entry.field("execution_id"), red.to_string());
}

boost::asio::awaitable<void> count_events(hub::FeedHub& feeds, FeedSubscription& subscription,
                                          std::size_t& count) {
    const auto page = co_await feeds.next(subscription, 10, Deadline::after(Millis(20'000)));
    if (page.has_value()) count += page->events.size();
}

TEST_P(Ch04Feeds, S49_AnEventCostsOneLookUpOfTags) {
    constexpr std::size_t kSubscribers = 500;
    std::vector<std::unique_ptr<FeedSubscription>> all;
    for (std::size_t i = 0; i < kSubscribers; ++i)
        all.push_back(std::make_unique<FeedSubscription>(
            from_now({.families = {FeedFamily::Completion},
                      .partition = 4,
                      .tags = {{"team", i % 2 == 0 ? "red" : "blue"}}})));
    std::size_t seen = 0;
    TaskGroup group(world.loop().get_executor(), "subscribers");
    for (const auto& subscription : all) group.spawn(count_events(feeds, *subscription, seen));
    const std::uint64_t before = feeds.tag_reads();
    end_one(4, "a", R"({"team":"red"})");
    ASSERT_TRUE(run_until(world.loop(), [&] { return seen == kSubscribers / 2; }));
    EXPECT_LE(feeds.tag_reads() - before, 1U);
    end_one(4, "a", R"({"team":"blue"})");
    run(world.loop(), group.join());
    EXPECT_EQ(seen, kSubscribers);
    EXPECT_LE(feeds.tag_reads() - before, 2U);
}

TEST_P(Ch04Feeds, S48_AFeedIsCutToItsCapAndItsIdsGrow) {
    constexpr std::int64_t kCap = 4'000;
    constexpr std::int64_t kStep = 128;
    constexpr std::uint64_t kEvents = 20'000;
    // Two events each: its tags, and its end.
    for (int i = 0; i < 20; ++i) end_many(9, kEvents / 40);
    const auto length = world.command({"XLEN", events_key(9)}).to_integer();
    EXPECT_GE(*length, kCap);
    // A Valkey cuts whole nodes of 100 entries.
    EXPECT_LE(*length, kCap + kStep + 100);
    FeedSubscription all(
        {.families = {FeedFamily::Completion, FeedFamily::InstanceTags}, .partition = 9}, {});
    std::uint64_t last = 0;
    for (const FeedEvent& event : collect(all, static_cast<std::size_t>(*length))) {
        if (last > 0) {
            EXPECT_EQ(event.entry.id.n, last + 1);
        }
        last = event.entry.id.n;
    }
    EXPECT_EQ(last, kEvents);

    // The newest entry is of a clock that has stepped back since.
    const std::string ahead = "9000000000000-" + std::to_string(kEvents + 1);
    world.command({"HSET", model::IndexKeys(9).feed_seq(), "events", std::to_string(kEvents + 1)});
    world.command({"XADD", events_key(9), ahead, "family", "completion"});
    end_one(9);
    const std::vector<FeedEvent> later = collect(all, 2);
    ASSERT_EQ(later.size(), 2U);
    EXPECT_EQ(later[1].entry.id.n, kEvents + 2);
    EXPECT_EQ(later[1].entry.id.ms, 9'000'000'000'000U);
}

/// What is written between the two reads of a first look is no loss.
TEST_P(Ch04Feeds, S48_WhatComesWhileLookingIsNotLost) {
    for (int i = 0; i < 50; ++i) {
        FeedSubscription subscription =
            from_now({.families = {FeedFamily::Completion}, .partition = 12});
        std::size_t seen = 0;
        TaskGroup group(world.loop().get_executor(), "subscriber");
        group.spawn(count_events(feeds, subscription, seen));
        end_one(12);
        run(world.loop(), group.join());
        ASSERT_EQ(seen, 1U);
    }
}

TEST_P(Ch04Feeds, S53_FamiliesAreTakenApart) {
    FeedSubscription all = from_now(
        {.families = {FeedFamily::Completion, FeedFamily::LeaseHistory, FeedFamily::InstanceTags}});
    end_one(4, "a", R"({"team":"blue"})");
    const std::vector<FeedEvent> events = collect(all, 2);
    ASSERT_EQ(events.size(), 2U);
    EXPECT_EQ(events[0].family, FeedFamily::InstanceTags);
    EXPECT_EQ(events[0].entry.field("+team"), "blue");
    EXPECT_EQ(events[1].family, FeedFamily::Completion);
    const auto earlier = run(world.loop(), feeds.since(all.filter(), Timestamp{}));
    ASSERT_TRUE(earlier.has_value());
    FeedSubscription from_start(all.filter(), *earlier);
    EXPECT_EQ(collect(from_start, 2).size(), 2U);
}

INSTANTIATE_TEST_SUITE_P(Hosts, Ch04Feeds, ::testing::Values("embedded", "valkey", "cluster"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ff::testing
