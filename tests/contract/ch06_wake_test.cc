#include "contract/scheduling.h"

namespace ff::contract {
namespace {

FF_CONTRACT_SUITE(Ch06Wake, SchedulingContract);

TEST_P(Ch06Wake, S54_AWorkerWaitingForOtherWorkIsWoken) {
    created({.policy = requires_caps({"gpu"})});
    const BatchReply reply = claim({.caps = "cpu", .arm_wake_ms = "60000"});
    EXPECT_TRUE(reply.claimed.empty());
    EXPECT_EQ(reply.armed, "1");
    const auto listener = host().listen("ff:wake:lane");
    Execution plain = created();
    EXPECT_TRUE(hears(*listener, tag()));
    EXPECT_FALSE(exists("ff:wake:" + tag()));
    EXPECT_EQ(claim({.caps = "cpu"}).ids(), List{plain.id()});
}

TEST_P(Ch06Wake, S56_TakingTheLastTaskArmsTheLane) {
    created();
    const BatchReply last = claim({.arm_wake_ms = "60000"});
    EXPECT_EQ(last.claimed.size(), 1U);
    EXPECT_EQ(last.armed, "1");
    EXPECT_FALSE(exists(lane_index("lane", "eligible_ns")));
    const auto listener = host().listen("ff:wake:lane");
    created();
    EXPECT_TRUE(hears(*listener, tag()));
    created();
    const BatchReply more = claim({.arm_wake_ms = "60000"});
    EXPECT_EQ(more.armed, "0") << "one is left";
    EXPECT_FALSE(exists("ff:wake:" + tag()));
}

TEST_P(Ch06Wake, AWakePastItsTimeIsDroppedInSilence) {
    claim({.arm_wake_ms = "1"});
    await_time(std::stoll(command({"HGET", "ff:wake:" + tag(), "lane"}).text) + 1);
    created();
    EXPECT_FALSE(exists("ff:wake:" + tag()));
}

TEST_P(Ch06Wake, BlockingForRouteWakesACapableWaiter) {
    claim({.caps = "gpu", .arm_wake_ms = "60000"});
    command({"HSET", "ff:wake:" + tag(), "lane", std::to_string(now() + 60'000)});
    Execution e = created({.policy = requires_caps({"gpu"})});
    command({"HSET", "ff:wake:" + tag(), "lane", std::to_string(now() + 60'000)});
    const auto listener = host().listen("ff:wake:lane");
    EXPECT_EQ(claim({.caps = "cpu"}).moved, "1");
    EXPECT_TRUE(hears(*listener, tag()));
}

}  // namespace
}  // namespace ff::contract
