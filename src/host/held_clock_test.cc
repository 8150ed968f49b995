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
    clock.resume((kNoon + 1h).time_since_epoch());
    EXPECT_EQ(clock.now(), kNoon + 1h);
    wall.advance(1s);
    EXPECT_EQ(clock.now(), kNoon + 1h + 1s);
}

/// Time that passes whatever the wall says.
std::chrono::microseconds passed{1h};

/// A store that has been in use for a moment, on a machine whose clock somebody sets.
class DoubtingClock : public testing::Test {
  protected:
    DoubtingClock() { EXPECT_EQ(clock_.now(), kNoon); }

    void pass(std::chrono::microseconds span) {
        wall_.advance(span);
        passed += span;
    }
    /// As a store does that is in use.
    void pass_reading(std::chrono::seconds span) {
        for (std::chrono::seconds done{0}; done < span; ++done) {
            pass(1s);
            clock_.now();
        }
    }
    std::chrono::microseconds lease_time() const { return clock_.lease_time(clock_.now_us()); }

    ManualClock wall_{kNoon};
    HeldClock clock_{wall_,
                     {.jump_max = 10min, .grace = 5min, .lease_grace_max = 30s, .elapsed = [] {
                          return passed;
                      }}};
};

TEST_F(DoubtingClock, FollowsTimeThatPassed) {
    pass(9h);
    EXPECT_EQ(clock_.now(), kNoon + 9h);
    EXPECT_FALSE(clock_.hold().has_value());
}

TEST_F(DoubtingClock, FollowsASmallJump) {
    wall_.advance(10min);
    EXPECT_EQ(clock_.now(), kNoon + 10min);
    EXPECT_FALSE(clock_.hold().has_value());
}

TEST_F(DoubtingClock, GoesOnWithoutALargeJumpUntilTheGraceIsOver) {
    pass_reading(10s);
    wall_.advance(30h);
    EXPECT_EQ(clock_.now(), kNoon + 10s);
    pass_reading(299s);
    EXPECT_EQ(clock_.now(), kNoon + 309s);
    ASSERT_TRUE(clock_.hold().has_value());
    EXPECT_EQ(clock_.hold()->leap, 30h);
    EXPECT_EQ(clock_.hold()->left, 1s);
    EXPECT_FALSE(clock_.hold()->over_restart);
    pass(1s);
    EXPECT_EQ(clock_.now(), kNoon + 310s + 30h);
    EXPECT_FALSE(clock_.hold().has_value());
}

TEST_F(DoubtingClock, NeverSawAJumpThatWasTakenBackInTime) {
    wall_.advance(30h);
    pass_reading(60s);
    wall_.advance(-30h);
    pass_reading(60s);
    EXPECT_EQ(clock_.now(), kNoon + 120s);
    EXPECT_FALSE(clock_.hold().has_value());
    // The next one has a grace of its own.
    wall_.advance(1h);
    pass_reading(299s);
    EXPECT_EQ(clock_.now(), kNoon + 419s);
}

TEST_F(DoubtingClock, LetsAClockBeRightAgainThatWasSetBack) {
    wall_.advance(-3h);
    pass_reading(10s);
    wall_.advance(3h);
    pass_reading(10s);
    EXPECT_EQ(clock_.now(), kNoon + 20s);
    EXPECT_FALSE(clock_.hold().has_value());
}

TEST_F(DoubtingClock, GoesOnWithoutAJumpThatSetsAClockRightInPart) {
    wall_.advance(-3h);
    pass_reading(10s);
    wall_.advance(2h);
    pass_reading(10s);
    // Nobody knows of the second in which it was set back.
    EXPECT_EQ(clock_.now(), kNoon + 19s);
    wall_.advance(1h);
    pass_reading(10s);
    EXPECT_EQ(clock_.now(), kNoon + 30s);
    EXPECT_FALSE(clock_.hold().has_value());
}

TEST_F(DoubtingClock, JudgesLeasesByTheTimeBeforeALeapForAsLongAsItWas) {
    pass(10s);
    EXPECT_EQ(lease_time(), kNoon.time_since_epoch());
    pass_reading(9s);
    EXPECT_EQ(lease_time(), kNoon.time_since_epoch());
    pass_reading(1s);
    EXPECT_EQ(lease_time(), (kNoon + 20s).time_since_epoch());
}

TEST_F(DoubtingClock, HoldsLeasesNoLongerThanItWasTold) {
    pass(1h);
    EXPECT_EQ(lease_time(), kNoon.time_since_epoch());
    pass_reading(30s);
    EXPECT_EQ(lease_time(), (kNoon + 1h + 30s).time_since_epoch());
}

TEST_F(DoubtingClock, HoldsLeasesOfWhoeverWasHeldUpTwice) {
    pass(10s);
    clock_.now();
    pass(5s);
    EXPECT_EQ(lease_time(), kNoon.time_since_epoch());
}

TEST_F(DoubtingClock, HoldsNoLeaseWhileItIsInUse) {
    pass_reading(60s);
    EXPECT_EQ(lease_time(), (kNoon + 60s).time_since_epoch());
}

TEST_F(DoubtingClock, FollowsALeapOverARestartAndHoldsForTheGrace) {
    HeldClock later(wall_,
                    {.jump_max = 10min, .grace = 5min, .lease_grace_max = 30s, .elapsed = [] {
                         return passed;
                     }});
    later.resume((kNoon - 9h).time_since_epoch());
    EXPECT_EQ(later.now(), kNoon);
    ASSERT_TRUE(later.hold().has_value());
    EXPECT_EQ(later.hold()->leap, 9h);
    EXPECT_TRUE(later.hold()->over_restart);
    EXPECT_EQ(later.lease_time(later.now_us()), (kNoon - 9h).time_since_epoch());
    // A start after this one, with the clock set right, may go back.
    EXPECT_EQ(later.recorded().now(), kNoon - 9h);
    for (int second = 0; second < 300; ++second) {
        pass(1s);
        later.now();
    }
    EXPECT_FALSE(later.hold().has_value());
    EXPECT_EQ(later.recorded().now(), kNoon + 5min);
}

TEST_F(DoubtingClock, HoldsLeasesAlsoWhenSomebodyAskedForTheTimeBeforeTheStart) {
    HeldClock later(wall_, {.jump_max = 10min, .grace = 5min, .lease_grace_max = 30s});
    EXPECT_EQ(later.now(), kNoon);
    later.resume((kNoon - 20s).time_since_epoch());
    EXPECT_EQ(later.lease_time(later.now_us()), (kNoon - 20s).time_since_epoch());
}

TEST_F(DoubtingClock, HoldsNothingAfterAShortStop) {
    HeldClock later(wall_, {.jump_max = 10min, .grace = 5min, .lease_grace_max = 30s});
    later.resume((kNoon - 20s).time_since_epoch());
    EXPECT_FALSE(later.hold().has_value());
    EXPECT_EQ(later.recorded().now(), kNoon);
    EXPECT_EQ(later.lease_time(later.now_us()), (kNoon - 20s).time_since_epoch());
}

}  // namespace
}  // namespace ff::host
