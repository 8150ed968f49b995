#include "scan/pace.h"

#include <gtest/gtest.h>

#include "scan/options.h"

namespace ff::scan {
namespace {

TEST(Pace, WorksAQuarterOfAPercentOfTheTime) {
    EXPECT_EQ(Pace::rest_after(Millis(0)), Millis(0));
    EXPECT_EQ(Pace::rest_after(Millis(2)), Millis(798));
}

/// A store that answers late is busy, not broken: it is still looked through in finite time.
TEST(Pace, RestsNoLongerThanItsBound) {
    EXPECT_EQ(Pace::rest_after(Millis(6)), Pace::kRestMost);
    EXPECT_EQ(Pace::rest_after(Millis(60'000)), Pace::kRestMost);
}

TEST(Pace, OnlyUpkeepBeginsAsLateAsOneIntervalAfterTheStart) {
    const Options options;
    for (const KindFacts& facts : all_kinds()) {
        const bool upkeep = facts.kind == Kind::IndexReconciler;
        EXPECT_EQ(options.first_cycle_within(facts.kind),
                  upkeep ? facts.interval : std::min(facts.interval, Millis(500)))
            << facts.name;
    }
}

TEST(Pace, AShortIntervalBringsTheFirstCycleForward) {
    Options options;
    for (auto& interval : options.intervals) interval = Millis(150);
    EXPECT_EQ(options.first_cycle_within(Kind::IndexReconciler), Millis(150));
    EXPECT_EQ(options.first_cycle_within(Kind::LeaseExpiry), Millis(150));
}

}  // namespace
}  // namespace ff::scan
