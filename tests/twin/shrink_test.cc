#include "twin/shrink.h"

#include <gtest/gtest.h>

namespace ff::twin {
namespace {

Calls numbered(int count) {
    Calls calls;
    for (int i = 0; i < count; ++i) calls.push_back({{}, {std::to_string(i)}});
    return calls;
}

bool has(const Calls& calls, const std::string& name) {
    for (const RecordedCall& call : calls) {
        if (call.argv[0] == name) return true;
    }
    return false;
}

TEST(TwinShrink, LeavesTheCallsThatMatterInTheirOrder) {
    const Calls few = shrunk(
        numbered(500), [](const Calls& calls) { return has(calls, "17") && has(calls, "430"); },
        std::chrono::seconds(10));
    ASSERT_EQ(few.size(), 2U);
    EXPECT_EQ(few[0].argv[0], "17");
    EXPECT_EQ(few[1].argv[0], "430");
}

TEST(TwinShrink, GivesBackAllWhenTheTimeIsUp) {
    const Calls all =
        shrunk(numbered(50), [](const Calls&) { return true; }, std::chrono::seconds(0));
    EXPECT_EQ(all.size(), 50U);
}

}  // namespace
}  // namespace ff::twin
