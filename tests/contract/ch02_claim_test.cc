#include "contract/execution.h"

namespace ff::contract {
namespace {

FF_CONTRACT_SUITE(Ch02Claim, ExecutionContract);

TEST_P(Ch02Claim, S11_GrantedWorkerGetsTheFirstLease) {
    Execution e = created();
    const RespValue reply = e.take({.worker = "w1", .instance = "w1-a"});
    EXPECT_EQ(flat(reply), (List{"1", "OK", e.lease_id, "1", e.core("lease_expires_at"),
                                 e.attempt_id, "0", "initial"}));
    EXPECT_EQ(e.vector(), vector_l9());
    EXPECT_FALSE(exists(e.key("claim_grant")));
    EXPECT_EQ(e.memberships(), (List{"active", "lease_expiry"}));
    EXPECT_TRUE(in_set(e.worker_key("w1-a"), e.id()));
    EXPECT_EQ(e.attempt(0, "attempt_state"), "started");
    EXPECT_EQ(e.attempt(0, "attempt_type"), "initial");
    EXPECT_EQ(e.attempt(0, "started_at"), e.core("started_at"));
    EXPECT_EQ(e.core("total_attempt_count"), "1");
    EXPECT_FALSE(exists(e.key("attempts")));
    EXPECT_EQ(e.core("current_lease_id"), e.lease_id);
    EXPECT_EQ(std::stoll(e.core("lease_expires_at")) - std::stoll(e.core("lease_acquired_at")),
              30'000);
    EXPECT_EQ(e.core("lease_last_renewed_at"), "");
    EXPECT_EQ(e.core("lease_renewal_deadline"), "");
    EXPECT_EQ(e.core("current_lane"), "");
    EXPECT_EQ(e.attempt(0, "lease_id"), e.lease_id);
    EXPECT_EQ(e.attempt(0, "lease_epoch"), "1");
    EXPECT_FALSE(exists(e.key("lease:current")));
    EXPECT_FALSE(exists(e.key("lease:history")));
    EXPECT_EQ(e.core("has_lease_history"), "");
    const auto events = feed("lease_history");
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(events[0].at("worker_instance_id"), "w1-a");
}

TEST_P(Ch02Claim, LaneAndDeadlineAreWrittenOnlyIfTheClaimChoseThem) {
    Execution e = created();
    e.take({.lane = "other", .renew_before_ms = "20000"});
    EXPECT_EQ(e.core("current_lane"), "other");
    EXPECT_EQ(std::stoll(e.core("lease_renewal_deadline")),
              std::stoll(e.core("lease_acquired_at")) + 20'000);
    EXPECT_EQ(element(e.renew("90000"), 2), "OK");
    EXPECT_EQ(e.core("lease_renewal_deadline"), "");
    EXPECT_EQ(std::stoll(e.core("lease_last_renewed_at")) + 90'000,
              std::stoll(e.core("lease_expires_at")));
    EXPECT_EQ(element(e.revoke(), 2), "OK");
    ASSERT_EQ(element(e.take_over(), 2), "OK");
    EXPECT_EQ(e.core("current_lane"), "");
    EXPECT_EQ(e.core("lease_last_renewed_at"), "");
    EXPECT_EQ(e.core("lease_revoked_at"), "");
    EXPECT_EQ(e.core("lease_revoke_reason"), "");
}

TEST_P(Ch02Claim, S12_ResentClaimIsADuplicate) {
    Execution e = created();
    const ClaimArgs same{.lease_id = new_uuid(), .attempt_id = new_uuid()};
    const List first = flat(e.take(same));
    List again = flat(e.claim(same));
    EXPECT_EQ(again[1], "DUPLICATE");
    again[1] = "OK";
    EXPECT_EQ(again, first);
    EXPECT_EQ(e.core("total_attempt_count"), "1");
}

TEST_P(Ch02Claim, S13_WithoutALiveGrantOfItsOwnNobodyClaims) {
    Execution e = created();
    EXPECT_EQ(flat(e.claim()), (List{"0", "invalid_claim_grant"}));
    e.grant("w2");
    EXPECT_EQ(flat(e.claim({.worker = "w1"})), (List{"0", "invalid_claim_grant"}));
    EXPECT_TRUE(exists(e.key("claim_grant")));
    e.grant("w1", -1000);
    EXPECT_EQ(flat(e.claim({.worker = "w1"})), (List{"0", "claim_grant_expired"}));
    EXPECT_FALSE(exists(e.key("claim_grant")));
    EXPECT_EQ(e.vector(), vector_l1());
    EXPECT_EQ(e.memberships(), List{"eligible"});
}

TEST_P(Ch02Claim, S14_OfTwoWorkersOneWins) {
    Execution e = created();
    e.grant("w1");
    EXPECT_EQ(flat(e.claim({.worker = "w2"})), (List{"0", "invalid_claim_grant"}));
    EXPECT_EQ(element(e.claim({.worker = "w1"}), 2), "OK");
    e.grant("w2");
    EXPECT_EQ(flat(e.claim({.worker = "w2"})), (List{"0", "execution_not_leaseable"}));
    EXPECT_EQ(e.core("current_worker_id"), "w1");
}

TEST_P(Ch02Claim, S15_InterruptedWorkIsResumedNotClaimed) {
    Execution e = active();
    e.delay("+0");
    e.promote();
    EXPECT_EQ(flat(e.take()), (List{"0", "use_claim_resumed_execution"}));
    EXPECT_TRUE(exists(e.key("claim_grant")));
    EXPECT_EQ(element(e.claim_resumed(), 8), "resumed");
    EXPECT_EQ(e.epoch, "2");
    EXPECT_EQ(e.core("current_attempt_index"), "0");
}

TEST_P(Ch02Claim, S16_MemberOfACancelledFlowIsNotClaimed) {
    const std::string flow = new_uuid();
    Execution e = created();
    e.set_core("flow_id", flow);
    command({"HSET", "ff:flow:" + tag() + ":" + flow + ":core", "flow_id", flow, "claim_gate",
             "closed"});
    EXPECT_EQ(flat(e.take()), (List{"0", "execution_not_leaseable", "flow_cancelled"}));
    command({"HSET", "ff:flow:" + tag() + ":" + flow + ":core", "claim_gate", "drain"});
    EXPECT_EQ(flat(e.claim()), (List{"0", "execution_not_leaseable", "flow_cancelled"}));
    command({"HSET", "ff:flow:" + tag() + ":" + flow + ":core", "claim_gate", ""});
    EXPECT_EQ(element(e.claim(), 2), "OK");
}

TEST_P(Ch02Claim, S17_PolicyTimeoutIsArmedUnlessTheCallSaysOtherwise) {
    const CreateArgs policy{.policy = R"({"timeout_policy":{"attempt_timeout_ms":5000}})"};
    Execution by_policy = active({}, policy);
    const std::int64_t started = std::stoll(by_policy.core("started_at"));
    EXPECT_EQ(score(index("attempt_timeout"), by_policy.id()), started + 5000);
    EXPECT_EQ(by_policy.core("attempt_timeout_at"), std::to_string(started + 5000));
    Execution without = active({.timeout_ms = "0"}, policy);
    EXPECT_EQ(score(index("attempt_timeout"), without.id()), std::nullopt);
    Execution longer = active({.timeout_ms = "7000"}, policy);
    EXPECT_EQ(score(index("attempt_timeout"), longer.id()),
              std::stoll(longer.core("started_at")) + 7000);
}

TEST_P(Ch02Claim, S18_MalformedAttemptPolicyUsesNothing) {
    Execution e = created();
    e.grant();
    const auto before = host().contents(tag());
    for (const char* json : {"{", "[1]", "3", "\"x\""}) {
        EXPECT_EQ(flat(e.claim({.attempt_policy = json})),
                  (List{"0", "invalid_policy_json", "attempt_policy:malformed"}))
            << json;
    }
    EXPECT_EQ(host().contents(tag()), before);
    e.claim({.attempt_policy = R"({"model":"m","flags":{"a":1},"cold":false,"gone":null})"});
    const auto frozen = hash(e.attempt_key(0, ":policy"));
    EXPECT_EQ(frozen.at("model"), "m");
    EXPECT_EQ(frozen.at("flags"), R"({"a":1})");
    EXPECT_EQ(frozen.at("cold"), "false");
    EXPECT_EQ(frozen.at("lane_id"), "lane");
    EXPECT_FALSE(frozen.contains("gone"));
}

}  // namespace
}  // namespace ff::contract
