#include "sched/wake_board.h"

#include <gtest/gtest.h>

namespace ff::sched {
namespace {

using Partitions = std::vector<std::uint16_t>;
using Waiters = std::vector<WakeBoard::WaiterId>;

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
