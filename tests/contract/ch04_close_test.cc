#include "contract/streams.h"

namespace ff::contract {
namespace {

class ClosingContract : public StreamContract {
  protected:
    /// An attempt with one durable frame.
    Execution streaming(const CreateArgs& create = {}) const {
        Execution e = active({}, create);
        EXPECT_EQ(element(append(e), 2), "OK");
        return e;
    }
    /// Closed once for this reason, with a marker for waiting readers, the frames untouched.
    void expect_closed(const Execution& e, const std::string& reason) const {
        const Page page = read(e);
        EXPECT_EQ(page.closed_reason, reason);
        EXPECT_NE(page.closed_at, "") << reason;
        EXPECT_EQ(page.payloads(), List{"x"}) << reason;
        EXPECT_EQ(page.frame_count, "1") << reason;
        EXPECT_EQ(markers(e).size(), 1U) << reason;
        EXPECT_EQ(length(e.stream_key(0)), 1) << reason;
        EXPECT_EQ(page.more, "0");
        if (const auto ttl = host().ttl_ms(e.stream_key(0, ":live"))) {
            EXPECT_GT(*ttl, 0);
            EXPECT_LE(*ttl, 60'000);
        }
    }
};

FF_CONTRACT_SUITE(Ch04Close, ClosingContract);

TEST_P(Ch04Close, S29_EveryEndOfAnAttemptClosesItsStreamWithItsReason) {
    Execution e = streaming();
    e.complete();
    expect_closed(e, "attempt_success");
    e = streaming();
    e.fail({.retry_policy = R"({"max_retries":3})"});
    expect_closed(e, "attempt_failure");
    e = streaming();
    e.fail({.category = "permanent"});
    expect_closed(e, "attempt_failure");
    e = streaming();
    e.cancel("stop", "operator_override");
    expect_closed(e, "attempt_cancelled");
    e = streaming();
    e.expire("deadline");
    expect_closed(e, "expired");
    e = streaming();
    e.lose_lease();
    expect_closed(e, "lease_expired");
    e = streaming();
    e.revoke();
    expect_closed(e, "lease_revoked");
    e = streaming();
    e.lose_lease();
    e.take_over();
    expect_closed(e, "reclaimed");
    e = streaming({.policy = R"({"max_reclaim_count":0})"});
    e.lose_lease();
    EXPECT_EQ(element(e.take_over(), 2), "max_retries_exhausted");
    expect_closed(e, "max_reclaims_exceeded");
    for (const char* behavior : {"fail", "cancel", "expire"}) {
        e = streaming();
        suspend(e, {.timeout_at = "+60000", .behavior = behavior});
        make_due(e);
        EXPECT_EQ(element(expire_suspension(e), 3), behavior);
        expect_closed(e, "suspension_timeout");
    }
}

TEST_P(Ch04Close, S29_ASkippedMemberClosesItsStream) {
    Execution e = streaming();
    const Suspended s = suspend(e);
    e.set_core("flow_id", new_uuid());
    command({"HSET", e.key("deps:meta"), "gate", "impossible"});
    EXPECT_EQ(effect(e, s.primary()), "resume_condition_satisfied");
    EXPECT_EQ(e.core("public_state"), "skipped");
    expect_closed(e, "dependency_impossible");
    EXPECT_EQ(suspension(e)["close_reason"], "skipped");
    EXPECT_EQ(waitpoint(s.primary().id)["state"], "closed");
    EXPECT_EQ(e.memberships(), List{"terminal"});
}

TEST_P(Ch04Close, S31_AWatchedAttemptThatNeverComesIsToldSo) {
    Execution e = created();
    open_stream(e);
    e.cancel("stop", "operator_override");
    EXPECT_EQ(markers(e), List{"attempt_never_started"});
    EXPECT_FALSE(exists(e.stream_key(0, ":meta")));
    const Page page = read(e);
    EXPECT_EQ(page.closed_reason, "attempt_never_started");
    EXPECT_EQ(page.closed_at, e.core("completed_at"));
    EXPECT_TRUE(page.frames.empty());
    EXPECT_EQ(element(e.replay(), 2), "OK");
    e.take();
    EXPECT_EQ(element(append(e), 2), "OK");
    EXPECT_EQ(read(e).closed_at, "");
    EXPECT_EQ(read(e).payloads(), List{"x"});
    EXPECT_EQ(markers(e), List{});
}

TEST_P(Ch04Close, S32_CancellingDelayedWorkClosesItsStream) {
    Execution e = streaming();
    e.delay("+60000");
    EXPECT_EQ(read(e).closed_at, "");
    e.cancel("stop", "operator_override");
    expect_closed(e, "attempt_cancelled");
}

TEST_P(Ch04Close, S33_AReclaimRefinesTheReasonAndKeepsTheTime) {
    Execution e = streaming();
    e.lose_lease();
    const std::string closed_at = meta(e, "closed_at");
    await_time(std::stoll(closed_at) + 2);
    e.take_over();
    EXPECT_EQ(meta(e, "closed_reason"), "reclaimed");
    EXPECT_EQ(meta(e, "closed_at"), closed_at);
    EXPECT_EQ(markers(e), List{"lease_expired"});
}

TEST_P(Ch04Close, S60_NothingOfAPurgedExecutionIsLeft) {
    Execution e = active({}, {.tags = R"({"a.b":"c"})"});
    const Waitpoint p = pending(e);
    EXPECT_EQ(element(buffer(e, p, {.payload = "bytes"}), 2), "OK");
    for (int attempt = 0; attempt < 2; ++attempt) {
        append(e, {.attempt = attempt});
        append(e, {.payload = "{}", .mode = "summary", .attempt = attempt});
        append(e, {.mode = "best_effort", .ttl_ms = "60000", .attempt = attempt});
        if (attempt == 0) {
            e.lose_lease();
            e.take_over();
        }
    }
    EXPECT_EQ(element(open_stream(e, 2), 3), "open");
    const Suspended s =
        suspend(e, {.condition = flat_condition(R"(["a","b"])", "all"), .attempt_index = "1"});
    EXPECT_EQ(effect(e, s.primary(), {.name = "a", .payload = "more"}), "appended_to_waitpoint");
    e.cancel("stop", "operator_override");
    for (int slices = 0; slices < 20 && exists(e.key("core")); ++slices) e.purge();
    for (const auto& [key, content] : host().contents(tag())) {
        for (const std::string& id : {e.id(), p.id, s.primary().id}) {
            EXPECT_EQ(key.find(id), std::string::npos) << key;
        }
        EXPECT_FALSE(key.starts_with("ff:signal:")) << key;
    }
    EXPECT_EQ(element(try_read(e, {}), 2), "execution_not_found");
}

}  // namespace
}  // namespace ff::contract
