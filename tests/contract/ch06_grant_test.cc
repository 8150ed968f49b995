#include "contract/scheduling.h"

namespace ff::contract {
namespace {

FF_CONTRACT_SUITE(Ch06Grant, SchedulingContract);

std::string many_caps(int count) {
    std::string csv;
    for (int i = 0; i < count; ++i) csv += (i == 0 ? "c" : ",c") + std::to_string(i);
    return csv;
}

TEST_P(Ch06Grant, AGrantSaysWhoMayClaimAndUntilWhen) {
    Execution e = created();
    const RespValue reply = issue_grant(e, {.quota_ids = "q1,q2"});
    EXPECT_EQ(flat(reply), (List{"1", "OK", e.id(), e.core("grant_until"), "claim"}));
    auto grant = hash(e.key("claim_grant"));
    EXPECT_EQ(grant["worker_id"], "w1");
    EXPECT_EQ(grant["worker_instance_id"], "w1-1");
    EXPECT_EQ(grant["lane_id"], "lane");
    EXPECT_EQ(grant["capability_hash"], "hash");
    EXPECT_EQ(grant["admission_summary"], "admitted");
    EXPECT_EQ(grant["grant_expires_at"], e.core("grant_until"));
    EXPECT_EQ(grant["grant_kind"], "claim");
    EXPECT_EQ(e.core("admitted_quota_ids"), "q1,q2");
    EXPECT_EQ(e.memberships(), List{"eligible"});
    EXPECT_GT(host().ttl_ms(e.key("claim_grant")).value_or(60'000 + 1), 60'000);
    EXPECT_EQ(element(e.claim(), 2), "OK");
    EXPECT_FALSE(exists(e.key("claim_grant")));
    EXPECT_EQ(e.core("grant_until"), "");
}

TEST_P(Ch06Grant, S25_OnlyACapableWorkerIsGranted) {
    Execution e = created({.policy = requires_caps({"gpu"})});
    EXPECT_EQ(flat(issue_grant(e, {.caps = "cpu"})), (List{"0", "capability_mismatch", "gpu"}));
    EXPECT_NE(e.core("last_capability_mismatch_at"), "");
    EXPECT_FALSE(exists(e.key("claim_grant")));
    EXPECT_EQ(element(block(e, "waiting_for_capable_worker"), 2), "OK");
    EXPECT_EQ(e.memberships(), List{"blocked:route"});
    EXPECT_EQ(e.vector(),
              (List{"runnable", "unowned", "blocked_by_route", "waiting_for_capable_worker", "none",
                    "pending_first_attempt", "waiting"}));
    unblock(e);
    EXPECT_EQ(element(issue_grant(e, {.caps = "cuda,gpu"}), 2), "OK");
}

TEST_P(Ch06Grant, S29_CapabilityListsAreBoundedInclusively) {
    Execution e = created();
    EXPECT_EQ(flat(issue_grant(e, {.caps = many_caps(257)})),
              (List{"0", "invalid_capabilities", "worker:too_many_tokens"}));
    EXPECT_EQ(flat(issue_grant(e, {.caps = std::string(4097, 'c')})),
              (List{"0", "invalid_capabilities", "worker:too_many_bytes"}));
    EXPECT_FALSE(exists(e.key("claim_grant")));
    EXPECT_EQ(element(issue_grant(e, {.caps = many_caps(256)}), 2), "OK");
    EXPECT_EQ(element(issue_grant(created(), {.caps = std::string(4096, 'c')}), 2), "OK");

    List tokens;
    for (int i = 0; i < 256; ++i) tokens.push_back("t" + std::to_string(i));
    EXPECT_EQ(element(execution().create({.policy = requires_caps(tokens)}), 2), "OK");
    tokens.emplace_back("one_more");
    EXPECT_EQ(flat(execution().create({.policy = requires_caps(tokens)})),
              (List{"0", "invalid_capabilities", "required:too_many_tokens"}));
    EXPECT_EQ(element(execution().create({.policy = requires_caps({std::string(4096, 'c')})}), 2),
              "OK");
    EXPECT_EQ(flat(execution().create({.policy = requires_caps({std::string(4097, 'c')})})),
              (List{"0", "invalid_capabilities", "required:too_many_bytes"}));
}

TEST_P(Ch06Grant, S28_BadTokensAreRefusedAtCreation) {
    struct Row {
        std::string token, detail;
    };
    for (const Row& row : {Row{"", "required:empty_token"}, Row{"a,b", "required:comma_in_token"},
                           Row{"a b", "required:control_or_whitespace"},
                           Row{"a\\n", "required:control_or_whitespace"},
                           Row{"a\\u0000", "required:control_or_whitespace"},
                           Row{"a\\u007f", "required:control_or_whitespace"}}) {
        Execution e = execution();
        EXPECT_EQ(flat(e.create({.policy = requires_caps({row.token})})),
                  (List{"0", "invalid_capabilities", row.detail}));
        EXPECT_FALSE(exists(e.key("core")));
    }
    Execution e = created({.policy = requires_caps({"东京-gpu"})});
    EXPECT_EQ(element(issue_grant(e, {.caps = "东京-gpu"}), 2), "OK");
}

TEST_P(Ch06Grant, S31_AnotherWorkerPassesOverGrantedWork) {
    Execution first = created();
    Execution second = created();
    issue_grant(first, {.worker = "A", .quota_ids = "q"});
    EXPECT_EQ(element(issue_grant(first, {.worker = "B"}), 2), "grant_already_exists");
    EXPECT_EQ(claim({.worker = "B", .max_tasks = 5}).ids(), List{second.id()});
    EXPECT_EQ(first.core("admitted_quota_ids"), "q");
    EXPECT_EQ(element(first.claim({.worker = "A"}), 2), "OK");
}

TEST_P(Ch06Grant, S32_AnUnusedGrantExpiresAndTheWorkIsFoundAgain) {
    Execution e = created();
    issue_grant(e, {.ttl_ms = "20"});
    EXPECT_EQ(element(e.claim({.worker = "other"}), 2), "invalid_claim_grant");
    await_time(std::stoll(e.core("grant_until")) + 1);
    EXPECT_EQ(element(e.claim(), 2), "claim_grant_expired");
    EXPECT_EQ(element(e.claim(), 2), "invalid_claim_grant");
    EXPECT_EQ(element(issue_grant(e), 2), "OK");
    EXPECT_EQ(element(e.claim(), 2), "OK");

    Execution batch = created();
    issue_grant(batch, {.ttl_ms = "20"});
    await_time(std::stoll(batch.core("grant_until")) + 1);
    EXPECT_EQ(claim().ids(), List{batch.id()});
}

TEST_P(Ch06Grant, S33_RefusalsOfAGrant) {
    Execution e = created();
    for (const char* bad : {"0", "-1", "soon", ""}) {
        EXPECT_EQ(element(issue_grant(e, {.ttl_ms = bad}), 2), "invalid_input") << bad;
    }
    EXPECT_FALSE(exists(e.key("claim_grant")));
    EXPECT_EQ(element(issue_grant(execution()), 2), "execution_not_found");
    EXPECT_EQ(element(issue_reclaim_grant(execution()), 2), "execution_not_found");
    Execution running = active();
    EXPECT_EQ(element(issue_grant(running), 2), "execution_not_eligible");
    EXPECT_EQ(element(issue_reclaim_grant(running), 2), "execution_not_reclaimable");
    EXPECT_EQ(element(issue_reclaim_grant(e), 2), "execution_not_reclaimable");
    command({"ZREM", e.lane_key("eligible"), e.id()});
    EXPECT_EQ(element(issue_grant(e), 2), "execution_not_in_eligible_set");
}

TEST_P(Ch06Grant, AReclaimGrantServesALostLease) {
    Execution e = active({}, {.policy = requires_caps({"gpu"})});
    lose(e);
    EXPECT_EQ(element(issue_reclaim_grant(e, {.caps = "cpu"}), 2), "capability_mismatch");
    const RespValue reply = issue_reclaim_grant(e, {.caps = "gpu"});
    EXPECT_EQ(flat(reply), (List{"1", "OK", e.id(), e.core("grant_until"), "reclaim"}));
    EXPECT_EQ(hash(e.key("claim_grant"))["grant_kind"], "reclaim");
    EXPECT_EQ(element(issue_reclaim_grant(e, {.caps = "gpu"}), 2), "grant_already_exists");
    EXPECT_TRUE(claim({.caps = "gpu"}).claimed.empty());
    EXPECT_EQ(element(e.reclaim(), 2), "OK");
}

TEST_P(Ch06Grant, S34_AnOperatorTakesEligibleWork) {
    Execution e = created();
    const std::string lease = new_uuid();
    const RespValue taken = take_by_operator(e, lease);
    EXPECT_EQ(flat(taken), (List{"1", "OK", lease, "1", "0", e.core("lease_expires_at"),
                                 e.core("current_attempt_id"), "initial"}));
    EXPECT_EQ(e.vector(), vector_l9());
    EXPECT_FALSE(exists(e.key("claim_grant")));
    EXPECT_EQ(entries(e.key("lease:history")).back()["reason"], "issue_grant_and_claim");
    EXPECT_EQ(e.lease_events(), List{"acquired"});
    List again = flat(taken);
    again[1] = "DUPLICATE";
    EXPECT_EQ(flat(take_by_operator(e, lease)), again);
    EXPECT_EQ(element(take_by_operator(e), 2), "execution_not_eligible");

    Execution granted = created();
    issue_grant(granted);
    EXPECT_EQ(element(take_by_operator(granted), 2), "grant_already_exists");

    Execution owned = created();
    owned.set_core("ownership_state", "leased");
    EXPECT_EQ(element(take_by_operator(owned), 2), "lease_conflict");
    Execution running = created();
    running.set_core("attempt_state", "running_attempt");
    EXPECT_EQ(element(take_by_operator(running), 2), "active_attempt_exists");
    EXPECT_EQ(element(take_by_operator(created(), "", "0"), 2), "invalid_input");
    EXPECT_EQ(element(take_by_operator(execution()), 2), "execution_not_found");
}

TEST_P(Ch06Grant, S35_InterruptedWorkIsResumedUnderTheSameAttempt) {
    Execution e = active();
    const std::string attempt = e.attempt_id;
    e.delay("+0");
    e.promote();
    EXPECT_EQ(element(issue_grant(e), 5), "resume");
    EXPECT_EQ(element(e.claim(), 2), "use_claim_resumed_execution");
    EXPECT_TRUE(exists(e.key("claim_grant")));

    command({"DEL", e.key("claim_grant")});
    block(e, "paused_by_operator");
    EXPECT_EQ(element(take_by_operator(e), 2), "execution_not_in_eligible_set");
    unblock(e);
    const std::string lease = new_uuid();
    const RespValue taken = take_by_operator(e, lease);
    EXPECT_EQ(element(taken, 4), "2");
    EXPECT_EQ(element(taken, 5), "0");
    EXPECT_EQ(element(taken, 7), attempt);
    EXPECT_EQ(element(taken, 8), "resumed");
    EXPECT_EQ(element(take_by_operator(e, lease), 8), "resumed");
    EXPECT_EQ(entries(e.key("lease:history")).back()["reason"], "issue_grant_and_claim_resumed");
}

TEST_P(Ch06Grant, WorkThatNobodyBeganIsToldAsItWas) {
    Execution e = active();
    e.give_back();
    const std::string lease = new_uuid();
    const RespValue taken = take_by_operator(e, lease);
    EXPECT_EQ(element(taken, 8), "initial");
    List again = flat(taken);
    again[1] = "DUPLICATE";
    EXPECT_EQ(flat(take_by_operator(e, lease)), again);
}

TEST_P(Ch06Grant, S61_MembersOfACancelledFlowAreNotClaimable) {
    Execution e = created();
    cancel_flow_of(e);
    const List refused{"0", "execution_not_eligible", "flow_cancelled"};
    EXPECT_EQ(flat(issue_grant(e)), refused);
    EXPECT_EQ(flat(take_by_operator(e)), refused);
    Execution other = created();
    EXPECT_EQ(claim({.max_tasks = 5}).ids(), List{other.id()});
    EXPECT_EQ(e.vector(), vector_l1());

    Execution lost = active();
    lose(lost);
    cancel_flow_of(lost);
    EXPECT_EQ(flat(issue_reclaim_grant(lost)),
              (List{"0", "execution_not_reclaimable", "flow_cancelled"}));
    EXPECT_TRUE(claim({.max_tasks = 5}).claimed.empty());
}

}  // namespace
}  // namespace ff::contract
