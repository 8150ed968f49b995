#include <algorithm>

#include "base/digest.h"
#include "contract/execution.h"

namespace ff::contract {
namespace {

FF_CONTRACT_SUITE(Ch02End, ExecutionContract);

using Row = std::map<std::string, std::string>;

/// Ends the wait for a retry at once and claims it.
void retry_now(Execution& e, const ClaimArgs& claim = {}) {
    e.set_core("delay_until", "1");
    ASSERT_EQ(flat(e.promote()), (List{"1", "OK", "promoted"}));
    const RespValue reply = e.take(claim);
    ASSERT_EQ(element(reply, 2), "OK") << to_string(reply);
}

TEST_P(Ch02End, S19_CompletionEndsEverythingAndTellsItsFlow) {
    const auto listener = host().listen("ff:dag:completions");
    Execution solo = active({.instance = "i1"});
    EXPECT_EQ(flat(solo.complete("done")), (List{"1", "OK", "completed"}));
    EXPECT_EQ(solo.vector(), vector_terminal("success"));
    EXPECT_EQ(solo.memberships(), List{"terminal"});
    EXPECT_EQ(command({"GET", solo.key("result")}).text, "done");
    EXPECT_EQ(solo.attempt(0, "attempt_state"), "ended_success");
    EXPECT_EQ(solo.core("current_lease_id"), "");
    EXPECT_FALSE(in_set(solo.worker_key("i1"), solo.id()));
    EXPECT_EQ(solo.core("last_release_op"), "completed");
    EXPECT_EQ(solo.core("last_release_lease_id"), solo.lease_id);
    EXPECT_EQ(solo.core("last_release_at"), solo.core("completed_at"));
    EXPECT_EQ(solo.attempt(0, "worker_instance_id"), "i1");
    EXPECT_FALSE(exists(solo.key("lease:history")));
    const std::vector<Row> completions = feed("completion");
    ASSERT_EQ(completions.size(), 1U);
    Row entry = completions[0];
    EXPECT_EQ(entry["family"], "completion,lease_history");
    EXPECT_EQ(entry["outcome"], "success");
    EXPECT_EQ(entry["release_reason"], "completed");

    // The only message is that of the flow member.
    const std::string flow = new_uuid();
    Execution member = active();
    member.set_core("flow_id", flow);
    EXPECT_EQ(element(member.complete(), 3), "completed");
    const std::string message = listener->next();
    EXPECT_NE(message.find(member.id()), std::string::npos) << message;
    EXPECT_NE(message.find(flow), std::string::npos);
    EXPECT_NE(message.find("\"success\""), std::string::npos);
}

TEST_P(Ch02End, S20_CompletionSentAgainNamesItself) {
    Execution e = active();
    e.complete();
    const auto before = host().contents(tag());
    EXPECT_EQ(flat(e.complete()), (List{"0", "execution_not_active", "success", "1", "terminal",
                                        e.attempt_id, "completed", e.lease_id, ""}));
    EXPECT_EQ(host().contents(tag()), before);
}

TEST_P(Ch02End, S21_TheFenceIsWholeAndRight) {
    Execution e = active();
    const Execution right = e;
    for (int wrong = 0; wrong < 3; ++wrong) {
        e = right;
        std::string& part = wrong == 0 ? e.lease_id : wrong == 1 ? e.epoch : e.attempt_id;
        part = wrong == 1 ? "7" : new_uuid();
        EXPECT_EQ(flat(e.complete()), (List{"0", "stale_lease"})) << wrong;
        part = "";
        EXPECT_EQ(flat(e.complete()), (List{"0", "partial_fence_triple"})) << wrong;
    }
    e.lease_id = e.epoch = e.attempt_id = "";
    EXPECT_EQ(flat(e.complete()), (List{"0", "fence_required"}));
    EXPECT_EQ(e.vector(), vector_l9());
    EXPECT_EQ(flat(e.complete("x", "operator_override")), (List{"1", "OK", "completed"}));
    EXPECT_EQ(e.attempt(0, "terminalized_by_override"), "1");
}

TEST_P(Ch02End, S22_AtTheInstantOfExpiryTheLeaseIsOver) {
    Execution e = active();
    e.set_core("lease_expires_at", std::to_string(now()));
    EXPECT_EQ(flat(e.complete()), (List{"0", "lease_expired"}));
    EXPECT_EQ(e.vector(), vector_l10());
    EXPECT_EQ(flat(e.complete()), (List{"0", "lease_expired"}));
    EXPECT_EQ(e.lease_events(), (List{"acquired", "expired"}));
}

TEST_P(Ch02End, S23_FormerOwnerOfARevokedLeaseIsToldSo) {
    Execution e = active();
    e.revoke();
    const List revoked{"0", "lease_revoked"};
    EXPECT_EQ(flat(e.complete()), revoked);
    EXPECT_EQ(flat(e.fail()), revoked);
    EXPECT_EQ(flat(e.renew()), revoked);
    EXPECT_EQ(flat(e.progress({"5"})), revoked);
    EXPECT_EQ(flat(e.delay("+0")), revoked);
}

TEST_P(Ch02End, S24_ReclaimedWorkIsOutOfTheOldWorkersHands) {
    Execution a = active({.worker = "a"});
    Execution b = a;
    a.lose_lease();
    ASSERT_EQ(element(b.take_over({.worker = "b"}), 2), "OK");
    EXPECT_EQ(flat(a.complete()), (List{"0", "stale_lease"}));
    EXPECT_EQ(b.vector(), vector_l9());
    EXPECT_EQ(b.attempt(1, "attempt_state"), "started");
    EXPECT_EQ(element(b.complete(), 3), "completed");
}

TEST_P(Ch02End, S25_FailureSchedulesARetry) {
    Execution e = active();
    const RespValue reply =
        e.fail({.reason = "io",
                .retry_policy = R"({"max_retries":3,"backoff":{"type":"fixed","delay_ms":10}})"});
    EXPECT_EQ(flat(reply), (List{"1", "OK", "retry_scheduled", e.core("delay_until"), "1"}));
    EXPECT_EQ(e.vector(), vector_l2("waiting_for_retry_backoff", "pending_retry_attempt"));
    EXPECT_EQ(e.core("blocking_detail"),
              "retry backoff until " + e.core("delay_until") + " (attempt 0 failed: io)");
    EXPECT_EQ(e.core("retry_count"), "1");
    EXPECT_EQ(e.attempt(0, "attempt_state"), "ended_failure");
    EXPECT_EQ(e.core("current_attempt_id"), "");
    EXPECT_EQ(e.core("current_lease_epoch"), "1");
    EXPECT_EQ(e.memberships(), List{"delayed"});
    await_time(std::stoll(e.core("delay_until")));
    EXPECT_EQ(flat(e.promote()), (List{"1", "OK", "promoted"}));
    const RespValue claimed = e.take();
    EXPECT_EQ(element(claimed, 4), "2");
    EXPECT_EQ(element(claimed, 7), "1");
    EXPECT_EQ(element(claimed, 8), "retry");
    EXPECT_EQ(e.attempt(1, "retry_reason"), "io");
    EXPECT_EQ(e.attempt(1, "previous_attempt_index"), "0");
    EXPECT_EQ(e.core("pending_retry_reason"), "");
}

std::vector<std::int64_t> delays_of(Execution& e, const std::string& policy, int count) {
    std::vector<std::int64_t> delays;
    for (int i = 0; i < count; ++i) {
        const RespValue reply = e.fail({.retry_policy = policy});
        EXPECT_EQ(element(reply, 3), "retry_scheduled") << to_string(reply);
        EXPECT_EQ(element(reply, 4).find_first_not_of("0123456789"), std::string::npos);
        delays.push_back(std::stoll(element(reply, 4)) - std::stoll(e.core("last_transition_at")));
        retry_now(e);
    }
    return delays;
}

TEST_P(Ch02End, S26_BackoffGrowsToItsCapAndJitterIsReproducible) {
    Execution e = active();
    const std::string doubling =
        R"({"max_retries":9,"backoff":{"type":"exponential","initial_delay_ms":100,"max_delay_ms":1000}})";
    EXPECT_EQ(delays_of(e, doubling, 6),
              (std::vector<std::int64_t>{100, 200, 400, 800, 1000, 1000}));
    Execution f = active();
    EXPECT_EQ(
        delays_of(f, R"({"max_retries":9,"backoff":{"initial_delay_ms":101,"multiplier":1.5}})", 4),
        (std::vector<std::int64_t>{101, 151, 227, 340}));
    Execution j = active();
    const std::vector<std::int64_t> spread =
        delays_of(j, R"({"max_retries":9,"backoff":{"initial_delay_ms":1000,"jitter":true}})", 3);
    for (std::size_t n = 0; n < spread.size(); ++n) {
        const double d = 1000.0 * static_cast<double>(1U << n);
        const double h = std::stod("0x" + sha1_hex(j.id() + ":" + std::to_string(n)).substr(0, 8)) /
                         4294967296.0;
        EXPECT_EQ(spread[n], static_cast<std::int64_t>(d / 2 + d / 2 * h)) << n;
        EXPECT_GE(static_cast<double>(spread[n]), d / 2);
        EXPECT_LE(static_cast<double>(spread[n]), d);
    }
}

TEST_P(Ch02End, S27_WithoutRetriesLeftFailureIsFinal) {
    Execution none = active();
    EXPECT_EQ(flat(none.fail()), (List{"1", "OK", "terminal_failed", "no_policy"}));
    EXPECT_EQ(none.vector(), vector_terminal("failed"));
    EXPECT_EQ(none.memberships(), List{"terminal"});
    EXPECT_EQ(none.core("failure_reason"), "boom");
    Execution empty = active();
    EXPECT_EQ(element(empty.fail({.retry_policy = "{}"}), 4), "no_policy");
    Execution zero = active();
    EXPECT_EQ(element(zero.fail({.retry_policy = R"({"max_retries":0})"}), 4), "retries_exhausted");
    Execution used = active();
    const std::string once = R"({"max_retries":1,"backoff":{"type":"fixed","delay_ms":1000}})";
    EXPECT_EQ(element(used.fail({.retry_policy = once}), 3), "retry_scheduled");
    retry_now(used);
    EXPECT_EQ(flat(used.fail({.retry_policy = once})),
              (List{"1", "OK", "terminal_failed", "retries_exhausted"}));
}

TEST_P(Ch02End, S28_CategoriesDecideWhatIsRetried) {
    const auto failed = [this](const std::string& category, const std::string& policy) {
        Execution e = active();
        return element(e.fail({.category = category, .retry_policy = policy}), 4);
    };
    EXPECT_EQ(failed("provider_error", R"({"max_retries":3,"retryable_categories":["timeout"]})"),
              "category_not_retryable");
    for (const char* category : {"permanent", "cancelled", "budget_exceeded"}) {
        EXPECT_EQ(failed(category, R"({"max_retries":3})"), "category_not_retryable") << category;
    }
    Execution e = active();
    EXPECT_EQ(
        element(e.fail({.category = "budget_exceeded",
                        .retry_policy =
                            R"({"max_retries":3,"retryable_categories":["budget_exceeded"]})"}),
                3),
        "retry_scheduled");
}

TEST_P(Ch02End, S29_MalformedRetryPolicyChangesNothing) {
    Execution e = active();
    const auto before = host().contents(tag());
    EXPECT_EQ(flat(e.fail({.retry_policy = "{"})),
              (List{"0", "invalid_policy_json", "retry_policy:malformed"}));
    EXPECT_EQ(flat(e.fail({.retry_policy = "[1]"})),
              (List{"0", "invalid_policy_json", "retry_policy:not_object"}));
    EXPECT_EQ(flat(e.fail({.retry_policy = R"({"backoff":{"type":"odd"}})"})),
              (List{"0", "invalid_policy_json", "retry_policy:backoff_type"}));
    EXPECT_EQ(element(e.fail({.retry_policy_source = "other"}), 2), "invalid_input");
    EXPECT_EQ(element(e.fail({.fallback_to = "first"}), 2), "invalid_input");
    EXPECT_EQ(host().contents(tag()), before);
    EXPECT_EQ(element(e.fail({.retry_policy = R"({"max_retries":1})"}), 3), "retry_scheduled");
}

TEST_P(Ch02End, S30_StoredRetryPolicyDecidesWhenAsked) {
    Execution e = active(
        {}, {.policy =
                 R"({"retry_policy":{"max_retries":2,"backoff":{"type":"fixed","delay_ms":70}}})"});
    const RespValue reply = e.fail({.retry_policy = "", .retry_policy_source = "stored"});
    EXPECT_EQ(element(reply, 3), "retry_scheduled");
    EXPECT_EQ(std::stoll(element(reply, 4)), std::stoll(e.core("last_transition_at")) + 70);
    Execution none = active();
    EXPECT_EQ(element(none.fail({.retry_policy_source = "stored"}), 4), "no_policy");
}

TEST_P(Ch02End, S31_FallbackRunsTheNextTier) {
    Execution e =
        active({}, {.policy = R"({"fallback_policy":{"tiers":[{"provider":"A","model":"a"},)"
                              R"({"provider":"B","model":"b","timeout_ms":7000}]}})"});
    const RespValue reply = e.fail({.fallback_to = "next"});
    EXPECT_EQ(element(reply, 3), "retry_scheduled");
    EXPECT_EQ(e.vector(), vector_l1("pending_retry_attempt"));
    EXPECT_EQ(e.core("retry_count"), "");
    EXPECT_EQ(element(e.take(), 8), "fallback");
    EXPECT_EQ(e.attempt(1, "fallback_index"), "1");
    Row frozen = hash(e.attempt_key(1, ":policy"));
    EXPECT_EQ(frozen["provider"], "B");
    EXPECT_EQ(frozen["model"], "b");
    EXPECT_EQ(frozen["timeout_ms"], "7000");
    EXPECT_EQ(score(index("attempt_timeout"), e.id()),
              std::stoll(e.attempt(1, "started_at")) + 7000);
    EXPECT_EQ(flat(e.fail({.fallback_to = "next"})),
              (List{"1", "OK", "terminal_failed", "no_policy"}));
}

TEST_P(Ch02End, S32_FailureSentAgainNamesItself) {
    Execution e = active();
    const RespValue reply = e.fail({.retry_policy = R"({"max_retries":1})"});
    EXPECT_EQ(flat(e.fail({.retry_policy = R"({"max_retries":1})"})),
              (List{"0", "execution_not_active", "none", "1", "runnable", "",
                    "failed_retry_scheduled", e.lease_id, element(reply, 4)}));
}

}  // namespace
}  // namespace ff::contract
