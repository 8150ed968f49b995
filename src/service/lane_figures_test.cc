#include "service/lane_figures.h"

#include <gtest/gtest.h>

namespace ff::service {
namespace {

constexpr std::int64_t kStart = 1'800'000'000'000;

Timestamp after_spans(int spans) {
    return timestamp_from_ms(kStart) + spans * LaneFigures::kSpan;
}

TEST(LaneFigures, BeginsWithTheServerAndHoldsAnHour) {
    LaneFigures figures(after_spans(0));
    EXPECT_EQ(figures.points("never", after_spans(0)).size(), 1U);
    figures.ended("a", 3, 1, after_spans(0));
    figures.ended("a", 2, 0, after_spans(0) + Millis(29'999));
    figures.ended("a", 7, 0, after_spans(2));
    const std::vector<LanePoint> young = figures.points("a", after_spans(2));
    ASSERT_EQ(young.size(), 3U);
    EXPECT_EQ(figures.from(after_spans(2)), after_spans(0));
    EXPECT_EQ(young[0].completed, 5);
    EXPECT_EQ(young[0].failed, 1);
    EXPECT_EQ(young[1].completed, 0);
    EXPECT_EQ(young[2].completed, 7);
    // An hour later the first spans are gone; their places are used again.
    const std::vector<LanePoint> old = figures.points("a", after_spans(121));
    ASSERT_EQ(old.size(), LaneFigures::kPointsMax);
    EXPECT_EQ(figures.from(after_spans(121)), after_spans(2));
    EXPECT_EQ(old[0].completed, 7);
    figures.ended("a", 1, 0, after_spans(122));
    EXPECT_EQ(figures.points("a", after_spans(122)).back().completed, 1);
    EXPECT_EQ(figures.points("a", after_spans(122)).front().completed, 0);
}

TEST(LaneFigures, ASpanWithoutACountHasThatOfTheOneBefore) {
    LaneFigures figures(after_spans(0));
    figures.counted("a", 5, 2, after_spans(0));
    figures.ended("a", 1, 0, after_spans(2));
    const std::vector<LanePoint> points = figures.points("a", after_spans(3));
    ASSERT_EQ(points.size(), 4U);
    EXPECT_EQ(points[1].waiting, 5);
    EXPECT_EQ(points[2].running, 2);
    EXPECT_EQ(points[2].completed, 1);
    EXPECT_EQ(points[3].waiting, 5);
    figures.counted("a", 0, 0, after_spans(3));
    EXPECT_EQ(figures.points("a", after_spans(3)).back().waiting, 0);
}

TEST(LaneFigures, KeepsNoMoreLanesThanItSays) {
    LaneFigures figures(after_spans(0));
    for (std::size_t i = 0; i <= LaneFigures::kLanesMax; ++i)
        figures.ended("lane" + std::to_string(i), 1, 0, after_spans(0));
    const std::string last = "lane" + std::to_string(LaneFigures::kLanesMax);
    EXPECT_EQ(figures.points("lane0", after_spans(0)).front().completed, 1);
    EXPECT_EQ(figures.points(last, after_spans(0)).front().completed, 0);
}

TEST(LaneFigures, AClockThatWasSetBackLeavesAPoint) {
    const LaneFigures figures(after_spans(10));
    EXPECT_EQ(figures.points("a", after_spans(4)).size(), 1U);
}

}  // namespace
}  // namespace ff::service
