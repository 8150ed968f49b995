#include "sched/rotation.h"

#include <set>

#include <gtest/gtest.h>

namespace ff::sched {
namespace {

TEST(Ch06, S40_EveryPartitionIsReachedAndNoneTwicePerCall) {
    Rotation rotation;
    std::set<std::uint16_t> visited;
    Timestamp now = timestamp_from_ms(1'760'000'000'000);
    for (int i = 0; i < 8; ++i) {
        const auto window = rotation.window("worker-1", now, 256);
        EXPECT_EQ(window.size(), 32U);
        visited.insert(window.begin(), window.end());
        now += Rotation::kStep;
    }
    EXPECT_EQ(visited.size(), 256U);

    const auto small = rotation.window("worker-1", now, 4);
    EXPECT_EQ(std::set<std::uint16_t>(small.begin(), small.end()).size(), 4U);
    EXPECT_EQ(small.size(), 4U);
}

TEST(Rotation, StaysWithinOneStepAndDiffersBetweenWorkers) {
    Rotation rotation;
    const Timestamp now = timestamp_from_ms(1'760'000'000'000);
    const auto first = rotation.window("w1", now, 256);
    EXPECT_EQ(rotation.window("w1", now + Millis(249), 256), first);
    EXPECT_NE(rotation.window("w2", now, 256), first);
    EXPECT_NE(rotation.window("w1", now + Millis(250), 256), first);
}

}  // namespace
}  // namespace ff::sched
