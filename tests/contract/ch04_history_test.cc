#include "contract/suspension.h"

namespace ff::contract {
namespace {

using Row = std::map<std::string, std::string>;

/// The lease history (section 10): it begins with the first event that core and attempt record do
/// not tell, and then holds what was left out.
class HistoryContract : public SuspensionContract {
  protected:
    List ids(const Execution& e) const {
        List ids;
        for (const RespValue& entry : command({"XRANGE", e.key("lease:history"), "-", "+"}).items) {
            ids.push_back(entry.items.at(0).text);
        }
        return ids;
    }
    Row entry(const Execution& e, std::size_t at) const {
        return entries(e.key("lease:history")).at(at);
    }
    /// The entry that a lease taken at `at` by w1 would have had.
    static Row lease_entry(const Execution& e, const std::string& event, const std::string& at) {
        return {{"event", event},
                {"execution_id", e.id()},
                {"ts", at},
                {"lease_id", e.lease_id},
                {"lease_epoch", "1"},
                {"attempt_index", "0"},
                {"attempt_id", e.attempt_id},
                {"worker_id", "w1"},
                {"worker_instance_id", "w1-1"}};
    }
    void expect_begun(const Execution& e, const List& events) const {
        EXPECT_EQ(e.lease_events(), events);
        EXPECT_EQ(e.core("has_lease_history"), "1");
    }
};

FF_CONTRACT_SUITE(Ch04History, HistoryContract);

TEST_P(Ch04History, APlainTaskHasNone) {
    Execution completed = active();
    completed.complete();
    Execution failed = active();
    failed.fail({.retry_policy = ""});
    Execution cancelled = active();
    cancelled.cancel("stop", "operator_override");
    Execution expired = active();
    expired.expire("execution_deadline");
    const Execution never = created();
    never.cancel();
    const std::vector<std::pair<Execution, std::string>> all{
        {completed, "completed"},
        {failed, "failed_terminal"},
        {cancelled, "cancelled"},
        {expired, "expired:execution_deadline"},
        {never, ""}};
    for (const auto& [e, reason] : all) {
        EXPECT_EQ(e.core("lifecycle_phase"), "terminal") << reason;
        EXPECT_FALSE(exists(e.key("lease:history"))) << reason;
        EXPECT_EQ(e.core("has_lease_history"), "") << reason;
        EXPECT_EQ(e.core("last_release_op"), reason);
        EXPECT_EQ(e.core("last_release_lease_id"), reason.empty() ? "" : e.lease_id);
    }
}

TEST_P(Ch04History, ItBeginsWithTheLeaseThatTheCoreTold) {
    const Execution e = active();
    const std::string acquired_at = e.core("lease_acquired_at");
    e.renew("30000", "0", "1");
    expect_begun(e, {"acquired", "renewed"});
    EXPECT_EQ(entry(e, 0), lease_entry(e, "acquired", acquired_at));
    EXPECT_EQ(entry(e, 1), lease_entry(e, "renewed", e.core("lease_last_renewed_at")));
    EXPECT_EQ(ids(e).front(), acquired_at + "-1");
}

TEST_P(Ch04History, EveryEventThatTheCoreDoesNotTellBeginsIt) {
    Execution delayed = active();
    delayed.delay("+0");
    expect_begun(delayed, {"acquired", "released"});
    EXPECT_EQ(entry(delayed, 1).at("reason"), "worker_delay");
    Execution retried = active();
    retried.fail({.retry_policy = R"({"max_retries":1})"});
    expect_begun(retried, {"acquired", "released"});
    Execution parent = active();
    parent.wait_for_children();
    expect_begun(parent, {"acquired", "released"});
    Execution suspended = active();
    suspend(suspended);
    expect_begun(suspended, {"acquired", "released"});
    const Execution lost = active();
    lost.lose_lease();
    expect_begun(lost, {"acquired", "expired"});
    const Execution revoked = active();
    revoked.revoke();
    expect_begun(revoked, {"acquired", "revoked"});
}

TEST_P(Ch04History, OnceBegunItTellsEverything) {
    Execution e = active();
    e.delay("+0");
    e.promote();
    e.take_resumed();
    e.complete();
    expect_begun(e, {"acquired", "released", "acquired", "released"});
    EXPECT_EQ(entry(e, 2).at("reason"), "claim_resumed");
    EXPECT_EQ(entry(e, 3).at("reason"), "completed");
    EXPECT_EQ(entry(e, 3).at("lease_epoch"), "2");
}

TEST_P(Ch04History, AReplayWritesDownTheWholeFirstLease) {
    Execution e = active();
    const std::string acquired_at = e.core("lease_acquired_at");
    e.complete();
    const std::string released_at = e.core("last_release_at");
    Row released = lease_entry(e, "released", released_at);
    released["reason"] = "completed";
    ASSERT_EQ(element(e.replay(), 2), "OK");
    expect_begun(e, {"acquired", "released", "replay_initiated"});
    EXPECT_EQ(entry(e, 0), lease_entry(e, "acquired", acquired_at));
    EXPECT_EQ(entry(e, 1), released);
    EXPECT_EQ(ids(e)[0], acquired_at + "-1");
    EXPECT_EQ(ids(e)[1], released_at + "-2");
    ASSERT_EQ(element(e.take(), 8), "replay");
    expect_begun(e, {"acquired", "released", "replay_initiated", "acquired"});
}

TEST_P(Ch04History, WhatWasNeverLeasedBeginsWithItsReplay) {
    Execution e = created();
    e.cancel();
    ASSERT_EQ(element(e.replay(), 2), "OK");
    expect_begun(e, {"replay_initiated"});
    e.take();
    e.complete();
    expect_begun(e, {"replay_initiated", "acquired", "released"});
}

// The clock of a store may step back between a claim and its completion.
TEST_P(Ch04History, AnIdThatTheStoreRefusesIsItsOwnToChoose) {
    Execution e = active();
    e.complete();
    e.set_core("last_release_at", "5");
    ASSERT_EQ(element(e.replay(), 2), "OK");
    expect_begun(e, {"acquired", "released", "replay_initiated"});
    EXPECT_EQ(entry(e, 1).at("ts"), "5");
}

// A function that dies half-way has written the core only.
TEST_P(Ch04History, ALostStreamIsBegunAgain) {
    const Execution e = active();
    e.renew("30000", "0", "1");
    command({"DEL", e.key("lease:history")});
    EXPECT_EQ(element(e.reconcile("check"), 3), "differs");
    EXPECT_EQ(element(e.reconcile(), 3), "repaired");
    EXPECT_EQ(e.core("has_lease_history"), "");
    e.revoke();
    expect_begun(e, {"acquired", "revoked"});
}

}  // namespace
}  // namespace ff::contract
