#include <algorithm>

#include "contract/streams.h"

namespace ff::contract {
namespace {

using Row = std::map<std::string, std::string>;

class FeedContract : public StreamContract {
  protected:
    std::vector<Row> history(const Execution& e) const { return entries(e.key("lease:history")); }
    static List column(const std::vector<Row>& rows, const std::string& name) {
        List out;
        for (const Row& row : rows) {
            out.push_back(row.contains(name) ? row.at(name) : std::string());
        }
        return out;
    }
};

FF_CONTRACT_SUITE(Ch04Feed, FeedContract);

TEST_P(Ch04Feed, S45_ACompletionAndItsReleaseAreOneEntryAndNoMessageWithoutAFlow) {
    Execution alone = active();
    Execution member = active();
    member.set_core("flow_id", "11111111-2222-4333-8444-555555555555");
    const auto listener = host().listen("ff:dag:completions");
    const std::size_t before = entries("ff:part:" + tag() + ":events").size();
    alone.complete();
    const auto all = entries("ff:part:" + tag() + ":events");
    ASSERT_EQ(all.size(), before + 1);
    Row entry = all.back();
    EXPECT_EQ(entry["family"], "completion,lease_history");
    EXPECT_EQ(entry["execution_id"], alone.id());
    EXPECT_EQ(entry["kind"], "execution");
    EXPECT_EQ(entry["outcome"], "success");
    EXPECT_EQ(entry["event"], "released");
    EXPECT_EQ(entry["release_reason"], "completed");
    EXPECT_EQ(entry["namespace"], "ns");
    EXPECT_EQ(entry["lane_id"], "lane");
    // The first message heard is the member's: the other one said nothing.
    member.complete();
    EXPECT_NE(listener->next().find(member.id()), std::string::npos);
}

TEST_P(Ch04Feed, S51_TheFeedAndTheHistoryTellTheSameLeaseStory) {
    Execution e = active();
    const Suspended s = suspend(e);
    effect(e, s.primary());
    e.take_resumed();
    e.lose_lease();
    e.take_over({.worker = "w2"});
    e.complete();
    const List expected{"acquired", "released", "acquired", "expired", "reclaimed", "released"};
    const auto events = feed("lease_history");
    EXPECT_EQ(column(events, "event"), expected);
    EXPECT_EQ(column(history(e), "event"), expected);
    EXPECT_EQ(column(history(e), "reason"),
              (List{"", "suspend", "claim_resumed", "", "lease_expired", "completed"}));
    for (const Row& row : events) {
        if (row.at("event") == "acquired") {
            EXPECT_EQ(row.at("worker_instance_id"), "w1-1");
        }
        if (row.at("event") == "reclaimed") {
            EXPECT_NE(row.at("worker_instance_id"), "");
        }
    }
    EXPECT_EQ(column(events, "lease_epoch"), column(history(e), "lease_epoch"));
}

TEST_P(Ch04Feed, S52_SignalsAreToldByClassAndRepeatsAreNot) {
    Execution e = active();
    const Waitpoint p = pending(e, "k");
    EXPECT_EQ(effect(e, p, {.name = "b", .buffer_if_pending = "1"}),
              "buffered_for_pending_waitpoint");
    const Suspended s = suspend(e, {.condition = flat_condition(R"(["a","b","c"])", "all"),
                                    .waitpoint_id = p.id,
                                    .use_pending = true});
    EXPECT_EQ(effect(e, p, {.name = "zzz"}), "no_op");
    const SignalArgs again{.name = "a", .idempotency_key = "once"};
    EXPECT_EQ(effect(e, p, again), "appended_to_waitpoint");
    EXPECT_EQ(effect(e, p, again), "DUPLICATE");
    // With the optional key as well as without.
    SignalArgs last{.id = new_uuid(), .name = "c"};
    List keys = deliver_keys(e, p, last);
    keys.push_back("ff:part:" + tag() + ":signal_delivery");
    EXPECT_EQ(element(host().fcall("ff_deliver_signal", keys, signal_args(e, p, last)), 4),
              "resume_condition_satisfied");
    EXPECT_EQ(column(signal_feed(), "effect_class"),
              (List{"buffered", "ignored", "appended", "satisfied"}));
    Row row = signal_feed().back();
    EXPECT_EQ(row["family"], "signal_delivery");
    EXPECT_EQ(row["execution_id"], e.id());
    EXPECT_EQ(row["signal_id"], last.id);
    EXPECT_EQ(row["signal_name"], "c");
    EXPECT_EQ(row["waitpoint_id"], s.primary().id);
    EXPECT_EQ(row["source_identity"], "alice");
    EXPECT_EQ(row["effect"], "resume_condition_satisfied");
    for (const Row& each : signal_feed()) {
        EXPECT_FALSE(each.contains("payload"));
        for (const auto& [field, value] : each) EXPECT_NE(value, p.token) << field;
    }
}

TEST_P(Ch04Feed, S53_OnlyTagsThatChangeAreTold) {
    const Execution e = created({.tags = R"({"a":"1"})"});
    const std::size_t before = feed("instance_tags").size();
    e.set_tags({"x.a", "1", "x.b", "2"});
    ASSERT_EQ(feed("instance_tags").size(), before + 1);
    e.set_tags({"x.a", "1", "x.b", "2"});
    EXPECT_EQ(feed("instance_tags").size(), before + 1);
    e.set_tags({"x.a", "1", "x.b", "3"});
    ASSERT_EQ(feed("instance_tags").size(), before + 2);
    const Row row = feed("instance_tags").back();
    EXPECT_EQ(row.at("+x.b"), "3");
    EXPECT_FALSE(row.contains("+x.a"));
}

TEST_P(Ch04Feed, S54_GivingUpIsToldAndPlainRenewalsAreNot) {
    Execution e = active({}, {.policy = R"({"max_reclaim_count":0})"});
    append(e);
    const std::size_t events = feed("lease_history").size();
    e.renew();
    EXPECT_EQ(feed("lease_history").size(), events);
    EXPECT_FALSE(exists(e.key("lease:history")));
    e.renew("30000", "0", "1");
    EXPECT_EQ(column(history(e), "event"), (List{"acquired", "renewed"}));
    EXPECT_EQ(feed("lease_history").back().at("event"), "renewed");
    e.lose_lease();
    EXPECT_EQ(element(e.take_over(), 2), "max_retries_exhausted");
    EXPECT_EQ(meta(e, "closed_reason"), "max_reclaims_exceeded");
    EXPECT_EQ(history(e).back().at("event"), "released");
    EXPECT_EQ(history(e).back().at("reason"), "max_reclaims_exceeded");
    EXPECT_EQ(feed("completion").back().at("outcome"), "failed");
}

TEST_P(Ch04Feed, S58_ACascadedCancelIsInTheFeedButPublishesNothing) {
    Execution cascaded = active();
    Execution member = active();
    for (const Execution* e : {&cascaded, &member}) {
        e->set_core("flow_id", "11111111-2222-4333-8444-555555555555");
    }
    const auto listener = host().listen("ff:dag:completions");
    cascaded.cancel("stop", "flow_cascade");
    EXPECT_EQ(feed("completion").back().at("cause"), "flow_cascade");
    member.complete();
    EXPECT_NE(listener->next().find(member.id()), std::string::npos);
}

TEST_P(Ch04Feed, OrdinalsAreDenseAndSurviveAClockThatStepsBack) {
    const std::string events = "ff:part:" + tag() + ":events";
    const std::string ahead = std::to_string(now() + 60'000);
    created({.tags = R"({"a":"1"})"});
    const auto last_id = [&] {
        return command({"XREVRANGE", events, "+", "-", "COUNT", "1"}).items.at(0).items.at(0).text;
    };
    EXPECT_TRUE(last_id().ends_with("-1"));
    command({"XADD", events, ahead + "-1", "family", "x"});
    created({.tags = R"({"a":"1"})"});
    EXPECT_EQ(last_id(), ahead + "-2");
    created({.tags = R"({"a":"1"})"});
    EXPECT_EQ(last_id(), ahead + "-3");
}

TEST_P(Ch04Feed, FeedsAreCutEveryHundredTwentyEightEntries) {
    command({"HSET", "ff:part:" + tag() + ":feed_seq", "maxlen", "100"});
    const Execution e = created();
    for (int i = 0; i < 512; ++i) e.set_tags({"x.a", std::to_string(i)});
    EXPECT_EQ(command({"HGET", "ff:part:" + tag() + ":feed_seq", "events"}).text, "512");
    // `~` may keep what is left of a node of the stream.
    EXPECT_GE(length("ff:part:" + tag() + ":events"), 100);
    EXPECT_LE(length("ff:part:" + tag() + ":events"), 100 + 128);
}

TEST_P(Ch04Feed, TheSignalFeedTakesItsCapFromTheCall) {
    const Execution e = active();
    const Suspended s = suspend(e, {.condition = R"({"condition_type":"operator_only"})"});
    for (int i = 0; i < 512; ++i) {
        ASSERT_EQ(effect(e, s.primary(), {.history_max = "10", .feed_max = "100"}), "no_op");
    }
    EXPECT_LE(length("ff:part:" + tag() + ":signal_delivery"), 100 + 128);
    EXPECT_LE(length(waitpoint_key(s.primary().id, ":signals")), 10 + 128);
}

}  // namespace
}  // namespace ff::contract
