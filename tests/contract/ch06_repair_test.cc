// Defects that verification of the whole found in claims and admission, each by its number.

#include "contract/scheduling.h"

namespace ff::contract {
namespace {

FF_CONTRACT_SUITE(Ch06Repair, SchedulingContract);

constexpr std::string_view kYearMs = "31536000000";
constexpr std::string_view kLongerMs = "31536000001";

TEST_P(Ch06Repair, Repair_08_SurplusArgumentsOfABatchAreRefused) {
    Execution first = execution();
    Execution second = execution();
    List two = {"1", "16"};
    for (Execution* e : {&first, &second}) {
        List one = e->create_args({});
        one.resize(16);
        two.insert(two.end(), one.begin(), one.end());
    }
    const List create_keys = {index("execution_deadline"), index("all_executions"), noop()};
    EXPECT_EQ(element(host().fcall("ff_create_batch", create_keys, two), 2), "invalid_input");
    EXPECT_FALSE(exists(first.key("core")));
    two[0] = "2";
    EXPECT_EQ(element(host().fcall("ff_create_batch", create_keys, two), 2), "OK");

    List claim_args = batch_args({});
    claim_args.push_back(new_uuid());
    claim_args.push_back(new_uuid());
    const RespValue refused = host().fcall("ff_claim_batch", batch_keys("lane"), claim_args);
    EXPECT_EQ(element(refused, 2), "invalid_input");
    EXPECT_EQ(claim({.max_tasks = 2}).claimed.size(), 2U);
}

TEST_P(Ch06Repair, Repair_08_SurplusArgumentsBehindCompletionsAreRefused) {
    created();
    const BatchReply held = claim();
    ASSERT_EQ(held.claimed.size(), 1U);
    created();
    List surplus = batch_args({});
    surplus.push_back(new_uuid());
    const RespValue reply = complete_and_claim(held.claimed, surplus);
    ASSERT_EQ(reply.items.size(), 4U);
    EXPECT_EQ(element(reply.items[3], 2), "invalid_input");
    EXPECT_EQ(claim().claimed.size(), 1U) << "what the refused claim left";
}

TEST_P(Ch06Repair, Repair_09_AReclaimGrantKnowsTheCapOfItsCaller) {
    Execution e = active();
    lose(e);
    e.set_core("lease_reclaim_count", "100");
    ASSERT_EQ(element(issue_reclaim_grant(e, {.default_max_reclaims = "1000"}), 2), "OK");
    EXPECT_EQ(element(e.reclaim(), 2), "OK") << "the grant's cap holds for its consumer";
    EXPECT_EQ(e.core("lease_reclaim_count"), "101");

    Execution plain = active();
    lose(plain);
    plain.set_core("lease_reclaim_count", "100");
    EXPECT_EQ(flat(issue_reclaim_grant(plain)), (List{"0", "max_retries_exhausted", "100", "100"}));

    Execution by_policy = active({}, {.policy = R"({"max_reclaim_count":3})"});
    lose(by_policy);
    by_policy.set_core("lease_reclaim_count", "3");
    EXPECT_EQ(flat(issue_reclaim_grant(by_policy, {.default_max_reclaims = "1000"})),
              (List{"0", "max_retries_exhausted", "3", "3"}));
    for (const char* wrong : {"-1", "1.5", "many"}) {
        Execution bad = active();
        lose(bad);
        EXPECT_EQ(element(issue_reclaim_grant(bad, {.default_max_reclaims = wrong}), 2),
                  "invalid_input");
    }
}

TEST_P(Ch06Repair, Repair_10_EveryClaimHasTheSameBoundsOfALease) {
    const std::string longest(kYearMs);
    const std::string longer(kLongerMs);
    Execution e = created();
    EXPECT_EQ(element(e.take({.ttl_ms = longer}), 2), "invalid_input");
    EXPECT_EQ(element(e.take({.renew_before_ms = longer}), 2), "invalid_input");
    EXPECT_EQ(element(claim({.ttl_ms = longer}).raw, 2), "invalid_input");
    EXPECT_EQ(element(claim({.renew_before_ms = longer}).raw, 2), "invalid_input");
    EXPECT_EQ(element(take_by_operator(e, "", longer), 2), "invalid_input");
    EXPECT_EQ(element(e.take({.ttl_ms = longest, .renew_before_ms = longest}), 2), "OK");
    EXPECT_EQ(element(e.renew(longer), 2), "invalid_input");
    EXPECT_EQ(element(e.renew(longest), 2), "OK");
    ASSERT_EQ(element(e.give_back(), 2), "OK");
    EXPECT_EQ(element(e.take_resumed({.ttl_ms = longer}), 2), "invalid_input");
    EXPECT_EQ(element(e.take_resumed({.ttl_ms = longest}), 2), "OK");
    e.lose_lease();
    EXPECT_EQ(element(e.take_over({.ttl_ms = longer}), 2), "invalid_input");
    EXPECT_EQ(element(e.take_over({.ttl_ms = longest}), 2), "OK");
    created();
    EXPECT_EQ(claim({.ttl_ms = longest, .renew_before_ms = longest}).claimed.size(), 1U);
}

TEST_P(Ch06Repair, Repair_10_UsageOfOneReportNamesAtMost64Dimensions) {
    Execution e = active();
    std::string usage = "{";
    for (int i = 0; i < 64; ++i) {
        usage += (i == 0 ? "\"d" : ",\"d") + std::to_string(i) + "\":1";
    }
    EXPECT_EQ(element(e.progress({"", "", "", usage + "}"}), 2), "OK");
    const RespValue refused = e.progress({"", "", "", usage + ",\"more\":1}"});
    EXPECT_EQ(element(refused, 2), "invalid_input");
    EXPECT_NE(element(refused, 3).find("more than 64 dimensions"), std::string::npos);
}

TEST_P(Ch06Repair, Repair_15_AnOperatorTakesOverWhatAdmissionHoldsBack) {
    struct Block {
        std::string reason{};
        std::string ref{};
        std::string index{};
    };
    for (const Block& held : {Block{"waiting_for_budget", "budget:b1", "blocked:budget"},
                              Block{"waiting_for_quota", "quota:q1", "blocked:quota"},
                              Block{"waiting_for_capable_worker", "", "blocked:route"}}) {
        const Execution e = created({.policy = requires_caps({"gpu"})});
        ASSERT_EQ(element(block(e, held.reason, held.ref), 2), "OK");
        ASSERT_EQ(e.memberships(), List{held.index});
        ASSERT_EQ(element(take_by_operator(e), 2), "OK") << held.reason;
        EXPECT_EQ(e.vector(), vector_l9());
        EXPECT_EQ(e.core("blocking_ref"), "");
        EXPECT_EQ(element(e.reconcile("check"), 3), "consistent") << held.reason;
    }
    const Execution paused = created();
    ASSERT_EQ(element(block(paused, "paused_by_operator"), 2), "OK");
    EXPECT_EQ(element(take_by_operator(paused), 1), "0");
}

TEST_P(Ch06Repair, Repair_16_AReclaimThatGivesUpClosesTheStreamWithItsOwnReason) {
    Execution e = active({}, {.policy = R"({"max_reclaim_count":0})"});
    e.lose_lease();
    EXPECT_EQ(flat(e.take_over()), (List{"0", "max_retries_exhausted", "0"}));
    const RespValue read =
        host().fcall("ff_read_attempt_stream",
                     {e.stream_key(0), e.stream_key(0, ":meta"), e.key("core"), e.attempt_key(0)},
                     {"-", "+", "10"});
    EXPECT_NE(to_string(read).find("max_reclaims_exceeded"), std::string::npos) << to_string(read);
}

TEST_P(Ch06Repair, Repair_33_AReclaimGrantCanBeClaimedAsAnyOther) {
    Execution e = active();
    const std::string first_attempt = e.attempt_id;
    lose(e);
    EXPECT_EQ(element(e.claim(), 2), "execution_not_leaseable") << "without a grant";
    ASSERT_EQ(element(issue_reclaim_grant(e), 2), "OK");
    EXPECT_EQ(element(e.claim({.worker = "other"}), 2), "invalid_claim_grant");
    const ClaimArgs claim_args{.lease_id = new_uuid(), .attempt_id = new_uuid()};
    const RespValue taken = e.claim(claim_args);
    EXPECT_EQ(element(taken, 2), "OK");
    EXPECT_EQ(element(taken, 8), "reclaim");
    EXPECT_EQ(element(e.claim(claim_args), 2), "DUPLICATE");
    EXPECT_EQ(e.vector(), vector_l9());
    EXPECT_EQ(e.core("lease_reclaim_count"), "1");
    EXPECT_EQ(e.attempt(0, "attempt_state"), "interrupted_reclaimed");
    EXPECT_NE(e.attempt_id, first_attempt);
    EXPECT_FALSE(exists(e.key("claim_grant")));
    EXPECT_EQ(element(e.complete(), 2), "OK");
}

TEST_P(Ch06Repair, Repair_33_TheCapHoldsThereToo) {
    Execution e = active({}, {.policy = R"({"max_reclaim_count":1})"});
    lose(e);
    ASSERT_EQ(element(issue_reclaim_grant(e), 2), "OK");
    e.set_core("lease_reclaim_count", "1");
    EXPECT_EQ(flat(e.claim()), (List{"0", "max_retries_exhausted", "1"}));
    EXPECT_EQ(e.core("failure_reason"), "max_reclaims_exceeded");
}

}  // namespace
}  // namespace ff::contract
