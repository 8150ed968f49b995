#include "contract/execution.h"

namespace ff::contract {
namespace {

/// The shared procedures of chapter 02 section 7 where no scenario looks closely.
FF_CONTRACT_SUITE(Ch02Procedures, ExecutionContract);

using Row = std::map<std::string, std::string>;

TEST_P(Ch02Procedures, AClaimIsOnlyADuplicateWithAllItsIds) {
    Execution e = created();
    const ClaimArgs first{.lease_id = new_uuid(), .attempt_id = new_uuid()};
    e.take(first);
    const List held{"0", "execution_not_leaseable"};
    EXPECT_EQ(flat(Execution(e).take({.attempt_id = first.attempt_id})), held);
    EXPECT_EQ(flat(Execution(e).take({.lease_id = first.lease_id})), held);
    EXPECT_EQ(flat(Execution(e).take(
                  {.worker = "w2", .lease_id = first.lease_id, .attempt_id = first.attempt_id})),
              held);
    e.lose_lease();
    EXPECT_EQ(flat(e.claim(first)), held);
}

TEST_P(Ch02Procedures, AResumedClaimSentAgainAnswersTheSame) {
    Execution e = active();
    e.delay("+0");
    e.promote();
    const ClaimArgs same{.lease_id = new_uuid()};
    const List first = flat(e.take_resumed(same));
    List again = flat(e.claim_resumed(same));
    ASSERT_EQ(first.size(), 11U);
    EXPECT_EQ(again[1], "DUPLICATE");
    again[1] = "OK";
    EXPECT_EQ(again, first);
    EXPECT_EQ(e.core("current_lease_epoch"), "2");
}

TEST_P(Ch02Procedures, TheSameInstanceReclaimsWithoutLosingItsPlace) {
    Execution e = active();
    e.lose_lease();
    ASSERT_EQ(element(e.take_over(), 2), "OK");
    EXPECT_TRUE(in_set(e.worker_key("w1-1"), e.id()));
}

TEST_P(Ch02Procedures, EndingLostWorkLeavesItsFormerOwner) {
    Execution e = active();
    e.lose_lease();
    e.cancel("stop", "operator_override");
    EXPECT_FALSE(in_set(e.worker_key("w1-1"), e.id()));
    EXPECT_EQ(e.memberships(), List{"terminal"});
    EXPECT_EQ(e.attempt(0, "attempt_state"), "ended_cancelled");
}

TEST_P(Ch02Procedures, AStaleTimeoutEntryIsRemoved) {
    Execution e = active();
    e.lose_lease();
    command({"ZADD", index("attempt_timeout"), "1", e.id()});
    EXPECT_EQ(flat(e.expire("attempt_timeout", "1")), (List{"1", "OK", "not_due"}));
    EXPECT_EQ(e.memberships(), (List{"active", "lease_expiry"}));
    EXPECT_EQ(e.vector(), vector_l10());
}

TEST_P(Ch02Procedures, FreeTextIsCutNotRefused) {
    Execution e = active();
    EXPECT_EQ(element(e.fail({.reason = std::string(9000, 'r')}), 2), "OK");
    EXPECT_EQ(e.core("failure_reason").size(), 4096U);
    EXPECT_EQ(feed("completion").back().at("reason").size(), 1024U);
    Execution retried = active();
    retried.fail({.reason = std::string(9000, 'r'), .retry_policy = R"({"max_retries":1})"});
    EXPECT_EQ(retried.core("blocking_detail").size(), 512U);
}

TEST_P(Ch02Procedures, AnIdempotencyKeyOfAnExecutionBeingPurgedIsIgnored) {
    Execution first = created({.idempotency_key = "k"});
    first.set_core("purging", "1");
    Execution second = execution();
    EXPECT_EQ(element(second.create({.idempotency_key = "k"}), 2), "OK");
}

TEST_P(Ch02Procedures, ALaterReasonRefinesALostLease) {
    Execution e = active();
    command({"HSET", e.stream_key(0, ":meta"), "created_at", "1", "frame_count", "2"});
    e.set_core("stream_meta_max", "0");
    e.lose_lease();
    Row meta = hash(e.stream_key(0, ":meta"));
    EXPECT_EQ(meta["closed_reason"], "lease_expired");
    const std::string closed_at = meta["closed_at"];
    ASSERT_EQ(element(e.take_over(), 2), "OK");
    meta = hash(e.stream_key(0, ":meta"));
    EXPECT_EQ(meta["closed_reason"], "reclaimed");
    EXPECT_EQ(meta["closed_at"], closed_at);
    EXPECT_EQ(entries(e.stream_key(0, ":live")).size(), 1U);
    // A final reason stays.
    e.cancel("stop", "operator_override");
    EXPECT_EQ(hash(e.stream_key(0, ":meta"))["closed_reason"], "reclaimed");
}

TEST_P(Ch02Procedures, WatchersOfAnAttemptThatWillNotHappenAreTold) {
    Execution e = created();
    command({"HSET", e.stream_key(0, ":meta"), "created_at", "1", "opened_by", "watch"});
    e.set_core("stream_meta_max", "0");
    e.cancel();
    EXPECT_FALSE(exists(e.stream_key(0, ":meta")));
    const auto live = entries(e.stream_key(0, ":live"));
    ASSERT_EQ(live.size(), 1U);
    EXPECT_EQ(live[0].at("closed_reason"), "attempt_never_started");
    EXPECT_LE(host().ttl_ms(e.stream_key(0, ":live")).value_or(1), 60'000);
}

TEST_P(Ch02Procedures, WorkBlockedForRouteLeavesItsQueueWhenItEnds) {
    Execution e =
        created({.policy = R"({"routing_requirements":{"required_capabilities":["gpu"]}})"});
    const std::string route = e.lane_key("blocked:route");
    ASSERT_EQ(element(host().fcall("ff_block_execution_for_admission",
                                   {e.key("core"), e.lane_key("eligible"), route},
                                   {e.id(), "waiting_for_capable_worker", "missing", ""}),
                      2),
              "OK");
    EXPECT_EQ(e.memberships(), List{"blocked:route"});
    ASSERT_EQ(hash(e.lane_key("route_sets")).size(), 1U);
    const std::string queue = e.lane_key("route:" + hash(e.lane_key("route_sets")).begin()->first);
    EXPECT_TRUE(score(queue, e.id()).has_value());
    EXPECT_EQ(element(e.reconcile("check"), 3), "consistent");
    const std::string queued = std::to_string(*score(queue, e.id()));
    const std::string set = hash(e.lane_key("route_sets")).begin()->first;
    e.cancel();
    EXPECT_EQ(e.memberships(), List{"terminal"});
    EXPECT_FALSE(exists(queue));
    EXPECT_FALSE(exists(e.lane_key("route_sets")));
    // A stray entry is the reconciler's business.
    command({"ZADD", queue, queued, e.id()});
    command({"HSET", e.lane_key("route_sets"), set, "gpu"});
    EXPECT_EQ(element(e.reconcile(), 7), "route");
    EXPECT_FALSE(exists(queue));
    EXPECT_FALSE(exists(e.lane_key("route_sets")));
}

TEST_P(Ch02Procedures, AnArmedLaneIsWokenOnce) {
    const std::string table = "ff:wake:" + tag();
    const std::string lane = "lane" + tag().substr(4, tag().size() - 5);
    const auto waiter = host().listen("ff:wake:" + lane);
    command({"HSET", table, lane, std::to_string(now() - 1)});
    created({.lane = lane});
    EXPECT_FALSE(exists(table)) << "a lapsed entry goes without a message";
    command({"HSET", table, lane, std::to_string(now() + 60'000)});
    created({.lane = lane});
    EXPECT_EQ(waiter->next(), tag());
    EXPECT_FALSE(exists(table));
}

class FeedOfCompletions : public ExecutionContract {
  protected:
    std::string sequence() const { return "ff:part:" + tag() + ":feed_seq"; }
    std::string events() const { return "ff:part:" + tag() + ":events"; }
    List ids() const {
        List out;
        for (const RespValue& entry : command({"XRANGE", events(), "-", "+"}).items) {
            out.push_back(entry.items.at(0).text);
        }
        return out;
    }
    static std::string ordinal(const std::string& id) { return id.substr(id.find('-') + 1); }
};

FF_CONTRACT_SUITE(Ch02Feed, FeedOfCompletions);

TEST_P(Ch02Feed, OrdinalsAreDense) {
    for (int i = 0; i < 3; ++i) created().cancel("stop", "operator_override");
    const List all = ids();
    ASSERT_EQ(all.size(), 6U);
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(ordinal(all[i]), std::to_string(i + 1));
}

TEST_P(Ch02Feed, AClockThatStepsBackContinuesFromTheNewestEntry) {
    command({"HSET", sequence(), "events", "7"});
    command({"XADD", events(), "9999999999999-7", "family", "completion"});
    created().cancel();
    EXPECT_EQ(ids().back(), "9999999999999-8");
}

TEST_P(Ch02Feed, IsCutAtItsCap) {
    command({"HSET", sequence(), "maxlen", "100"});
    for (int i = 0; i < 300; ++i) created().cancel();
    const List all = ids();
    EXPECT_LT(all.size(), 250U);
    EXPECT_GE(all.size(), 100U);
    EXPECT_EQ(ordinal(all.back()), "300");
}

TEST_P(Ch02Feed, OneThatCannotBeWrittenLosesTheEventOnly) {
    command({"SET", events(), "not a stream"});
    Execution e = created();
    EXPECT_EQ(element(e.cancel(), 2), "OK");
    EXPECT_EQ(e.memberships(), List{"terminal"});
}

}  // namespace
}  // namespace ff::contract
