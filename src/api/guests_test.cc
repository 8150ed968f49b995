#include "api/guests.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace ff::api {
namespace {

using std::chrono::seconds;

class GuestsTest : public ::testing::Test {
  protected:
    Guests guests(GuestLimits limits) {
        return Guests(limits, [this] { return now_; });
    }
    void pass(seconds time) { now_ += time; }
    /// How many of so many requests, each answered before the next, are let in.
    static int let_in(Guests& guests, const std::string& address, int requests) {
        int count = 0;
        for (int i = 0; i < requests; ++i) count += guests.let_in(address).has_value() ? 1 : 0;
        return count;
    }

  private:
    SteadyClock::time_point now_{seconds(1'000)};
};

TEST_F(GuestsTest, AnAddressHasAMinutesRequestsAndGetsThemBackEvenly) {
    Guests door = guests({.per_minute = 6, .per_minute_in_all = 100});
    EXPECT_EQ(let_in(door, "10.0.0.1:5", 10), 6);
    EXPECT_EQ(let_in(door, "10.0.0.1:6", 10), 0);
    EXPECT_EQ(let_in(door, "10.0.0.2:5", 10), 6);
    const auto refused = door.let_in("10.0.0.1:7");
    EXPECT_EQ(refused.error().code, "rate_limit_exceeded");
    EXPECT_EQ(refused.error().detail, std::vector<std::string>{"10000"});
    pass(seconds(20));
    EXPECT_EQ(let_in(door, "10.0.0.1:7", 10), 2);
    pass(seconds(3'600));
    EXPECT_EQ(let_in(door, "10.0.0.1:7", 10), 6);
}

TEST_F(GuestsTest, AllTogetherHaveALimitThatRefusedOnesDoNotUseUp) {
    Guests door = guests({.per_minute = 6, .per_minute_in_all = 10});
    EXPECT_EQ(let_in(door, "10.0.0.1", 50), 6);
    EXPECT_EQ(let_in(door, "10.0.0.2", 50), 4);
    pass(seconds(60));
    EXPECT_EQ(let_in(door, "10.0.0.3", 50), 6);
}

TEST_F(GuestsTest, AnIpv6NetworkIsOneSourceAndAMappedAddressIsItself) {
    Guests door = guests({.per_minute = 2, .per_minute_in_all = 100});
    EXPECT_EQ(let_in(door, "[2001:db8:1:2::1]:80", 5), 2);
    EXPECT_EQ(let_in(door, "[2001:db8:1:2:ffff::9]:81", 5), 0);
    EXPECT_EQ(let_in(door, "[2001:db8:1:3::1]:80", 5), 2);
    EXPECT_EQ(let_in(door, "[::ffff:10.0.0.1]:80", 5), 2);
    EXPECT_EQ(let_in(door, "10.0.0.1:80", 5), 0);
    EXPECT_EQ(let_in(door, "unix", 5), 2);
}

TEST_F(GuestsTest, PlacesAreGivenBackAndAnAddressHasAQuarter) {
    Guests door = guests({.at_a_time = 8});
    std::vector<Guests::Place> held;
    for (int i = 0; i < 2; ++i) held.push_back(*door.let_in("10.0.0.1"));
    EXPECT_EQ(door.let_in("10.0.0.1").error().code, "concurrency_limit_exceeded");
    for (int i = 2; i < 5; ++i) {
        held.push_back(*door.let_in("10.0.0." + std::to_string(i)));
        held.push_back(*door.let_in("10.0.0." + std::to_string(i)));
    }
    EXPECT_EQ(door.let_in("10.0.0.9").error().code, "concurrency_limit_exceeded");
    held.pop_back();
    EXPECT_TRUE(door.let_in("10.0.0.9").has_value());
}

TEST_F(GuestsTest, MoreAddressesThanAreRememberedShareOneAccount) {
    Guests door = guests({.per_minute = 3, .per_minute_in_all = 1'000'000});
    const auto address = [](std::size_t i) {
        return "10." + std::to_string(i / 65'536) + "." + std::to_string(i / 256 % 256) + "." +
               std::to_string(i % 256);
    };
    for (std::size_t i = 0; i < Guests::kAddressesMost; ++i) let_in(door, address(i), 1);
    EXPECT_EQ(door.addresses(), Guests::kAddressesMost);
    EXPECT_EQ(let_in(door, "11.0.0.1", 2) + let_in(door, "11.0.0.2", 2), 3);
    EXPECT_EQ(door.addresses(), Guests::kAddressesMost);
    pass(seconds(61));
    EXPECT_EQ(let_in(door, "11.0.0.3", 5), 3);
    EXPECT_LT(door.addresses(), 5U);
}

}  // namespace
}  // namespace ff::api
