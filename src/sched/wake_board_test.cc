#include "sched/wake_board.h"

#include <chrono>

#include <gtest/gtest.h>

namespace ff::sched {
namespace {

using Partitions = std::vector<std::uint16_t>;
using Waiters = std::vector<WakeBoard::WaiterId>;

TEST(WakeBoard, Repair_22_AMessageWithAKindIsForThoseWhoAskForItAndOneWithoutForTheOthers) {
    WakeBoard board(4);
    const std::vector<std::string> names = {"mail", "bill"};
    const auto kinds = model::KindSet::parse(names);
    ASSERT_TRUE(kinds.has_value());
    const auto any = WakeBoard::group_key({"a"}, "", "");
    const auto some = WakeBoard::group_key({"a"}, "", "", *kinds);
    for (const auto& group : {any, some}) {
        for (std::uint16_t p = 0; p < 4; ++p) board.found_empty(group, "a", p, board.news(group));
    }
    const auto takes_all = board.wait(any);
    const auto takes_some = board.wait(some);
    EXPECT_EQ(board.on_wake("a", 1, "other"), Waiters());
    EXPECT_EQ(board.on_wake("a", 1, "mail"), Waiters({takes_some}));
    EXPECT_TRUE(board.is_maybe(some, "a", 1));
    EXPECT_FALSE(board.is_maybe(any, "a", 1));
    const auto waits_on = board.wait(some);
    EXPECT_EQ(board.on_wake("a", 2), Waiters({takes_all}));
    EXPECT_FALSE(board.is_maybe(some, "a", 2)) << "it is told of its own kinds";
    EXPECT_EQ(board.on_wake("a", 2, "bill"), Waiters({waits_on}));
}

TEST(WakeBoard, LooksEverywhereFirstAndThenOnlyWhereWorkMayBe) {
    WakeBoard board(4);
    const auto group = WakeBoard::group_key({"a"}, "", "");
    EXPECT_EQ(board.maybe(group, "a", 2), Partitions({2, 3, 0, 1}));
    for (const std::uint16_t p : Partitions({0, 1, 3}))
        board.found_empty(group, "a", p, board.news(group));
    EXPECT_EQ(board.maybe(group, "a", 2), Partitions({2}));
    board.on_wake("a", 1);
    EXPECT_EQ(board.maybe(group, "a", 0), Partitions({1, 2}));
    board.on_wake("b", 3);
    EXPECT_FALSE(board.is_maybe(group, "a", 3));
    board.on_gap();
    EXPECT_EQ(board.maybe(group, "a", 0).size(), 4U);
}

TEST(WakeBoard, OneMessageWakesTheLongestWaitingOfEachGroup) {
    WakeBoard board(2);
    const auto plain = WakeBoard::group_key({"a"}, "", "");
    const auto gpu = WakeBoard::group_key({"a", "b"}, "gpu", "");
    board.maybe(plain, "a", 0);
    board.maybe(gpu, "a", 0);
    const auto first = board.wait(plain);
    const auto second = board.wait(plain);
    const auto third = board.wait(gpu);
    EXPECT_EQ(board.on_wake("a", 0).size(), 2U);
    EXPECT_EQ(board.on_wake("a", 0), Waiters({second}));
    EXPECT_EQ(board.on_wake("a", 0), Waiters());
    for (const auto waiter : {first, second, third}) board.leave(waiter);
    EXPECT_EQ(board.waiting(), 0U);
}

TEST(WakeBoard, OfAllGroupsTheLongestWaitingComesFirst) {
    WakeBoard board(1);
    std::vector<WakeBoard::GroupKey> groups;
    for (int i = 0; i < 8; ++i)
        groups.push_back(WakeBoard::group_key({"a"}, std::to_string(i), ""));
    for (const auto& group : groups) board.maybe(group, "a", 0);
    Waiters waiting;
    for (auto group = groups.rbegin(); group != groups.rend(); ++group)
        waiting.push_back(board.wait(*group));
    EXPECT_EQ(board.on_wake("a", 0), waiting);
}

TEST(WakeBoard, WhatWasFoundEmptyBeforeTheNewsIsNotEmpty) {
    WakeBoard board(1);
    const auto group = WakeBoard::group_key({"a"}, "", "");
    board.maybe(group, "a", 0);
    const auto known = board.news(group);
    board.on_wake("a", 0);
    EXPECT_NE(board.news(group), known);
    board.found_empty(group, "a", 0, known);
    EXPECT_TRUE(board.is_maybe(group, "a", 0));
}

TEST(WakeBoard, AWaiterThatLeftIsNotWoken) {
    WakeBoard board(1);
    const auto group = WakeBoard::group_key({"a"}, "", "");
    board.maybe(group, "a", 0);
    const auto gone = board.wait(group);
    const auto stays = board.wait(group);
    board.leave(gone);
    board.leave(gone);
    EXPECT_EQ(board.next_waiter(group), Waiters({stays}));
    EXPECT_EQ(board.next_waiter(group), Waiters());
}

/// A walk over everybody who waits, for each who goes, would take minutes here.
TEST(WakeBoard, WakingOneCostsTheSameHoweverManyWait) {
    constexpr std::size_t kMany = 100'000;
    constexpr std::chrono::seconds kFarLessThanAWalkTakes{10};
    WakeBoard board(1);
    const auto together = WakeBoard::group_key({"a"}, "", "");
    board.maybe(together, "a", 0);
    for (std::size_t i = 0; i < kMany; ++i) board.wait(together);
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < kMany; ++i) {
        const Waiters woken = board.on_wake("a", 0);
        ASSERT_EQ(woken.size(), 1U);
        board.leave(woken.front());
    }
    EXPECT_LT(std::chrono::steady_clock::now() - start, kFarLessThanAWalkTakes);
    EXPECT_EQ(board.waiting(), 0U);
}

TEST(WakeBoard, AMessageReachesTheGroupsOfItsLaneAlone) {
    constexpr int kMany = 20'000;
    constexpr std::chrono::seconds kFarLessThanAWalkTakes{10};
    WakeBoard board(1);
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kMany; ++i) {
        const std::string lane = "lane" + std::to_string(i);
        const auto group = WakeBoard::group_key({lane}, "", "");
        board.maybe(group, lane, 0);
        board.wait(group);
    }
    for (int i = 0; i < kMany; ++i) {
        EXPECT_EQ(board.on_wake("lane" + std::to_string(i), 0).size(), 1U);
    }
    EXPECT_LT(std::chrono::steady_clock::now() - start, kFarLessThanAWalkTakes);
}

TEST(WakeBoard, AGroupNobodyWaitsInMakesRoomAndIsLearnedAnew) {
    WakeBoard board(1);
    const auto old = WakeBoard::group_key({"old"}, "", "");
    board.found_empty(old, "old", 0, board.news(old));
    const auto waiter = board.wait(old);
    EXPECT_EQ(board.next_waiter(old), Waiters({waiter}));
    for (int i = 0; i < 1100; ++i)
        board.maybe(WakeBoard::group_key({std::to_string(i)}, "", ""), "x", 0);
    EXPECT_EQ(board.on_wake("old", 0), Waiters());
    board.leave(waiter);
    EXPECT_TRUE(board.is_maybe(old, "old", 0));
}

TEST(WakeBoard, GroupsAreTheSameInWhateverOrderTheLanesAre) {
    EXPECT_EQ(WakeBoard::group_key({"b", "a"}, "x", "n"),
              WakeBoard::group_key({"a", "b"}, "x", "n"));
    EXPECT_NE(WakeBoard::group_key({"a"}, "x", ""), WakeBoard::group_key({"a"}, "", "x"));
}

TEST(WakeBoard, AMessageOfAForeignPartitionIsIgnored) {
    WakeBoard board(1);
    EXPECT_EQ(board.on_wake("a", 7), Waiters());
}

}  // namespace
}  // namespace ff::sched
