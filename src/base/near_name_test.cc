#include "base/near_name.h"

#include <array>

#include <gtest/gtest.h>

namespace ff {
namespace {

constexpr std::array<std::string_view, 4> kKnown = {"payload", "priority", "policy", "k"};

TEST(NearName, FindsWhatWasProbablyMeant) {
    EXPECT_EQ(nearest_name("paylod", kKnown), "payload");
    EXPECT_EQ(nearest_name("pyaload", kKnown), "payload");
    EXPECT_EQ(nearest_name("polcy", kKnown), "policy");
    EXPECT_EQ(nearest_name("prioritty", kKnown), "priority");
    EXPECT_EQ(nearest_name("tags", kKnown), "");
    EXPECT_EQ(nearest_name("x", kKnown), "");
    EXPECT_EQ(nearest_name("", kKnown), "");
    EXPECT_EQ(nearest_name(std::string(100'000, 'p'), kKnown), "");
}

TEST(NearName, SaysSoInWords) {
    EXPECT_EQ(unknown_name("field", "", "paylod", kKnown).message,
              "unknown field `paylod`; did you mean `payload`?");
    const Error nested = unknown_name("field", "frames[2].", "zzz", kKnown);
    EXPECT_EQ(nested.detail.at(0), "frames[2].zzz:unknown");
    EXPECT_EQ(nested.message,
              "unknown field `zzz`; known are payload, priority, policy, k (in frames[2])");
    EXPECT_EQ(unknown_name("query parameter", "", "x", {}).message,
              "unknown query parameter `x`; there is none here");
}

}  // namespace
}  // namespace ff
