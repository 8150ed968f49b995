// Defects that verification of the whole found in suspensions and signals, each by its number.

#include "contract/suspension.h"

namespace ff::contract {
namespace {

FF_CONTRACT_SUITE(Ch03Repair, SuspensionContract);

TEST_P(Ch03Repair, Repair_32_TheMatchersNameEverySignalThatMetTheCondition) {
    const Execution e = active();
    const Suspended s = suspend(e, {.condition = flat_condition(R"(["a","b"])", "all")});
    const std::string first = new_uuid();
    const std::string last = new_uuid();
    effect(e, s.primary(), {.id = first, .name = "b"});
    EXPECT_EQ(effect(e, s.primary(), {.id = last, .name = "a"}), "resume_condition_satisfied");
    auto stored = condition(s.primary().id);
    EXPECT_EQ(stored["matcher:0:satisfied"], "1");
    EXPECT_EQ(stored["matcher:0:signal_id"], last);
    EXPECT_EQ(stored["matcher:1:satisfied"], "1");
    EXPECT_EQ(stored["matcher:1:signal_id"], first);
    EXPECT_EQ(stored["satisfied_count"], "2");
    EXPECT_EQ(stored["closed"], "1");
    EXPECT_EQ(stored["closed_reason"], "satisfied");
}

TEST_P(Ch03Repair, Repair_32_ASingleSignalIsThereToo) {
    const Execution e = active();
    const Suspended s = suspend(e, {.condition = flat_condition(R"(["go"])")});
    const std::string only = new_uuid();
    effect(e, s.primary(), {.id = only, .name = "go"});
    auto stored = condition(s.primary().id);
    EXPECT_EQ(stored["matcher:0:signal_id"], only);
    EXPECT_EQ(stored["matcher:0:satisfied"], "1");
}

}  // namespace
}  // namespace ff::contract
