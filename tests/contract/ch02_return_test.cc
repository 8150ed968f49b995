#include "contract/suspension.h"

namespace ff::contract {
namespace {

/// The attempt type, the suspension, why it closed and what it kept, as a claim tells them.
List told(const RespValue& claimed) {
    EXPECT_EQ(element(claimed, 1), "1") << element(claimed, 2);
    return {element(claimed, 8), element(claimed, 9), element(claimed, 10), element(claimed, 11)};
}

const List kInitial{"initial", "", "", ""};
const List kResumedAfterADelay{"resumed", "", "", ""};

class ReturnedExecutions : public SuspensionContract {
  protected:
    /// Given back unbegun, it can be claimed at once, and that tells the same any number of times.
    void expect_untouched(Execution& e, const List& expected, std::string_view index = "0") const {
        const std::string attempt = e.attempt_id;
        const std::string count = e.core("total_attempt_count");
        for (int i = 0; i < 3; ++i) {
            EXPECT_EQ(element(e.give_back(), 2), "OK");
            EXPECT_EQ(e.vector(), vector_l1("attempt_interrupted"));
            EXPECT_EQ(e.memberships(), List{"eligible"});
            const std::string lease = new_uuid();
            const RespValue claimed = e.take_resumed({.lease_id = lease});
            EXPECT_EQ(told(claimed), expected);
            EXPECT_EQ(element(claimed, 6), attempt);
            EXPECT_EQ(element(claimed, 7), index);
            List again = flat(claimed);
            again[1] = "DUPLICATE";
            EXPECT_EQ(flat(e.claim_resumed({.lease_id = lease})), again);
            EXPECT_EQ(e.core("total_attempt_count"), count);
        }
    }
};

FF_CONTRACT_SUITE(Ch02Return, ReturnedExecutions);

TEST_P(Ch02Return, AFirstAttemptThatNobodyBeganStaysTheFirst) {
    Execution e = active({.instance = "i"});
    EXPECT_EQ(element(e.give_back("+0", "yes"), 2), "invalid_input");
    EXPECT_EQ(element(e.give_back("+0", "0"), 2), "invalid_input");
    EXPECT_EQ(e.vector(), vector_l9());
    EXPECT_EQ(e.attempt(0, "attempt_state"), "started");
    const std::string lease = e.lease_id;
    const std::string until = std::to_string(now() - 1000);
    EXPECT_EQ(flat(e.give_back(until)), (List{"1", "OK", until}));
    EXPECT_EQ(e.attempt(0, "attempt_state"), "suspended");
    EXPECT_FALSE(in_set(e.worker_key("i"), e.id()));
    EXPECT_EQ(e.core("delay_until"), "");
    EXPECT_EQ(entries(e.key("lease:history")).back()["reason"], "returned");
    EXPECT_EQ(element(e.give_back(until), 7), "returned");
    EXPECT_EQ(element(e.give_back(until), 8), lease);
    EXPECT_EQ(told(e.take_resumed()), kInitial);
    EXPECT_EQ(e.attempt(0, "resumed_at"), "");
    expect_untouched(e, kInitial);
    EXPECT_EQ(element(e.complete(), 3), "completed");
}

TEST_P(Ch02Return, RetriesReplaysAndReclaimsStayWhatTheyWere) {
    Execution e = active();
    e.fail({.retry_policy = R"({"max_retries":1})"});
    e.set_core("delay_until", "1");
    ASSERT_EQ(element(e.promote(), 3), "promoted");
    ASSERT_EQ(element(e.take(), 8), "retry");
    expect_untouched(e, {"retry", "", "", ""}, "1");
    e.lose_lease();
    ASSERT_EQ(element(e.take_over(), 8), "reclaim");
    expect_untouched(e, {"reclaim", "", "", ""}, "2");
    e.complete();
    e.replay();
    ASSERT_EQ(element(e.take(), 8), "replay");
    expect_untouched(e, {"replay", "", "", ""}, "3");
}

TEST_P(Ch02Return, AnAnswerThatNobodyReadIsStillThere) {
    Execution e = active();
    const Suspended s = suspend(e, {.continuation = "page"});
    ASSERT_EQ(effect(e, s.primary()), "resume_condition_satisfied");
    const List answered{"resumed", s.id, "resumed", "page"};
    ASSERT_EQ(told(e.take_resumed()), answered);
    const std::string resumed_at = e.attempt(0, "resumed_at");
    expect_untouched(e, answered);
    EXPECT_EQ(e.attempt(0, "resumed_at"), resumed_at);
}

TEST_P(Ch02Return, BegunWorkThatIsDelayedIsResumedWithoutAnAnswer) {
    Execution e = active();
    e.give_back();
    ASSERT_EQ(told(e.take_resumed()), kInitial);
    e.delay("+0");
    e.promote();
    ASSERT_EQ(told(e.take_resumed()), kResumedAfterADelay);
    expect_untouched(e, kResumedAfterADelay);
    const Suspended s = suspend(e);
    ASSERT_EQ(effect(e, s.primary()), "resume_condition_satisfied");
    e.take_resumed();
    e.give_back();
    ASSERT_EQ(told(e.take_resumed()), (List{"resumed", s.id, "resumed", ""}));
    // The answer was read by whoever began and then delayed it.
    e.delay("+0");
    e.promote();
    EXPECT_EQ(told(e.take_resumed()), kResumedAfterADelay);
}

TEST_P(Ch02Return, ALaterTimeIsWaitedForAndTheTimeoutKeepsItsRest) {
    Execution e = active({.timeout_ms = "10000"});
    const std::string until = std::to_string(now() + 60'000);
    EXPECT_EQ(flat(e.give_back(until)), (List{"1", "OK", until}));
    EXPECT_EQ(e.vector(), vector_l2("waiting_for_delay", "attempt_interrupted"));
    EXPECT_EQ(e.memberships(), List{"delayed"});
    EXPECT_EQ(score(index("attempt_timeout"), e.id()), std::nullopt);
    const std::int64_t left = std::stoll(e.attempt(0, "attempt_timeout_remaining_ms"));
    EXPECT_GT(left, 0);
    EXPECT_LE(left, 10'000);
    e.set_core("delay_until", "1");
    EXPECT_EQ(element(e.promote(), 3), "promoted");
    EXPECT_EQ(told(e.take_resumed()), kInitial);
    EXPECT_EQ(score(index("attempt_timeout"), e.id()),
              std::stoll(e.core("lease_acquired_at")) + left);
}

}  // namespace
}  // namespace ff::contract
