#include "scan/setbacks.h"

#include <gtest/gtest.h>

namespace ff::scan {
namespace {

TEST(Setbacks, LeaveAnItemOutForTenCyclesAfterThreeFailures) {
    Setbacks setbacks;
    for (int i = 0; i < 3; ++i) {
        setbacks.cycle_began();
        ASSERT_FALSE(setbacks.skips("a"));
        EXPECT_EQ(setbacks.failed("a"), i == 2);
    }
    for (int i = 0; i < 10; ++i) {
        setbacks.cycle_began();
        EXPECT_TRUE(setbacks.skips("a")) << i;
        EXPECT_FALSE(setbacks.skips("b"));
    }
    setbacks.cycle_began();
    EXPECT_FALSE(setbacks.skips("a"));
}

TEST(Setbacks, CountOnlyFailuresInARow) {
    Setbacks setbacks;
    setbacks.cycle_began();
    EXPECT_FALSE(setbacks.failed("a"));
    EXPECT_FALSE(setbacks.failed("a"));
    setbacks.succeeded("a");
    EXPECT_FALSE(setbacks.failed("a"));
    EXPECT_FALSE(setbacks.failed("a"));
    EXPECT_TRUE(setbacks.failed("a"));
}

TEST(Setbacks, ForgetOldEntriesWhenThereAreMany) {
    Setbacks setbacks;
    setbacks.cycle_began();
    for (int i = 0; i < 600; ++i) setbacks.failed("old" + std::to_string(i));
    while (setbacks.cycle() < 49) setbacks.cycle_began();
    setbacks.failed("new");
    EXPECT_EQ(setbacks.size(), 601U);
    setbacks.cycle_began();
    EXPECT_EQ(setbacks.size(), 1U);
}

}  // namespace
}  // namespace ff::scan
