#include "valkey/backoff.h"

#include <set>

#include <gtest/gtest.h>

namespace ff::valkey {
namespace {

using std::chrono::milliseconds;

TEST(Backoff, DoublesToItsCapAndJittersByHalf) {
    SeededRandom random(3);
    Backoff backoff(random, {.first = milliseconds(10), .most = milliseconds(100)});
    for (const int step : {10, 20, 40, 80, 100, 100}) {
        const milliseconds pause = backoff.next();
        EXPECT_LE(pause, milliseconds(step));
        EXPECT_GE(pause, milliseconds(step / 2));
    }
    backoff.reset();
    EXPECT_LE(backoff.next(), milliseconds(10));
}

TEST(Backoff, TwoClientsDoNotComeBackTogether) {
    SeededRandom random(3);
    std::set<milliseconds> pauses;
    for (int client = 0; client < 20; ++client) {
        Backoff backoff(random, {.first = milliseconds(1000), .most = milliseconds(1000)});
        pauses.insert(backoff.next());
    }
    EXPECT_GT(pauses.size(), 15U);
}

}  // namespace
}  // namespace ff::valkey
