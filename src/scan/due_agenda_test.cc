#include "scan/due_agenda.h"

#include <gtest/gtest.h>

#include "scan/options.h"
#include "scan/scanner.h"

namespace ff::scan {
namespace {

Timestamp at(std::int64_t ms) {
    return timestamp_from_ms(ms);
}

TEST(DueAgenda, GivesPlacesInTheOrderOfTheirTimes) {
    DueAgenda agenda;
    EXPECT_EQ(agenda.next(), std::nullopt);
    agenda.set({.partition = 1}, at(30));
    agenda.set({.partition = 2}, at(10));
    agenda.set({.partition = 2, .lane = "a"}, at(20));
    EXPECT_EQ(agenda.next(), at(10));
    const std::vector<DuePlace> due = agenda.take_due(at(20));
    ASSERT_EQ(due.size(), 2U);
    EXPECT_EQ(due[0], (DuePlace{.partition = 2}));
    EXPECT_EQ(due[1], (DuePlace{.partition = 2, .lane = "a"}));
    EXPECT_EQ(agenda.next(), at(30));
    EXPECT_TRUE(agenda.take_due(at(29)).empty());
}

TEST(DueAgenda, BelievesANearerTimeButNotALaterOne) {
    DueAgenda agenda;
    agenda.set({.partition = 1}, at(30));
    agenda.hear({.partition = 1}, at(40));
    EXPECT_EQ(agenda.next(), at(30));
    agenda.hear({.partition = 1}, at(20));
    EXPECT_EQ(agenda.next(), at(20));
    // Whoever has looked knows better.
    agenda.set({.partition = 1}, at(50));
    EXPECT_EQ(agenda.next(), at(50));
    agenda.set({.partition = 1}, std::nullopt);
    EXPECT_EQ(agenda.next(), std::nullopt);
    EXPECT_EQ(agenda.size(), 0U);
}

TEST(Announcement, NamesIndexPartitionTimeAndLane) {
    const auto short_one = Announcement::parse("lease_expiry {fp:7} 1700000000123");
    ASSERT_TRUE(short_one.has_value());
    EXPECT_EQ(short_one->index, "lease_expiry");
    EXPECT_EQ(short_one->partition, model::PartitionKey::flow(7));
    EXPECT_EQ(short_one->at, at(1'700'000'000'123));
    EXPECT_EQ(short_one->lane, "");
    const auto with_lane = Announcement::parse("delayed {fp:7} 5 lane-a");
    ASSERT_TRUE(with_lane.has_value());
    EXPECT_EQ(with_lane->lane, "lane-a");
    for (const std::string_view bad :
         {"", "delayed", "delayed {fp:7}", "delayed fp:7 5", "delayed {fp:7} soon",
          "delayed {fp:7} 99999999999999999999", "delayed {fp:7} 5 a b"}) {
        EXPECT_FALSE(Announcement::parse(bad).has_value()) << bad;
    }
}

TEST(Shard, IsAPartOfAll) {
    const auto half = Shard::parse("1/2");
    ASSERT_TRUE(half.has_value());
    EXPECT_TRUE(half->has(7));
    EXPECT_FALSE(half->has(8));
    for (const std::string_view bad : {"", "1", "2/2", "0/0", "-1/2", "a/b", "0/65536", "0/1/2"}) {
        EXPECT_FALSE(Shard::parse(bad).has_value()) << bad;
    }
}

TEST(Intervals, HaveTheirDefaultsAndALeastValue) {
    Options options;
    EXPECT_EQ(options.interval(Kind::LeaseExpiry), Millis(1'500));
    EXPECT_EQ(options.interval(Kind::LaneCounts), Millis(30'000));
    options.intervals[static_cast<std::size_t>(Kind::LeaseExpiry)] = Millis(5);
    EXPECT_EQ(options.interval(Kind::LeaseExpiry), Millis(100));
    for (std::size_t i = 0; i < all_kinds().size(); ++i) {
        EXPECT_EQ(static_cast<std::size_t>(all_kinds()[i].kind), i);
    }
    EXPECT_EQ(all_kinds().size(), options.intervals.size());
}

}  // namespace
}  // namespace ff::scan
