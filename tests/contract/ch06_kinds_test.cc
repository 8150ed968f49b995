// Claims that ask for kinds (chapter 06 section 7): a kind says who can do it.

#include "contract/scheduling.h"

namespace ff::contract {
namespace {

FF_CONTRACT_SUITE(Ch06Kinds, SchedulingContract);

constexpr std::size_t kForeign = 10'000;
constexpr std::size_t kCallsMost = 8;

/// This many executions alike.
void queue(Host& host, const std::string& tag, std::size_t count, const CreateArgs& args) {
    for (std::size_t done = 0; done < count;) {
        const std::size_t now = std::min<std::size_t>(1000, count - done);
        List batch{std::to_string(now), "16"};
        for (std::size_t i = 0; i < now; ++i) {
            const List item = Execution(host, tag).create_args(args);
            batch.insert(batch.end(), item.begin(), item.end());
        }
        const RespValue made = host.fcall("ff_create_batch",
                                          {"ff:idx:" + tag + ":execution_deadline",
                                           "ff:idx:" + tag + ":all_executions", "ff:wake:" + tag},
                                          batch);
        ASSERT_EQ(element(made, 2), "OK");
        done += now;
    }
}

TEST_P(Ch06Kinds, Repair_22_AKindIsFoundBehindTenThousandOthers) {
    queue(host(), tag(), kForeign, {.kind = "a", .priority = "9000"});
    Execution low = created({.kind = "b", .priority = "1"});
    Execution high = created({.kind = "b", .priority = "5"});
    Execution other = created({.kind = "c", .priority = "3"});
    List got;
    std::size_t calls = 0;
    for (; got.empty() && calls < kCallsMost; ++calls) {
        const BatchReply reply = claim({.max_tasks = 1, .kinds = "b"});
        ASSERT_EQ(reply.word, "OK") << to_string(reply.raw);
        EXPECT_EQ(reply.unsorted, reply.claimed.empty() ? "1" : "0");
        got = reply.ids();
    }
    EXPECT_EQ(got, List{high.id()}) << "after " << calls << " calls";
    EXPECT_EQ(claim({.max_tasks = 5, .kinds = "b\nc"}).ids(), (List{other.id(), low.id()}));
    EXPECT_TRUE(claim({.max_tasks = 5, .kinds = "b\nc"}).claimed.empty());
    EXPECT_EQ(claim({.max_tasks = 256}).claimed.size(), 256U) << "any kind";
    const BatchReply rest = claim({.max_tasks = 1, .kinds = "a"});
    EXPECT_EQ(rest.claimed.size(), 1U);
    EXPECT_EQ(rest.eligible_left, std::to_string(kForeign - 257));
    EXPECT_EQ(command({"ZCARD", lane_index("lane", "kind:a")}).integer, kForeign - 257);
}

TEST_P(Ch06Kinds, Repair_22_WorkOfOneMillisecondAndScoreIsSortedToItsEnd) {
    queue(host(), tag(), 5000, {.kind = "a"});
    const std::string same = "1700000000000";
    for (const RespValue& id : command({"ZRANGE", lane_index("lane", "eligible"), "0", "-1"}).items)
        command({"ZADD", lane_index("lane", "eligible"), same, id.text});
    std::size_t calls = 1;
    while (element(index_kinds(), 3) == "building") ASSERT_LE(++calls, kCallsMost);
    EXPECT_EQ(command({"ZCARD", lane_index("lane", "kind:a")}).integer, 5000);
    EXPECT_EQ(element(index_kinds(), 3), "complete");
}

TEST_P(Ch06Kinds, Repair_22_WhatLeavesWhileItIsSortedHidesNothing) {
    queue(host(), tag(), 5000, {.kind = "a"});
    EXPECT_EQ(element(index_kinds(), 3), "building");
    EXPECT_EQ(claim({.max_tasks = 256}).claimed.size(), 256U) << "from the part that is sorted";
    Execution late = created({.kind = "a", .priority = "9"});
    while (element(index_kinds(), 3) == "building") {
    }
    EXPECT_EQ(command({"ZCARD", lane_index("lane", "kind:a")}).integer, 5000 - 256 + 1);
    EXPECT_EQ(claim({.kinds = "a"}).ids(), List{late.id()});
}

TEST_P(Ch06Kinds, Repair_22_EveryWayBackLeadsToTheQueueOfItsKind) {
    ASSERT_TRUE(claim({.kinds = "b"}).claimed.empty());
    const auto expect_taken = [this](Execution& e, const char* how) {
        created({.priority = "9000"});
        const BatchReply reply = claim({.kinds = "b"});
        EXPECT_EQ(reply.ids(), List{e.id()}) << how;
        if (reply.claimed.size() != 1) return;
        e.lease_id = reply.claimed[0].lease_id;
        e.epoch = reply.claimed[0].lease_epoch;
        e.attempt_id = reply.claimed[0].attempt_id;
    };
    Execution e = created({.kind = "b"});
    expect_taken(e, "created");
    ASSERT_EQ(element(e.give_back(), 2), "OK");
    expect_taken(e, "returned");
    ASSERT_EQ(element(e.delay(std::to_string(now() + 60'000)), 2), "OK");
    EXPECT_TRUE(claim({.kinds = "b"}).claimed.empty()) << "delayed";
    e.set_core("delay_until", "1");
    ASSERT_EQ(element(e.promote(), 3), "promoted");
    expect_taken(e, "promoted");
    ASSERT_EQ(element(e.fail({.retry_policy = R"({"max_retries":3,"backoff":{"delay_ms":1}})"}), 2),
              "OK");
    e.set_core("delay_until", "1");
    ASSERT_EQ(element(e.promote(), 3), "promoted");
    expect_taken(e, "retried");
    ASSERT_EQ(element(e.complete(), 2), "OK");
    ASSERT_EQ(element(e.replay(), 2), "OK");
    expect_taken(e, "replayed");
    ASSERT_EQ(element(e.give_back(), 2), "OK");
    block(e, "waiting_for_budget", "budget:x");
    EXPECT_TRUE(claim({.kinds = "b"}).claimed.empty()) << "blocked";
    unblock(e);
    expect_taken(e, "unblocked");
    ASSERT_EQ(element(e.give_back(), 2), "OK");
    Execution later = created({.kind = "b"});
    later.change_priority("7");
    expect_taken(later, "raised");
    expect_taken(e, "what it overtook");
    e.cancel_fenced();
    EXPECT_FALSE(exists(lane_index("lane", "kind:b")));
}

TEST_P(Ch06Kinds, Repair_22_ARouteQueueHidesNoKind) {
    const std::string gpu = requires_caps({"gpu"});
    for (int i = 0; i < 100; ++i) created({.kind = "a", .priority = "5", .policy = gpu});
    Execution before = created({.kind = "b", .priority = "2", .policy = gpu});
    EXPECT_EQ(claim({.caps = "cpu"}).moved, "101");
    EXPECT_EQ(claim({.caps = "gpu", .kinds = "b"}).ids(), List{before.id()});

    Execution after = created({.kind = "b", .priority = "1", .policy = gpu});
    Execution plain = created({.kind = "b"});
    EXPECT_EQ(claim({.caps = "cpu", .kinds = "b"}).ids(), List{plain.id()})
        << "work it cannot run makes way";
    EXPECT_EQ(after.core("blocking_reason"), "waiting_for_capable_worker");
    EXPECT_EQ(claim({.caps = "gpu", .kinds = "b"}).ids(), List{after.id()});
    EXPECT_EQ(claim({.caps = "gpu", .max_tasks = 256}).claimed.size(), 100U);
    EXPECT_FALSE(exists(lane_index("lane", "route_kinds")));
    EXPECT_FALSE(exists(lane_index("lane", "route_sets")));
}

TEST_P(Ch06Kinds, Repair_22_ALostLeaseGoesToWhoAsksForItsKind) {
    for (int i = 0; i < 300; ++i) lose(active({}, {.kind = "a"}));
    Execution e = active({}, {.kind = "b"});
    lose(e);
    EXPECT_EQ(claim({.kinds = "b"}).ids(), List{e.id()});
    EXPECT_TRUE(claim({.kinds = "b"}).claimed.empty());
    EXPECT_EQ(claim({.kinds = "a"}).claimed.size(), 1U);
}

TEST_P(Ch06Kinds, Repair_22_OnlyWorkOfAKindAskedForIsTold) {
    const auto is_armed = [this](const std::string& kind) {
        return !command({"HGET", "ff:wake:" + tag(), "lane\n" + kind}).text.empty();
    };
    const BatchReply armed = claim({.arm_wake_ms = "60000", .kinds = "b\nc"});
    EXPECT_EQ(armed.armed, "1");
    const auto listener = host().listen("ff:wake:lane");
    created({.kind = "a"});
    EXPECT_TRUE(is_armed("b") && is_armed("c"));
    created({.kind = "b"});
    created({.kind = "b"});
    EXPECT_TRUE(hears(*listener, tag() + " b"));
    EXPECT_TRUE(!is_armed("b") && is_armed("c"));
    created({.kind = "c"});
    EXPECT_TRUE(hears(*listener, tag() + " c")) << "and nothing of a in between";

    claim({.max_tasks = 256, .arm_wake_ms = "60000"});
    EXPECT_EQ(claim({.arm_wake_ms = "60000", .kinds = "b"}).armed, "1");
    created({.kind = "b"});
    EXPECT_TRUE(hears(*listener, tag())) << "who takes any kind";
    EXPECT_TRUE(hears(*listener, tag() + " b"));
}

TEST_P(Ch06Kinds, Repair_22_ALostLeaseAndABlockForRouteTellTheirKind) {
    Execution held = active({}, {.kind = "b"});
    EXPECT_EQ(claim({.arm_wake_ms = "60000", .kinds = "b"}).armed, "1");
    const auto listener = host().listen("ff:wake:lane");
    ASSERT_EQ(element(held.revoke(), 2), "OK");
    EXPECT_TRUE(hears(*listener, tag() + " b"));
    EXPECT_EQ(claim({.kinds = "b"}).ids(), List{held.id()});

    created({.kind = "b", .policy = requires_caps({"gpu"})});
    EXPECT_EQ(claim({.caps = "cpu", .arm_wake_ms = "60000", .kinds = "b"}).moved, "1");
    EXPECT_EQ(claim({.caps = "gpu", .kinds = "b"}).claimed.size(), 1U);
}

TEST_P(Ch06Kinds, Repair_22_WorkUnderBudgetsIsDeferredAndAdmittedByKind) {
    created({.kind = "a", .priority = "9", .policy = R"({"budget_ids":["x"]})"});
    Execution e = created({.kind = "b", .policy = R"({"budget_ids":["x"]})"});
    const BatchReply first = claim({.kinds = "b"});
    ASSERT_EQ(first.deferred.size(), 1U);
    EXPECT_EQ(first.deferred[0][0], e.id());
    const BatchReply second =
        claim({.admitted = {{e.id(), ""}}, .admission_epochs = "1", .kinds = "c"});
    EXPECT_EQ(second.not_claimed, (std::vector<List>{{e.id(), "execution_not_eligible"}}));
    EXPECT_EQ(claim({.admitted = {{e.id(), ""}}, .admission_epochs = "1", .kinds = "b"}).ids(),
              List{e.id()});
}

TEST_P(Ch06Kinds, Repair_22_CompletingAndClaimingAsksForKindsToo) {
    Execution e = created({.kind = "b"});
    const BatchReply held = claim({.kinds = "b"});
    ASSERT_EQ(held.claimed.size(), 1U);
    created({.kind = "a", .priority = "9"});
    Execution next = created({.kind = "b"});
    const RespValue reply = complete_and_claim(held.claimed, batch_args({.kinds = "b"}));
    ASSERT_EQ(reply.items.size(), 4U) << to_string(reply);
    EXPECT_EQ(BatchReply(reply.items[3]).ids(), List{next.id()});
}

TEST_P(Ch06Kinds, Repair_22_TheReconcilerRestoresTheQueueOfAKind) {
    claim({.kinds = "b"});
    Execution e = created({.kind = "b"});
    const std::string queue = lane_index("lane", "kind:b");
    command({"ZREM", queue, e.id()});
    EXPECT_EQ(element(e.reconcile("check"), 3), "differs");
    EXPECT_EQ(element(e.reconcile(), 3), "repaired");
    EXPECT_EQ(element(e.reconcile(), 3), "consistent");
    EXPECT_EQ(claim({.kinds = "b"}).ids(), List{e.id()});
    command({"ZADD", queue, "1", e.id()});
    EXPECT_EQ(element(e.reconcile(), 3), "repaired") << "it is running";
    EXPECT_FALSE(exists(queue));

    Execution gpu = created({.kind = "b", .policy = requires_caps({"gpu"})});
    EXPECT_EQ(claim({.caps = "cpu"}).moved, "1");
    const List sets = flat(command({"HGETALL", lane_index("lane", "route_kinds")}));
    ASSERT_EQ(sets.size(), 2U);
    command({"DEL", lane_index("lane", "route:" + sets[0])});
    EXPECT_EQ(element(gpu.reconcile(), 3), "repaired");
    EXPECT_EQ(claim({.caps = "gpu", .kinds = "b"}).ids(), List{gpu.id()});
}

TEST_P(Ch06Kinds, Repair_22_AnEntryThatLiesIsDroppedAndHidesNothing) {
    claim({.kinds = "b"});
    const std::string queue = lane_index("lane", "kind:b");
    command({"ZADD", queue, "-9e15", tag() + ":gone"});
    Execution a = created({.kind = "a"});
    command({"ZADD", queue, "-9e15", a.id()});
    Execution e = created({.kind = "b"});
    EXPECT_EQ(claim({.kinds = "b"}).ids(), List{e.id()});
    EXPECT_FALSE(exists(queue));
    EXPECT_EQ(claim().ids(), List{a.id()}) << "where it belongs it stays";
}

TEST_P(Ch06Kinds, Repair_22_MoreThan64KindsAndOneTwiceAreRefused) {
    std::string many = "k";
    for (int i = 0; i < 63; ++i) many += "\nk" + std::to_string(i);
    EXPECT_EQ(claim({.kinds = many}).word, "OK");
    EXPECT_EQ(element(claim({.kinds = many + "\nx"}).raw, 2), "invalid_input");
    EXPECT_EQ(element(claim({.kinds = "b\nb"}).raw, 2), "invalid_input");
}

}  // namespace
}  // namespace ff::contract
