#include "sdk/claim_ahead.h"

#include <gtest/gtest.h>

namespace ff::sdk {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

ClaimAhead seen(std::size_t hands, microseconds handler, microseconds call) {
    ClaimAhead ahead(hands);
    for (int i = 0; i < 100; ++i) {
        ahead.handled(handler);
        ahead.called(call);
    }
    return ahead;
}

TEST(ClaimAhead, ClaimsWhatTheHandsEndDuringACall) {
    EXPECT_EQ(seen(16, milliseconds(2), milliseconds(1)).tasks(), 8U);
    EXPECT_EQ(seen(16, microseconds(500), milliseconds(1)).tasks(), 32U);
}

TEST(ClaimAhead, LeavesTheWorkOfLongHandlersToOthers) {
    EXPECT_EQ(seen(16, milliseconds(100), milliseconds(1)).tasks(), 0U);
    EXPECT_EQ(seen(1, milliseconds(2), milliseconds(1)).tasks(), 0U);
}

TEST(ClaimAhead, HasALimit) {
    EXPECT_EQ(seen(16, microseconds(0), milliseconds(500)).tasks(), 192U);
}

TEST(ClaimAhead, KnowsNothingAtFirstAndAfterAStall) {
    ClaimAhead ahead(16);
    ahead.called(milliseconds(1));
    for (int i = 0; i < 7; ++i) ahead.handled(microseconds(1));
    EXPECT_EQ(ahead.tasks(), 0U);
    ahead.handled(microseconds(1));
    EXPECT_EQ(ahead.tasks(), 192U);
    ahead.stalled();
    EXPECT_EQ(ahead.tasks(), 0U);
}

TEST(ClaimAhead, OneLongHandlerAmongShortOnesEndsItForAWhile) {
    ClaimAhead ahead = seen(16, microseconds(1), milliseconds(1));
    ahead.handled(milliseconds(5'000));
    EXPECT_EQ(ahead.tasks(), 0U);
}

}  // namespace
}  // namespace ff::sdk
