#include <set>

#include "contract/execution.h"

namespace ff::contract {
namespace {

FF_CONTRACT_SUITE(Ch02Lease, ExecutionContract);

using Row = std::map<std::string, std::string>;

TEST_P(Ch02Lease, S41_LapsedLeaseIsMarkedAndStaysFindable) {
    Execution e = active({.ttl_ms = "100", .timeout_ms = "60000"});
    command({"HSET", e.stream_key(0, ":meta"), "created_at", "1", "frame_count", "0"});
    e.set_core("stream_meta_max", "0");
    ASSERT_EQ(element(e.renew("50"), 2), "OK");
    EXPECT_EQ(flat(e.mark_expired()), (List{"1", "ALREADY_SATISFIED", "not_yet_expired"}));
    EXPECT_EQ(e.vector(), vector_l9());
    await_time(std::stoll(e.core("lease_expires_at")));
    EXPECT_EQ(flat(e.mark_expired()), (List{"1", "OK", "marked_expired"}));
    EXPECT_EQ(e.vector(), vector_l10());
    EXPECT_EQ(e.core("blocking_detail"), "lease expired, awaiting reclaim");
    EXPECT_EQ(e.memberships(), (List{"active", "lease_expiry"}));
    EXPECT_TRUE(in_set(e.worker_key("w1-1"), e.id()));
    EXPECT_EQ(hash(e.stream_key(0, ":meta"))["closed_reason"], "lease_expired");
    EXPECT_EQ(e.lease_events(), (List{"acquired", "expired"}));
    EXPECT_EQ(flat(e.mark_expired()), (List{"1", "ALREADY_SATISFIED", "already_expired"}));

    Execution gone = execution();
    command({"ZADD", index("lease_expiry"), "1", gone.id()});
    EXPECT_EQ(flat(gone.mark_expired()), (List{"1", "ALREADY_SATISFIED", "execution_not_found"}));
    EXPECT_EQ(score(index("lease_expiry"), gone.id()), std::nullopt);
    Execution waiting = created();
    EXPECT_EQ(flat(waiting.mark_expired()), (List{"1", "ALREADY_SATISFIED", "not_active"}));
}

/// One round of the expiry scanner: a page of the overdue range from where the last one ended.
class ExpiryScanner {
  public:
    ExpiryScanner(Host& host, std::string index) : host_(host), index_(std::move(index)) {}

    List round(std::int64_t now) {
        List page = flat(host_.command({"ZRANGEBYSCORE", index_, from_, std::to_string(now),
                                        "LIMIT", "0", std::to_string(kPage)}));
        if (page.size() < kPage) {
            from_ = "-inf";
        } else {
            from_ = "(" + host_.command({"ZSCORE", index_, page.back()}).text;
        }
        return page;
    }
    static constexpr std::size_t kPage = 400;

  private:
    Host& host_;
    std::string index_;
    std::string from_ = "-inf";
};

TEST_P(Ch02Lease, S42_MarkedWorkDoesNotHideNewlyLapsedLeases) {
    Execution late = active();
    for (int i = 0; i < 500; ++i) {
        Execution e = created();
        e.take();
        e.set_core("lease_expires_at", std::to_string(i + 1));
        command({"ZADD", index("lease_expiry"), std::to_string(i + 1), e.id()});
        e.mark_expired();
    }
    ExpiryScanner scanner(host(), index("lease_expiry"));
    scanner.round(now());
    late.set_core("lease_expires_at", "1000");
    command({"ZADD", index("lease_expiry"), "1000", late.id()});
    std::set<std::string> seen;
    for (int round = 0; round < 2; ++round) {
        for (const std::string& id : scanner.round(now())) seen.insert(id);
    }
    ASSERT_TRUE(seen.contains(late.id()));
    EXPECT_EQ(flat(late.mark_expired()), (List{"1", "OK", "marked_expired"}));
}

TEST_P(Ch02Lease, S43_LostWorkIsReclaimedWithANewAttempt) {
    for (const bool revoked : {false, true}) {
        Execution e = active({.worker = "a", .timeout_ms = "60000"},
                             {.policy = R"({"timeout_policy":{"attempt_timeout_ms":9000}})"});
        const Execution old = e;
        const std::string why = revoked ? "lease_revoked" : "lease_expired";
        if (revoked) {
            e.revoke();
        } else {
            e.lose_lease();
        }
        const RespValue reply = e.take_over({.worker = "b"});
        EXPECT_EQ(flat(reply), (List{"1", "OK", e.lease_id, "2", e.core("lease_expires_at"),
                                     e.attempt_id, "1", "reclaim"}));
        EXPECT_EQ(e.vector(), vector_l9());
        EXPECT_EQ(e.attempt(0, "attempt_state"), "interrupted_reclaimed");
        EXPECT_EQ(e.attempt(0, "failure_reason"), why);
        EXPECT_EQ(e.attempt(1, "reclaim_reason"), why);
        EXPECT_FALSE(in_set(e.worker_key("a-1"), e.id()));
        EXPECT_TRUE(in_set(e.worker_key("b-1"), e.id()));
        EXPECT_EQ(score(index("attempt_timeout"), e.id()),
                  std::stoll(e.attempt(1, "started_at")) + 9000);
        EXPECT_EQ(score(index("lease_expiry"), e.id()), std::stoll(e.core("lease_expires_at")));
        Row history = entries(e.key("lease:history")).back();
        EXPECT_EQ(history["event"], "reclaimed");
        EXPECT_EQ(history["lease_id"], old.lease_id);
        EXPECT_EQ(history["new_lease_id"], e.lease_id);
        EXPECT_EQ(e.core("lease_reclaim_count"), "1");
        EXPECT_EQ(e.core("last_release_op"), "reclaimed");
        EXPECT_EQ(e.core("last_release_lease_id"), old.lease_id);
    }
}

TEST_P(Ch02Lease, S44_AtTheCapReclaimEndsTheExecution) {
    Execution e = active({}, {.policy = R"({"max_reclaim_count":1})"});
    e.set_core("flow_id", new_uuid());
    command({"SADD", "ff:flow:" + tag() + ":" + e.core("flow_id") + ":out:" + e.id(), "edge"});
    e.lose_lease();
    ASSERT_EQ(element(e.take_over(), 2), "OK");
    e.lose_lease();
    e.grant();
    EXPECT_EQ(flat(e.reclaim({.default_max_reclaims = "50"})),
              (List{"0", "max_retries_exhausted", "1"}));
    EXPECT_EQ(e.vector(), vector_terminal("failed"));
    EXPECT_EQ(e.core("failure_reason"), "max_reclaims_exceeded");
    EXPECT_EQ(e.attempt(1, "attempt_state"), "interrupted_reclaimed");
    EXPECT_EQ(e.memberships(), List{"terminal"});
    EXPECT_EQ(entries(e.key("lease:history")).back().at("reason"), "max_reclaims_exceeded");
    EXPECT_TRUE(score(index("cascade_pending"), e.id()).has_value());

    Execution by_argument = active();
    by_argument.lose_lease();
    by_argument.grant();
    EXPECT_EQ(flat(by_argument.reclaim({.default_max_reclaims = "0"})),
              (List{"0", "max_retries_exhausted", "0"}));
}

TEST_P(Ch02Lease, S45_HeldWorkIsNotReclaimedAndAResentReclaimIsADuplicate) {
    Execution e = active();
    e.grant();
    EXPECT_EQ(flat(e.reclaim()), (List{"0", "execution_not_reclaimable"}));
    e.lose_lease();
    const ClaimArgs same{.lease_id = new_uuid(), .attempt_id = new_uuid()};
    const List first = flat(e.take_over(same));
    List again = flat(e.reclaim(same));
    EXPECT_EQ(again[1], "DUPLICATE");
    again[1] = "OK";
    EXPECT_EQ(again, first);
    EXPECT_EQ(e.core("lease_reclaim_count"), "1");
}

TEST_P(Ch02Lease, S50_RenewalMovesEveryExpiry) {
    Execution e = active();
    const RespValue reply = e.renew("90000");
    const std::string expires = element(reply, 3);
    EXPECT_EQ(flat(reply), (List{"1", "OK", expires}));
    EXPECT_EQ(e.core("lease_expires_at"), expires);
    EXPECT_EQ(score(index("lease_expiry"), e.id()), std::stoll(expires));
    EXPECT_EQ(score(e.lane_key("active"), e.id()), std::stoll(expires));
    EXPECT_EQ(std::stoll(e.core("lease_last_renewed_at")), std::stoll(expires) - 90'000);
    EXPECT_EQ(e.core("lease_renewal_deadline"), "");
    EXPECT_FALSE(exists(e.key("lease:current")));
    EXPECT_EQ(e.core("current_lease_epoch"), "1");
    EXPECT_FALSE(exists(e.key("lease:history")));
    EXPECT_EQ(flat(e.renew("90000", "1")), (List{"0", "stale_lease"}));
    EXPECT_EQ(element(e.renew("90000", "0", "1"), 2), "OK");
    EXPECT_EQ(e.lease_events(), (List{"acquired", "renewed"}));
    Execution unfenced = e;
    unfenced.lease_id = unfenced.epoch = unfenced.attempt_id = "";
    EXPECT_EQ(flat(unfenced.renew()), (List{"0", "fence_required"}));
}

TEST_P(Ch02Lease, S51_ANewLeaseForgetsThatAnEarlierOneWasRevoked) {
    Execution e = active();
    e.revoke();
    e.cancel("stop", "operator_override");
    ASSERT_EQ(element(e.replay(), 2), "OK");
    ASSERT_EQ(element(e.take(), 8), "replay");
    EXPECT_EQ(element(e.renew("30000", "1"), 2), "OK");
}

TEST_P(Ch02Lease, S52_RevocationOffersTheWorkAtOnce) {
    Execution e = active({.timeout_ms = "9000"});
    const RespValue stale = e.revoke("other");
    EXPECT_EQ(element(stale, 2), "stale_lease");
    EXPECT_NE(element(stale, 3).find(e.lease_id), std::string::npos);
    EXPECT_EQ(flat(e.revoke(e.lease_id, "drain")), (List{"1", "OK", "revoked", e.lease_id, "1"}));
    EXPECT_EQ(e.vector(), vector_l11());
    EXPECT_EQ(e.memberships(), (List{"active", "lease_expiry"}));
    EXPECT_EQ(score(index("lease_expiry"), e.id()), std::stoll(e.core("lease_revoked_at")));
    EXPECT_FALSE(in_set(e.worker_key("w1-1"), e.id()));
    EXPECT_EQ(e.core("lease_revoke_reason"), "drain");
    EXPECT_EQ(e.core("current_lease_id"), e.lease_id);
    EXPECT_EQ(entries(e.key("lease:history")).back().at("reason"), "drain");
    EXPECT_EQ(feed("operator").back().at("event"), "lease_revoked");
    EXPECT_EQ(flat(e.revoke()), (List{"1", "ALREADY_SATISFIED", "already_revoked"}));
    Execution lost = active();
    lost.lose_lease();
    EXPECT_EQ(flat(lost.revoke()), (List{"1", "ALREADY_SATISFIED", "already_expired"}));
    EXPECT_EQ(element(created().revoke(), 2), "execution_not_active");
}

TEST_P(Ch02Lease, S63_EveryEndOfALeaseHandsItsQuotaSlotsBack) {
    const auto releases = [this](const char* name, const std::function<void(Execution&)>& end) {
        Execution e = active({}, {.policy = R"({"max_reclaim_count":0})"});
        e.set_core("admitted_quota_ids", "q1,q2");
        end(e);
        EXPECT_TRUE(in_set(index("quota_release"), "q1|" + e.id())) << name;
        EXPECT_TRUE(in_set(index("quota_release"), "q2|" + e.id())) << name;
        EXPECT_EQ(e.core("admitted_quota_ids"), "") << name;
        EXPECT_EQ(e.core("released_quota_ids"), "q1,q2") << name;
        return e;
    };
    releases("complete", [](Execution& e) { e.complete(); });
    releases("fail", [](Execution& e) { e.fail(); });
    releases("cancel", [](Execution& e) { e.cancel("stop", "operator_override"); });
    releases("children", [](Execution& e) { e.wait_for_children(); });
    releases("expire", [](Execution& e) { e.expire("execution_deadline"); });
    releases("revoked give up", [](Execution& e) {
        e.revoke();
        e.grant();
        EXPECT_EQ(element(e.reclaim(), 2), "max_retries_exhausted");
    });
    releases("give up", [](Execution& e) {
        e.lose_lease();
        e.grant();
        EXPECT_EQ(element(e.reclaim(), 2), "max_retries_exhausted");
    });
    Execution delayed = releases("delay", [](Execution& e) { e.delay("+0"); });
    delayed.promote();
    ASSERT_EQ(element(delayed.take_resumed(), 2), "OK");
    // The drainer may be giving them back at this moment: only who is admitted again holds them.
    EXPECT_TRUE(in_set(index("quota_release"), "q1|" + delayed.id()));
    EXPECT_EQ(delayed.core("released_quota_ids"), "");
    EXPECT_EQ(delayed.core("admitted_quota_ids"), "");
}

TEST_P(Ch02Lease, S63_ARevokedLeaseKeepsItsQuotaSlotsForWhoeverTakesOver) {
    Execution e = active();
    e.set_core("admitted_quota_ids", "q1");
    e.revoke();
    EXPECT_EQ(e.core("admitted_quota_ids"), "q1");
    e.grant();
    ASSERT_EQ(element(e.reclaim(), 2), "OK");
    EXPECT_EQ(e.core("admitted_quota_ids"), "q1");
    EXPECT_FALSE(exists(index("quota_release")));
}

TEST_P(Ch02Lease, S64_UsageCountsOncePerReport) {
    Execution e = active();
    EXPECT_FALSE(exists(e.attempt_key(0, ":usage")));
    const List report{"", "", e.attempt_id, R"({"total_tokens":5})"};
    const auto sent = [&](const std::string& sequence) {
        List args = report;
        args.push_back(sequence);
        return flat(e.progress(args));
    };
    for (const char* sequence : {"1", "1", "2"}) EXPECT_EQ(sent(sequence), (List{"1", "OK"}));
    Row usage = hash(e.attempt_key(0, ":usage"));
    EXPECT_EQ(usage["total_tokens"], "10");
    EXPECT_EQ(usage["last_usage_report_seq"], "2");
    EXPECT_EQ(flat(e.progress({"40", "half way"})), (List{"1", "OK"}));
    EXPECT_EQ(e.core("progress_pct"), "40");
    EXPECT_EQ(flat(e.progress({"", "further"})), (List{"1", "OK"}));
    EXPECT_EQ(e.core("progress_pct"), "40");
    EXPECT_EQ(e.core("progress_message"), "further");
    for (const char* bad : {"101", "-1", "x"}) {
        EXPECT_EQ(element(e.progress({bad}), 2), "invalid_input") << bad;
    }
    for (const char* bad : {"{", "[1]", R"({"a":-1})", R"({"a":1.5})", R"({"a":"1"})"}) {
        EXPECT_EQ(element(e.progress({"", "", "", bad}), 2), "invalid_input") << bad;
    }
    EXPECT_EQ(flat(e.progress({"", "", new_uuid()})), (List{"0", "stale_lease"}));
}

TEST_P(Ch02Lease, S66_UsageWithADedupIdIsKnownWhenTheLeaseHasEnded) {
    Execution e = active();
    const auto sent = [&e](const std::string& id) {
        return flat(e.progress({"", "", e.attempt_id, R"({"total_tokens":5})", "", id}));
    };
    EXPECT_EQ(sent("d"), (List{"1", "OK"}));
    EXPECT_EQ(sent("d"), (List{"1", "ALREADY_APPLIED"}));
    EXPECT_EQ(sent("e"), (List{"1", "OK"}));
    e.lose_lease();
    EXPECT_EQ(sent("d"), (List{"1", "ALREADY_APPLIED"}));
    EXPECT_EQ(sent("f"), (List{"0", "lease_expired"}));
    EXPECT_EQ(hash(e.attempt_key(0, ":usage"))["total_tokens"], "10");
    // Another execution's report under the same id is its own.
    const Execution other = active();
    EXPECT_EQ(flat(other.progress({"", "", "", R"({"total_tokens":5})", "", "d"})),
              (List{"1", "OK"}));
    EXPECT_EQ(element(e.progress({"", "", "", R"({"a":1})", "", std::string(513, 'd')}), 2),
              "invalid_input");
}

TEST_P(Ch02Lease, S67_TheCoreRemembersWhatTheCallThatEndedTheLeaseAnswered) {
    Execution e = active();
    const std::string until = std::to_string(now() + 60'000);
    e.delay(until);
    EXPECT_EQ(e.core("last_release_answer"), until);
    e.set_core("delay_until", "1");
    e.promote();
    EXPECT_EQ(e.core("last_release_answer"), until);
    e.take_resumed();
    e.wait_for_children("1");
    EXPECT_EQ(e.core("last_release_answer"), "eligible");
    e.take_resumed();
    const RespValue retry = e.fail({.retry_policy = R"({"max_retries":1})"});
    EXPECT_EQ(e.core("last_release_answer"), element(retry, 4));
    e.set_core("delay_until", "1");
    e.promote();
    e.take();
    e.fail();
    EXPECT_EQ(e.core("last_release_answer"), "no_policy");
    Execution done = active();
    done.delay("+0");
    done.promote();
    done.take_resumed();
    done.complete();
    EXPECT_EQ(done.core("last_release_answer"), "");
}

}  // namespace
}  // namespace ff::contract
