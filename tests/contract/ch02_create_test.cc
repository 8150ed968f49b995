#include "contract/execution.h"

namespace ff::contract {
namespace {

FF_CONTRACT_SUITE(Ch02Create, ExecutionContract);

TEST_P(Ch02Create, S01_FreshIdIsEligibleAtItsScore) {
    Execution e = execution();
    EXPECT_EQ(flat(e.create({.priority = "7"})), (List{"1", "OK", e.id(), "waiting"}));
    EXPECT_EQ(e.vector(), vector_l1());
    EXPECT_EQ(e.memberships(), List{"eligible"});
    EXPECT_TRUE(in_set(index("all_executions"), e.id()));
    EXPECT_TRUE(in_set(lane_index("lane", "eligible_ns"), "ns"));
    EXPECT_EQ(score(e.lane_key("eligible"), e.id()),
              -7 * 1'000'000'000'000 + std::stoll(e.core("created_at")));
}

TEST_P(Ch02Create, S02_PriorityIsClampedAndMustBeAnInteger) {
    Execution high = created({.priority = "10000"});
    EXPECT_EQ(high.core("priority"), "9000");
    Execution low = created({.priority = "-5"});
    EXPECT_EQ(low.core("priority"), "0");
    for (const char* bad : {"1.5", "nan", "abc"}) {
        Execution e = execution();
        const RespValue reply = e.create({.priority = bad});
        EXPECT_EQ(element(reply, 2), "invalid_input") << bad;
        EXPECT_TRUE(element(reply, 3).starts_with("priority")) << bad;
        EXPECT_FALSE(exists(e.key("core")));
        EXPECT_FALSE(exists(e.key("payload")));
    }
}

TEST_P(Ch02Create, S03_DelayDecidesTheIndexWhateverKeyWasPassed) {
    const std::int64_t until = now() + 60'000;
    Execution later = created({.delay_until = std::to_string(until)});
    EXPECT_EQ(later.vector(), vector_l2("waiting_for_delay"));
    EXPECT_EQ(later.core("blocking_detail"), "delayed until " + std::to_string(until));
    EXPECT_EQ(later.memberships(), List{"delayed"});
    EXPECT_EQ(score(later.lane_key("delayed"), later.id()), until);

    Execution overdue = execution();
    List keys = overdue.create_keys();
    keys[4] = overdue.lane_key("delayed");
    host().fcall("ff_create_execution", keys, overdue.create_args({.delay_until = "1000"}));
    EXPECT_EQ(overdue.vector(), vector_l1());
    EXPECT_EQ(overdue.memberships(), List{"eligible"});
}

}  // namespace
}  // namespace ff::contract
