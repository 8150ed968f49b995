#include "base/time.h"

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/deadline.h"

namespace ff {
namespace {

TEST(Time, TimestampsAreWholeMillisecondsSinceTheEpoch) {
    EXPECT_EQ(to_ms(timestamp_from_ms(1700000000123)), 1700000000123);
    EXPECT_EQ(to_string(timestamp_from_ms(-5)), "-5");
    EXPECT_EQ(timestamp_from_ms(1000) + Millis(500), timestamp_from_ms(1500));
}

TEST(Time, AClockShowsTheMillisecondThatHasBegun) {
    ManualClock clock(timestamp_from_ms(1000));
    clock.advance(std::chrono::microseconds(999));
    EXPECT_EQ(clock.now(), timestamp_from_ms(1000));
    EXPECT_EQ(clock.now_us().count(), 1000999);
    clock.advance(std::chrono::microseconds(1));
    EXPECT_EQ(clock.now(), timestamp_from_ms(1001));
    clock.set(timestamp_from_ms(5));
    EXPECT_EQ(clock.now(), timestamp_from_ms(5));
}

TEST(Time, TheSystemClockIsThatOfThisCentury) {
    const SystemClock clock;
    EXPECT_GT(clock.now(), timestamp_from_ms(1600000000000));
    EXPECT_LT(clock.now(), timestamp_from_ms(4102444800000));
}

TEST(Deadline, PassesOnceAndNeverGoesNegative) {
    const Deadline passed = Deadline::after(std::chrono::milliseconds(0));
    EXPECT_TRUE(passed.passed());
    EXPECT_EQ(passed.remaining(), SteadyClock::duration::zero());
    EXPECT_FALSE(Deadline::after(std::chrono::hours(1)).passed());
    EXPECT_TRUE(Deadline::never().is_never());
    EXPECT_FALSE(Deadline::never().passed());
}

}  // namespace
}  // namespace ff
