#include <algorithm>

#include "contract/scheduling.h"

namespace ff::contract {
namespace {

FF_CONTRACT_SUITE(Ch06Reclaim, SchedulingContract);

TEST_P(Ch06Reclaim, S36_ALostLeaseGoesToACapableWorker) {
    Execution e = active({.ttl_ms = "30"}, {.policy = requires_caps({"gpu"})});
    const std::string lost = e.lease_id;
    await_time(std::stoll(e.core("lease_expires_at")));
    EXPECT_TRUE(claim({.caps = "cpu"}).claimed.empty());
    EXPECT_EQ(e.vector(), vector_l10()) << "whoever finds it marks it";
    const BatchReply reply = claim({.caps = "gpu"});
    ASSERT_EQ(reply.ids(), List{e.id()});
    EXPECT_EQ(reply.claimed[0].attempt_type, "reclaim");
    EXPECT_EQ(reply.claimed[0].attempt_index, "1");
    EXPECT_EQ(reply.claimed[0].lease_epoch, "2");
    EXPECT_EQ(e.vector(), vector_l9());
    EXPECT_EQ(e.attempt(0, "attempt_state"), "interrupted_reclaimed");
    EXPECT_EQ(e.core("last_release_lease_id"), lost);
}

TEST_P(Ch06Reclaim, AnUnmarkedLostLeaseIsTakenInOneCall) {
    Execution e = active({.ttl_ms = "1", .timeout_ms = "50000"});
    await_time(std::stoll(e.core("lease_expires_at")) + 1);
    const BatchReply reply = claim();
    ASSERT_EQ(reply.ids(), List{e.id()});
    EXPECT_EQ(e.vector(), vector_l9());
    EXPECT_EQ(e.memberships(), (List{"active", "lease_expiry"}));
    EXPECT_EQ(score(index("lease_expiry"), e.id()), std::stoll(reply.claimed[0].lease_expires_at));
    List events;
    for (auto& entry : entries(e.key("lease:history"))) events.push_back(entry["event"]);
    EXPECT_EQ(events, (List{"acquired", "expired", "reclaimed"}));
}

TEST_P(Ch06Reclaim, ATimeoutOfTheLostAttemptMakesWayForTheNewOne) {
    const std::string policy = R"({"timeout_policy":{"attempt_timeout_ms":50000}})";
    Execution lost = active({.ttl_ms = "1"}, {.policy = policy});
    await_time(std::stoll(lost.core("lease_expires_at")) + 1);
    Execution fresh = created({.policy = policy});
    EXPECT_EQ(claim({.max_tasks = 2, .include_reclaim = "0"}).ids(), (List{fresh.id(), lost.id()}));
    for (const Execution& e : {fresh, lost}) {
        EXPECT_EQ(e.memberships(), (List{"active", "lease_expiry", "attempt_timeout"}));
    }
}

TEST_P(Ch06Reclaim, TooManyReclaimsEndTheExecution) {
    Execution e = active({}, {.policy = R"({"max_reclaim_count":1})"});
    lose(e);
    ASSERT_EQ(claim().ids(), List{e.id()});
    lose(e);
    EXPECT_TRUE(claim().claimed.empty());
    EXPECT_EQ(e.vector(), vector_terminal("failed"));
    EXPECT_EQ(e.core("failure_reason"), "max_reclaims_exceeded");
    EXPECT_EQ(e.memberships(), List{"terminal"});
}

TEST_P(Ch06Reclaim, S65_LostLeasesOfOthersHideNothing) {
    // Lost leases by hand: six hundred claims would only test patience.
    const std::string expiry = index("lease_expiry");
    Execution model = active({}, {.policy = requires_caps({"gpu"})});
    lose(model);
    for (int i = 0; i < 600; ++i) {
        const Execution e = execution();
        command({"HSET", e.key("core"), "execution_id", e.id(), "lane_id", "lane", "namespace",
                 "ns", "lifecycle_phase", "active", "ownership_state", "lease_expired_reclaimable",
                 "attempt_state", "attempt_interrupted", "required_capabilities", "gpu"});
        command({"ZADD", expiry, std::to_string(1000 + i), e.id()});
        command({"ZADD", model.lane_key("active"), std::to_string(1000 + i), e.id()});
    }
    Execution plain = active();
    lose(plain);
    BatchReply reply = claim({.caps = "cpu"});
    for (int i = 0; i < 2000 && reply.claimed.empty(); ++i) reply = claim({.caps = "cpu"});
    EXPECT_EQ(reply.ids(), List{plain.id()});
}

TEST_P(Ch06Reclaim, S66_ADeadLaneHidesNoLostLeaseOfAnother) {
    constexpr int kMoreThanEverWereLookedAt = 4200;
    List expiry{"ZADD", index("lease_expiry")};
    List active_of_dead{"ZADD", lane_index("dead", "active")};
    for (int i = 0; i < kMoreThanEverWereLookedAt; ++i) {
        const Execution e = execution();
        command({"HSET", e.key("core"), "execution_id", e.id(), "lane_id", "dead", "namespace",
                 "ns", "lifecycle_phase", "active", "ownership_state", "lease_expired_reclaimable",
                 "attempt_state", "attempt_interrupted"});
        for (List* const entries : {&expiry, &active_of_dead}) {
            entries->push_back(std::to_string(1000 + i));
            entries->push_back(e.id());
        }
    }
    command(expiry);
    command(active_of_dead);
    Execution expired = active();
    lose(expired);
    Execution revoked = active();
    revoked.revoke();
    const BatchReply reply = claim({.max_tasks = 2});
    List found = reply.ids();
    List lost{expired.id(), revoked.id()};
    std::ranges::sort(found);
    std::ranges::sort(lost);
    EXPECT_EQ(found, lost);
}

TEST_P(Ch06Reclaim, S65_LostLeasesMayWaitForAFullQueue) {
    Execution lost = active();
    lose(lost);
    for (int i = 0; i < 2; ++i) created();
    const BatchReply queue =
        claim({.max_tasks = 2, .arm_wake_ms = "60000", .include_reclaim = "0"});
    ASSERT_EQ(queue.claimed.size(), 2U);
    EXPECT_EQ(queue.claimed[0].attempt_type, "initial");
    EXPECT_EQ(queue.armed, "0") << "nobody looked at lost leases";
    created();
    EXPECT_EQ(claim({.include_reclaim = "1"}).ids(), List{lost.id()});

    lose(lost);
    const BatchReply rest = claim({.max_tasks = 2, .arm_wake_ms = "60000", .include_reclaim = "0"});
    ASSERT_EQ(rest.claimed.size(), 2U);
    EXPECT_EQ(rest.claimed[1].attempt_type, "reclaim") << "there was room left";
    EXPECT_EQ(rest.armed, "1");
}

TEST_P(Ch06Reclaim, ALostLeaseLeftBehindKeepsTheLaneFromWaiting) {
    Execution first = active();
    Execution second = active();
    lose(first);
    lose(second);
    const BatchArgs one{.arm_wake_ms = "60000", .include_reclaim = "0"};
    const BatchReply taken = claim(one);
    ASSERT_EQ(taken.claimed.size(), 1U);
    EXPECT_EQ(taken.claimed[0].attempt_type, "reclaim");
    EXPECT_EQ(taken.eligible_left, "0");
    EXPECT_EQ(taken.armed, "0") << "another lost lease was seen";
    EXPECT_FALSE(exists("ff:wake:" + tag()));
    const BatchReply last = claim(one);
    ASSERT_EQ(last.claimed.size(), 1U);
    EXPECT_NE(last.ids(), taken.ids());
    EXPECT_EQ(last.armed, "1") << "nothing is left";
}

}  // namespace
}  // namespace ff::contract
