#include "host/held_clock.h"

#include <gtest/gtest.h>

namespace ff::host {
namespace {

using namespace std::chrono_literals;

constexpr Timestamp kNoon{Millis(1'700'000'000'000)};

TEST(HeldClock, FollowsItsSourceForward) {
    ManualClock wall(kNoon);
    const HeldClock clock(wall);
    EXPECT_EQ(clock.now(), kNoon);
    wall.advance(1h);
    EXPECT_EQ(clock.now(), kNoon + 1h);
}

TEST(HeldClock, GoesOnFromWhereItWasWhenItsSourceIsSetBack) {
    ManualClock wall(kNoon);
    const HeldClock clock(wall);
    EXPECT_EQ(clock.now(), kNoon);
    wall.set(kNoon - 6h);
    EXPECT_EQ(clock.now(), kNoon);
    wall.advance(10s);
    EXPECT_EQ(clock.now(), kNoon + 10s);
    wall.set(kNoon - 7h);
    EXPECT_EQ(clock.now(), kNoon + 10s);
    wall.advance(5s);
    EXPECT_EQ(clock.now(), kNoon + 15s);
}

TEST(HeldClock, IsThatOfItsSourceAgainWhenThatHasCaughtUp) {
    ManualClock wall(kNoon);
    const HeldClock clock(wall);
    EXPECT_EQ(clock.now(), kNoon);
    wall.set(kNoon - 1h);
    EXPECT_EQ(clock.now(), kNoon);
    wall.set(kNoon + 1s);
    EXPECT_EQ(clock.now(), kNoon + 1s);
    wall.advance(1s);
    EXPECT_EQ(clock.now(), kNoon + 2s);
}

TEST(HeldClock, IsNotMovedOnByAReadingThatComesLate) {
    ManualClock wall(kNoon);
    const HeldClock clock(wall);
    for (Timestamp at = kNoon; at < kNoon + 10s; at += 1s) {
        wall.set(at);
        EXPECT_EQ(clock.now(), at);
        wall.set(at - 400ms);
        EXPECT_EQ(clock.now(), at);
    }
}

TEST(HeldClock, IsNotMovedOnByALateReadingWhileItsSourceIsBehind) {
    ManualClock wall(kNoon);
    const HeldClock clock(wall);
    EXPECT_EQ(clock.now(), kNoon);
    wall.set(kNoon - 6h);
    EXPECT_EQ(clock.now(), kNoon);
    wall.set(kNoon - 6h - 400ms);
    EXPECT_EQ(clock.now(), kNoon);
    wall.set(kNoon - 6h + 10s);
    EXPECT_EQ(clock.now(), kNoon + 10s);
}

TEST(HeldClock, BeginsNoEarlierThanItIsTold) {
    ManualClock wall(kNoon);
    HeldClock clock(wall);
    clock.raise((kNoon + 1h).time_since_epoch());
    EXPECT_EQ(clock.now(), kNoon + 1h);
    wall.advance(1s);
    EXPECT_EQ(clock.now(), kNoon + 1h + 1s);
}

}  // namespace
}  // namespace ff::host
