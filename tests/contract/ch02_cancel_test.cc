#include "contract/execution.h"

namespace ff::contract {
namespace {

using Row = std::map<std::string, std::string>;

class PausedExecutions : public ExecutionContract {
  protected:
    /// The metadata of an attempt's stream, as the first append leaves it.
    void open_stream(const Execution& e, int attempt) const {
        command({"HSET", e.stream_key(attempt, ":meta"), "created_at", "1", "frame_count", "3",
                 "last_sequence", "5-3", "closed_at", "", "closed_reason", ""});
        e.set_core("stream_meta_max", std::to_string(attempt));
    }
    std::string stream_reason(const Execution& e, int attempt) const {
        return command({"HGET", e.stream_key(attempt, ":meta"), "closed_reason"}).text;
    }
    std::string waitpoint_key(const std::string& id, std::string_view suffix = "") const {
        return "ff:wp:" + tag() + ":" + id + std::string(suffix);
    }

    /// An active execution turned into one suspended on two waitpoints, with the records of
    /// chapter 03 as a suspension leaves them.
    struct Suspended {
        Execution execution;
        std::string first;
        std::string second;
    };
    Suspended suspended() const {
        Suspended s{active(), new_uuid(), new_uuid()};
        const Execution& e = s.execution;
        e.delay("+60000");
        const std::string timeout = std::to_string(now() + 60'000);
        command({"ZREM", e.lane_key("delayed"), e.id()});
        command({"HSET", e.key("core"), "lifecycle_phase", "suspended", "eligibility_state",
                 "not_applicable", "blocking_reason", "waiting_for_signal", "public_state",
                 "suspended", "delay_until", "", "current_suspension_id", "s1",
                 "current_waitpoint_id", s.first});
        command({"HSET", e.key("suspension:current"), "suspension_id", "s1", "waitpoint_id",
                 s.first, "additional_waitpoints_json",
                 R"([{"waitpoint_id":")" + s.second + R"(","waitpoint_key":"k"}])", "closed_at", "",
                 "timeout_at", timeout});
        for (const std::string& id : {s.first, s.second}) {
            command({"HSET", waitpoint_key(id), "waitpoint_id", id, "state", "active"});
            command({"HSET", waitpoint_key(id, ":condition"), "closed", "0"});
            command({"SADD", e.key("waitpoints"), id});
        }
        command({"SADD", e.key("suspension:current:satisfied_set"), "x"});
        command({"ZADD", e.lane_key("suspended"), timeout, e.id()});
        command({"ZADD", e.index_key("suspension_timeout"), timeout, e.id()});
        return s;
    }
    void expect_closed(const Suspended& s, const std::string& reason) const {
        for (const std::string& id : {s.first, s.second}) {
            Row waitpoint = hash(waitpoint_key(id));
            EXPECT_EQ(waitpoint["state"], "closed");
            EXPECT_EQ(waitpoint["close_reason"], reason);
            EXPECT_EQ(hash(waitpoint_key(id, ":condition"))["closed"], "1");
        }
        EXPECT_EQ(hash(s.execution.key("suspension:current"))["close_reason"], reason);
        EXPECT_FALSE(exists(s.execution.key("suspension:current:satisfied_set")));
        EXPECT_EQ(s.execution.core("current_suspension_id"), "");
        EXPECT_EQ(s.execution.memberships(), List{"terminal"});
    }
};

FF_CONTRACT_SUITE(Ch02Cancel, PausedExecutions);

TEST_P(Ch02Cancel, S33_NeverClaimedWorkIsCancelledWithoutAnAttempt) {
    Execution e = created();
    EXPECT_EQ(flat(e.cancel("stop", "operator_override")),
              (List{"1", "OK", "cancelled", "runnable"}));
    EXPECT_EQ(e.vector(), vector_terminal("cancelled", "pending_first_attempt"));
    EXPECT_EQ(e.memberships(), List{"terminal"});
    EXPECT_EQ(e.core("cancellation_reason"), "stop");
    EXPECT_EQ(e.core("cancelled_by"), "operator_override");
    ASSERT_EQ(feed("operator").size(), 1U);
    EXPECT_EQ(feed("operator")[0].at("event"), "execution_cancelled");
    EXPECT_EQ(element(e.cancel(), 2), "execution_not_active");
    EXPECT_EQ(element(e.cancel(), 3), "cancelled");
}

TEST_P(Ch02Cancel, S34_OnlyAnOpenAttemptIsEnded) {
    Execution delayed = active();
    open_stream(delayed, 0);
    delayed.delay("+60000");
    delayed.cancel("enough");
    EXPECT_EQ(delayed.attempt(0, "attempt_state"), "ended_cancelled");
    EXPECT_EQ(delayed.attempt(0, "failure_reason"), "cancelled: enough");
    EXPECT_EQ(stream_reason(delayed, 0), "attempt_cancelled");
    const auto marker = entries(delayed.stream_key(0, ":live"));
    ASSERT_EQ(marker.size(), 1U);
    EXPECT_EQ(marker[0].at("mode"), "control");
    EXPECT_EQ(delayed.memberships(), List{"terminal"});

    Execution pending = active();
    pending.fail({.retry_policy = R"({"max_retries":1})"});
    pending.cancel();
    EXPECT_EQ(pending.attempt(0, "attempt_state"), "ended_failure");
    EXPECT_EQ(pending.memberships(), List{"terminal"});
}

TEST_P(Ch02Cancel, S35_CancelClosesTheSuspensionWithAllItsWaitpoints) {
    const Suspended s = suspended();
    const std::string pending = new_uuid();
    command({"HSET", waitpoint_key(pending), "state", "pending"});
    command({"SADD", s.execution.key("waitpoints"), pending});
    command({"ZADD", index("pending_waitpoint_expiry"), "5", pending});
    EXPECT_EQ(flat(s.execution.cancel("stop", "operator_override")),
              (List{"1", "OK", "cancelled", "suspended"}));
    expect_closed(s, "cancelled");
    EXPECT_EQ(hash(waitpoint_key(pending))["state"], "closed");
    EXPECT_EQ(score(index("pending_waitpoint_expiry"), pending), std::nullopt);
    EXPECT_EQ(s.execution.attempt(0, "attempt_state"), "ended_cancelled");
}

TEST_P(Ch02Cancel, S36_CascadeCancelsRevokedWorkInSilence) {
    const auto listener = host().listen("ff:dag:completions");
    Execution e = active();
    e.set_core("flow_id", new_uuid());
    e.revoke();
    EXPECT_EQ(flat(e.cancel("stop", "worker")), (List{"0", "lease_revoked"}));
    EXPECT_EQ(e.vector(), vector_l11());
    EXPECT_EQ(element(e.cancel("stop", "flow_cascade"), 2), "OK");
    EXPECT_EQ(e.vector(), vector_terminal("cancelled"));
    EXPECT_EQ(feed("completion").back().at("cause"), "flow_cascade");
    Execution loud = created();
    loud.set_core("flow_id", new_uuid());
    loud.cancel("stop", "operator_override");
    const std::string message = listener->next();
    EXPECT_NE(message.find(loud.id()), std::string::npos);
}

TEST_P(Ch02Cancel, S36_FencedCancelNeedsTheCurrentLease) {
    Execution e = active();
    Execution stale = e;
    stale.lease_id = new_uuid();
    EXPECT_EQ(flat(stale.cancel_fenced()), (List{"0", "stale_lease"}));
    EXPECT_EQ(flat(e.cancel_fenced()), (List{"1", "OK", "cancelled", "active"}));
    EXPECT_EQ(e.memberships(), List{"terminal"});
}

TEST_P(Ch02Cancel, S37_TheCurrentAttemptIsEndedWhateverKeysWerePassed) {
    for (const bool expires : {false, true}) {
        Execution e = active();
        for (int i = 0; i < 2; ++i) {
            e.lose_lease();
            ASSERT_EQ(element(e.take_over(), 2), "OK");
        }
        const Row first = hash(e.attempt_key(0));
        if (expires) {
            EXPECT_EQ(flat(e.expire("execution_deadline")), (List{"1", "OK", "expired", "active"}));
            EXPECT_EQ(e.attempt(2, "attempt_state"), "ended_failure");
        } else {
            EXPECT_EQ(element(e.cancel("stop", "system_timeout"), 2), "OK");
            EXPECT_EQ(e.attempt(2, "attempt_state"), "ended_cancelled");
            EXPECT_EQ(e.attempt(2, "terminalized_by_override"), "1");
        }
        EXPECT_EQ(hash(e.attempt_key(0)), first);
    }
}

FF_CONTRACT_SUITE(Ch02Pause, PausedExecutions);

TEST_P(Ch02Pause, S38_DelayedWorkKeepsItsAttemptAndWaits) {
    Execution e = active({.instance = "i"});
    EXPECT_EQ(element(e.delay("soon"), 2), "invalid_input");
    EXPECT_EQ(e.vector(), vector_l9());
    const std::string until = std::to_string(now() + 60'000);
    EXPECT_EQ(flat(e.delay(until)), (List{"1", "OK", until}));
    EXPECT_EQ(e.vector(), vector_l2("waiting_for_delay", "attempt_interrupted"));
    EXPECT_EQ(e.attempt(0, "attempt_state"), "suspended");
    EXPECT_EQ(e.attempt(0, "suspension_id"), "worker_delay");
    EXPECT_EQ(e.core("current_lease_id"), "");
    EXPECT_FALSE(in_set(e.worker_key("i"), e.id()));
    EXPECT_EQ(e.memberships(), List{"delayed"});
    EXPECT_EQ(flat(e.promote()), (List{"1", "OK", "not_yet_due"}));
    EXPECT_EQ(flat(e.take_resumed()), (List{"0", "execution_not_leaseable"}));
    EXPECT_EQ(element(e.delay(until), 7), "worker_delay");
    EXPECT_EQ(element(e.delay(until), 9), until);
}

TEST_P(Ch02Pause, S39_WhatIsLeftOfTheTimeoutIsArmedAgain) {
    Execution e = active({.timeout_ms = "10000"});
    // Four seconds later.
    const std::string due = std::to_string(now() + 6000);
    e.set_core("attempt_timeout_at", due);
    command({"ZADD", index("attempt_timeout"), due, e.id()});
    e.delay("+0");
    EXPECT_EQ(score(index("attempt_timeout"), e.id()), std::nullopt);
    const std::int64_t left = std::stoll(e.attempt(0, "attempt_timeout_remaining_ms"));
    EXPECT_GT(left, 4000);
    EXPECT_LE(left, 6000);
    e.promote();
    ASSERT_EQ(element(e.take_resumed(), 2), "OK");
    EXPECT_EQ(score(index("attempt_timeout"), e.id()),
              std::stoll(e.core("lease_acquired_at")) + left);
    EXPECT_EQ(e.attempt(0, "attempt_timeout_remaining_ms"), "");
    EXPECT_EQ(e.attempt(0, "attempt_state"), "started");
}

TEST_P(Ch02Pause, S40_WaitingForChildrenThatAreNotThere) {
    Execution e = active();
    EXPECT_EQ(flat(e.wait_for_children()), (List{"1", "OK", "blocked"}));
    EXPECT_EQ(e.vector(), vector_l3("attempt_interrupted"));
    EXPECT_EQ(e.core("blocking_detail"), "waiting for child executions to complete");
    EXPECT_EQ(e.memberships(), List{"blocked:dependencies"});
    EXPECT_EQ(e.attempt(0, "suspension_id"), "waiting_children");

    Execution at_once = active();
    EXPECT_EQ(flat(at_once.wait_for_children("1")), (List{"1", "OK", "eligible"}));
    EXPECT_EQ(at_once.vector(), vector_l1("attempt_interrupted"));
    EXPECT_EQ(at_once.memberships(), List{"eligible"});
    const RespValue resumed = at_once.take_resumed();
    EXPECT_EQ(element(resumed, 8), "resumed");
    EXPECT_EQ(at_once.core("total_attempt_count"), "1");

    Execution member = active();
    member.set_core("flow_id", new_uuid());
    command({"HSET", member.key("deps:meta"), "unsatisfied_required_count", "1"});
    EXPECT_EQ(flat(member.wait_for_children("1")), (List{"1", "OK", "blocked"}));
}

FF_CONTRACT_SUITE(Ch02Expire, PausedExecutions);

TEST_P(Ch02Expire, S46_TimeoutEndsOnlyTheAttemptItWasSetFor) {
    Execution e = active({.timeout_ms = "1"});
    await_time(std::stoll(e.core("attempt_timeout_at")));
    EXPECT_EQ(flat(e.expire("", "1")), (List{"1", "OK", "expired", "active"}));
    EXPECT_EQ(e.vector(), vector_terminal("expired"));
    EXPECT_EQ(e.core("failure_reason"), "attempt_timeout");
    EXPECT_EQ(e.attempt(0, "failure_category"), "timeout");
    EXPECT_EQ(e.memberships(), List{"terminal"});

    Execution second = active({.timeout_ms = "1"});
    second.lose_lease();
    ASSERT_EQ(element(second.take_over({.timeout_ms = "60000"}), 2), "OK");
    EXPECT_EQ(flat(second.expire("attempt_timeout", "1")), (List{"1", "OK", "not_due"}));
    EXPECT_EQ(second.vector(), vector_l9());
}

TEST_P(Ch02Expire, S47_TimedOutAttemptRetriesIfItsPolicyAllows) {
    const auto expired = [this](const std::string& retry) {
        Execution e = active({.timeout_ms = "1"}, {.policy = R"({"retry_policy":)" + retry + "}"});
        const RespValue reply = e.expire("attempt_timeout");
        return std::pair(element(reply, 3), e);
    };
    for (const char* retry :
         {R"({"max_retries":1})", R"({"max_retries":1,"retryable_categories":["timeout"]})"}) {
        const auto [word, e] = expired(retry);
        EXPECT_EQ(word, "retry_scheduled") << retry;
        EXPECT_EQ(e.vector(), vector_l2("waiting_for_retry_backoff", "pending_retry_attempt"));
        EXPECT_EQ(e.attempt(0, "attempt_state"), "ended_failure");
        EXPECT_EQ(e.attempt(0, "terminalized_by_override"), "1");
        EXPECT_EQ(entries(e.key("lease:history")).back().at("reason"), "timeout_retry_scheduled");
    }
    for (const char* retry :
         {R"({"max_retries":1,"retryable_categories":["io"]})", R"({"max_retries":0})"}) {
        const auto [word, e] = expired(retry);
        EXPECT_EQ(word, "expired") << retry;
        EXPECT_EQ(e.vector(), vector_terminal("expired"));
    }
}

TEST_P(Ch02Expire, S48_DeadlineEndsWaitingWorkWhereverItWaits) {
    const std::string flow = new_uuid();
    Execution delayed = created({.delay_until = "+60000", .deadline = "+1"});
    delayed.set_core("flow_id", flow);
    await_time(std::stoll(delayed.core("execution_deadline_at")));
    EXPECT_EQ(flat(delayed.expire("execution_deadline", "1")),
              (List{"1", "OK", "expired", "runnable"}));
    EXPECT_EQ(delayed.vector(), vector_terminal("expired", "pending_first_attempt"));
    EXPECT_EQ(delayed.memberships(), List{"terminal"});

    Execution blocked = created({.deadline = "+1", .hold = "dependencies"});
    command({"SADD", "ff:flow:" + tag() + ":" + flow + ":out:" + blocked.id(), "edge"});
    blocked.set_core("flow_id", flow);
    await_time(std::stoll(blocked.core("execution_deadline_at")));
    EXPECT_EQ(element(blocked.expire("execution_deadline", "1"), 3), "expired");
    EXPECT_EQ(blocked.memberships(), List{"terminal"});
    EXPECT_TRUE(score(index("cascade_pending"), blocked.id()).has_value());

    const Suspended s = suspended();
    EXPECT_EQ(element(s.execution.expire("execution_deadline"), 4), "suspended");
    expect_closed(s, "expired:execution_deadline");
    EXPECT_EQ(s.execution.attempt(0, "attempt_state"), "ended_failure");
}

TEST_P(Ch02Expire, S49_ExpiringWhatIsOverOnlyCleansUp) {
    Execution done = active();
    done.complete();
    Execution unknown = execution();
    for (const Execution* e : {&done, &unknown}) {
        command({"ZADD", index("attempt_timeout"), "1", e->id()});
        command({"ZADD", index("execution_deadline"), "1", e->id()});
    }
    EXPECT_EQ(flat(done.expire("attempt_timeout", "1")), (List{"1", "OK", "already_terminal"}));
    EXPECT_EQ(flat(unknown.expire("execution_deadline", "1")),
              (List{"1", "OK", "not_found_cleaned"}));
    EXPECT_FALSE(exists(index("attempt_timeout")));
    EXPECT_FALSE(exists(index("execution_deadline")));
}

}  // namespace
}  // namespace ff::contract
