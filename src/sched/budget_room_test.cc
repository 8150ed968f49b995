#include "sched/budget_room.h"

#include <gtest/gtest.h>

namespace ff::sched {
namespace {

engine::GetBudget::Outcome budget(const char* mode, const char* on_hard, const char* used) {
    return {.definition = {{"enforcement_mode", mode}, {"on_hard_limit", on_hard}},
            .limits = {{"soft:tokens", "5"}, {"hard:tokens", "10"}, {"hard:free", "0"}},
            .usage = {{"_period", "3"}, {"tokens", used}, {"free", "99"}}};
}

TEST(BudgetRoom, ABudgetFilledExactlyStartsNoFurtherWork) {
    EXPECT_EQ(why_exhausted("b", budget("strict", "fail", "9")), std::nullopt);
    EXPECT_EQ(why_exhausted("b", budget("strict", "fail", "10")), "budget b: tokens 10/10");
    EXPECT_EQ(why_exhausted("b", budget("anything", "", "11")), "budget b: tokens 11/10");
}

TEST(BudgetRoom, SomeBudgetsNeverBlock) {
    EXPECT_EQ(why_exhausted("b", budget("advisory", "fail", "99")), std::nullopt);
    EXPECT_EQ(why_exhausted("b", budget("warn", "fail", "99")), std::nullopt);
    EXPECT_EQ(why_exhausted("b", budget("strict", "warn", "99")), std::nullopt);
}

TEST(BudgetRoom, WhatHasNoUsageYetHasRoom) {
    engine::GetBudget::Outcome fresh = budget("strict", "fail", "0");
    fresh.usage.clear();
    EXPECT_EQ(why_exhausted("b", fresh), std::nullopt);
}

}  // namespace
}  // namespace ff::sched
