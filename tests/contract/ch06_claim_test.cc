#include <algorithm>
#include <set>

#include "contract/scheduling.h"

namespace ff::contract {
namespace {

FF_CONTRACT_SUITE(Ch06Claim, SchedulingContract);

TEST_P(Ch06Claim, S26_WorkForOthersDoesNotClogTheHead) {
    // In one call: three hundred single ones would take most of this test's time.
    List args{"300", "16"};
    List gpu;
    for (int i = 0; i < 300; ++i) {
        const Execution e = execution();
        gpu.push_back(e.id());
        const List item = e.create_args({.policy = requires_caps({"gpu"})});
        args.insert(args.end(), item.begin(), item.end());
    }
    host().fcall("ff_create_batch",
                 {index("execution_deadline"), index("all_executions"), "ff:wake:" + tag()}, args);
    Execution plain = created();

    const BatchReply cpu = claim({.caps = "cpu"});
    EXPECT_EQ(cpu.ids(), List{plain.id()});
    EXPECT_EQ(cpu.moved, "300");
    EXPECT_EQ(cpu.eligible_left, "0");
    EXPECT_EQ(command({"ZCARD", lane_index("lane", "blocked:route")}).integer, 300);

    const BatchReply capable = claim({.caps = "cuda,gpu", .max_tasks = 256});
    EXPECT_EQ(capable.claimed.size(), 256U);
    EXPECT_EQ(claim({.caps = "gpu", .max_tasks = 256}).claimed.size(), 44U);
    EXPECT_FALSE(exists(lane_index("lane", "blocked:route")));
    EXPECT_FALSE(exists(lane_index("lane", "route_sets")));
}

TEST_P(Ch06Claim, ARouteBlockTellsWhatIsMissing) {
    Execution e = created({.policy = requires_caps({"eu", "gpu"})});
    EXPECT_TRUE(claim({.caps = "gpu"}).claimed.empty());
    EXPECT_EQ(e.memberships(), List{"blocked:route"});
    EXPECT_EQ(e.core("blocking_reason"), "waiting_for_capable_worker");
    EXPECT_EQ(e.core("blocking_detail"), "missing capabilities: eu");
    EXPECT_TRUE(claim({.caps = "eu"}).claimed.empty());
    EXPECT_EQ(claim({.caps = "eu,gpu,x"}).ids(), List{e.id()});
    EXPECT_EQ(e.memberships(), (List{"active", "lease_expiry"}));
}

TEST_P(Ch06Claim, RoutedAndEligibleWorkAreMergedByScore) {
    Execution low = created({.priority = "1", .policy = requires_caps({"gpu"})});
    Execution high = created({.priority = "9", .policy = requires_caps({"gpu"})});
    claim({.caps = "cpu"});
    Execution middle = created({.priority = "5"});
    EXPECT_EQ(claim({.caps = "gpu", .max_tasks = 3}).ids(),
              (List{high.id(), middle.id(), low.id()}));
}

TEST_P(Ch06Claim, AStaleRouteMemberIsDropped) {
    Execution e = created({.policy = requires_caps({"gpu"})});
    claim();
    command({"DEL", e.key("core")});
    EXPECT_TRUE(claim({.caps = "gpu"}).claimed.empty());
    EXPECT_FALSE(exists(lane_index("lane", "blocked:route")));
    EXPECT_FALSE(exists(lane_index("lane", "route_sets")));
}

TEST_P(Ch06Claim, S45_ABatchCarriesAllAWorkerNeeds) {
    const std::string bytes("\x00\xff\xc3\x28 in", 7);
    std::vector<Execution> made;
    for (int i = 0; i < 10; ++i) {
        made.push_back(created({.priority = std::to_string(i % 2),
                                .payload = bytes + std::to_string(i),
                                .tags = R"({"k":"v"})",
                                .encoding = "raw"}));
    }
    const BatchReply reply = claim({.max_tasks = 4});
    // Higher priority first, then older; ties of one millisecond go by id.
    std::sort(made.begin(), made.end(), [](const Execution& a, const Execution& b) {
        const auto rank = [](const Execution& e) {
            return std::tuple(-std::stoll(e.core("priority")), std::stoll(e.core("created_at")),
                              e.id());
        };
        return rank(a) < rank(b);
    });
    ASSERT_EQ(reply.claimed.size(), 4U);
    EXPECT_EQ(reply.eligible_left, "6");
    for (std::size_t i = 0; i < 4; ++i) {
        const ClaimedTask& task = reply.claimed[i];
        const Execution& e = made[i];
        EXPECT_EQ(task.execution_id, e.id());
        EXPECT_EQ(task.payload_state, "inline");
        EXPECT_EQ(task.payload, command({"GET", e.key("payload")}).text);
        EXPECT_EQ(task.payload.substr(0, 7), bytes);
        EXPECT_EQ(task.tags, (List{"k", "v"}));
        EXPECT_EQ(task.payload_encoding, "raw");
        EXPECT_EQ(task.lease_id, e.core("current_lease_id"));
        EXPECT_EQ(task.lease_epoch, "1");
        EXPECT_EQ(task.lease_expires_at, e.core("lease_expires_at"));
        EXPECT_EQ(task.attempt_id, e.core("current_attempt_id"));
        EXPECT_EQ(task.attempt_index, "0");
        EXPECT_EQ(task.attempt_type, "initial");
        EXPECT_EQ(task.execution_kind, "kind");
        EXPECT_EQ(task.ns, "ns");
        EXPECT_EQ(task.priority, "1");
        EXPECT_EQ(task.created_at, e.core("created_at"));
    }
}

TEST_P(Ch06Claim, PayloadsBeyondTheLimitAreOmittedButTheFirstIsNot) {
    for (const char* priority : {"3", "2", "1", "0"}) {
        created({.priority = priority,
                 .payload = priority == std::string("1") ? "" : std::string(100, 'x')});
    }
    const BatchReply reply = claim({.max_tasks = 4, .max_payload_bytes = "10"});
    ASSERT_EQ(reply.claimed.size(), 4U);
    EXPECT_EQ(reply.claimed[0].payload_state, "inline");
    EXPECT_EQ(reply.claimed[1].payload_state, "omitted");
    EXPECT_EQ(reply.claimed[1].payload, "");
    EXPECT_EQ(reply.claimed[2].payload_state, "none");
    EXPECT_EQ(reply.claimed[3].payload_state, "omitted");
}

TEST_P(Ch06Claim, S46_ALostReplyIsRepeated) {
    for (int i = 0; i < 5; ++i) created();
    const BatchReply first = claim({.max_tasks = 2, .request_id = "r1"});
    ASSERT_EQ(first.claimed.size(), 2U);
    const BatchReply again = claim({.max_tasks = 2, .request_id = "r1"});
    EXPECT_EQ(again.word, "DUPLICATE");
    EXPECT_EQ(again.raw.items[2], first.raw.items[2]);
    EXPECT_EQ(command({"ZCARD", lane_index("lane", "eligible")}).integer, 3);

    complete_and_claim({first.claimed[0]});
    const BatchReply rest = claim({.max_tasks = 2, .request_id = "r1"});
    EXPECT_EQ(rest.ids(), List{first.claimed[1].execution_id});
    EXPECT_EQ(claim({.max_tasks = 2, .request_id = "r2"}).word, "OK");
    const std::string record = "ff:claimreq:" + tag() + ":w1-1:r1";
    EXPECT_GT(host().ttl_ms(record).value_or(20'000 + 1), 20'000);
}

TEST_P(Ch06Claim, ALeaseLostSinceThenIsNotRepeated) {
    Execution e = created();
    const ClaimedTask task = claim({.request_id = "r1"}).claimed.at(0);
    e.lease_id = task.lease_id;
    e.epoch = task.lease_epoch;
    e.attempt_id = task.attempt_id;
    e.delay("+0");
    e.promote();
    EXPECT_EQ(claim({.request_id = "r2"}).claimed.size(), 1U);
    const BatchReply again = claim({.request_id = "r1"});
    EXPECT_EQ(again.word, "DUPLICATE");
    EXPECT_TRUE(again.claimed.empty()) << "the worker holds it under another lease";
    const BatchReply resumed = claim({.request_id = "r2"});
    ASSERT_EQ(resumed.ids(), List{e.id()});
    EXPECT_EQ(resumed.claimed[0].attempt_type, "resumed");
}

TEST_P(Ch06Claim, WorkThatNobodyBeganIsToldAsItWas) {
    Execution e = created();
    for (const char* const request : {"r1", "r2", "r3"}) {
        const ClaimedTask task = claim({.request_id = request}).claimed.at(0);
        EXPECT_EQ(task.attempt_type, "initial");
        EXPECT_EQ(task.attempt_index, "0");
        EXPECT_EQ(claim({.request_id = request}).claimed.at(0).attempt_type, "initial");
        e.lease_id = task.lease_id;
        e.epoch = task.lease_epoch;
        e.attempt_id = task.attempt_id;
        EXPECT_EQ(element(e.give_back(), 2), "OK");
    }
}

TEST_P(Ch06Claim, S47_TwoSchedulersNeverShareAnExecution) {
    for (int i = 0; i < 20; ++i) created();
    std::set<std::string> seen;
    std::size_t total = 0;
    for (const char* instance : {"a", "b", "a", "b", "c"}) {
        for (const std::string& id : claim({.instance = instance, .max_tasks = 6}).ids()) {
            seen.insert(id);
            ++total;
        }
    }
    EXPECT_EQ(total, 20U);
    EXPECT_EQ(seen.size(), 20U);
}

TEST_P(Ch06Claim, S48_GatedWorkIsDeferredUntilAdmitted) {
    Execution a = created(
        {.priority = "1", .policy = R"({"budget_ids":["b1","b2"],"quota_policy_id":"q1"})"});
    Execution b = created({.policy = R"({"quota_policy_id":"q1"})"});
    Execution plain = created();
    const BatchReply deferred = claim({.max_tasks = 5});
    EXPECT_EQ(deferred.ids(), List{plain.id()});
    ASSERT_EQ(deferred.deferred.size(), 2U);
    EXPECT_EQ(deferred.deferred[0], (List{a.id(), "ns", "", "b1,b2", "q1", "1", "1"}));
    EXPECT_EQ(a.vector(), vector_l1());

    b.cancel();
    Execution unknown = execution();
    const BatchReply admitted =
        claim({.max_tasks = 5, .admitted = {{a.id(), "q1"}, {b.id(), "q1"}, {unknown.id(), ""}}});
    EXPECT_EQ(admitted.ids(), List{a.id()});
    EXPECT_EQ(a.core("admitted_quota_ids"), "q1");
    EXPECT_EQ(admitted.not_claimed, (std::vector<List>{{b.id(), "execution_not_eligible"},
                                                       {unknown.id(), "execution_not_found"}}));
}

TEST_P(Ch06Claim, AdmittedWorkIsTakenOnceAlthoughItIsAlsoQueued) {
    Execution e = created();
    const BatchReply reply = claim({.max_tasks = 3, .admitted = {{e.id(), "q"}, {e.id(), "q"}}});
    EXPECT_EQ(reply.ids(), List{e.id()});
    EXPECT_EQ(e.core("current_lease_epoch"), "1");
    EXPECT_EQ(e.core("total_attempt_count"), "1");
    EXPECT_EQ(feed("lease_history").size(), 1U);
}

TEST_P(Ch06Claim, WhyAdmittedWorkWasNotClaimed) {
    Execution granted = created();
    issue_grant(granted);
    Execution gpu = created({.policy = requires_caps({"gpu"})});
    Execution taken = created();
    Execution late = created();
    const BatchReply reply = claim(
        {.max_tasks = 1,
         .admitted = {{granted.id(), "q"}, {gpu.id(), "q"}, {taken.id(), "q"}, {late.id(), "q"}}});
    EXPECT_EQ(reply.ids(), List{taken.id()});
    EXPECT_EQ(reply.not_claimed, (std::vector<List>{{granted.id(), "grant_already_exists"},
                                                    {gpu.id(), "capability_mismatch"},
                                                    {late.id(), "not_reached"}}));
    EXPECT_EQ(gpu.memberships(), List{"blocked:route"});
}

TEST_P(Ch06Claim, NamespacesAndFlowsCanBeGated) {
    Execution a = created({.ns = "a"});
    Execution b = created({.ns = "b"});
    Execution member = created({.ns = "c"});
    member.set_core("flow_id", new_uuid());
    EXPECT_EQ(claim({.max_tasks = 5, .gated = "*"}).deferred.size(), 3U);
    const BatchReply some = claim({.max_tasks = 5, .gated = "x\na", .gate_flows = "1"});
    EXPECT_EQ(some.ids(), List{b.id()});
    EXPECT_EQ(some.deferred.size(), 2U);
    EXPECT_EQ(claim({.max_tasks = 5, .admission = "bypass", .gated = "*"}).claimed.size(), 2U);
}

TEST_P(Ch06Claim, AFilterTakesOneNamespaceOnly) {
    created({.ns = "a"});
    Execution b = created({.ns = "b"});
    EXPECT_EQ(claim({.max_tasks = 5, .ns = "b"}).ids(), List{b.id()});
}

TEST_P(Ch06Claim, OverShareNamespacesComeLastButIdleNoSlot) {
    std::vector<Execution> x;
    for (int i = 0; i < 3; ++i) x.push_back(created({.ns = "x"}));
    Execution urgent = created({.ns = "x", .priority = "9000"});
    Execution y = created({.ns = "y"});
    const BatchReply reply = claim({.max_tasks = 3, .over_share = "x"});
    EXPECT_EQ(reply.ids().size(), 3U);
    EXPECT_EQ(reply.ids()[0], urgent.id());
    EXPECT_EQ(reply.ids()[1], y.id());
    EXPECT_EQ(reply.eligible_left, "2");
    EXPECT_EQ(reply.namespaces, "x");
    EXPECT_FALSE(in_set(lane_index("lane", "eligible_ns"), "y"));
}

TEST_P(Ch06Claim, WaitingNamespacesBehindThePageAreNamedWhenAskedFor) {
    for (int i = 0; i < 4; ++i) created({.ns = "x", .priority = "5"});
    created({.ns = "y"});
    const BatchReply reply = claim({.max_tasks = 1, .fair_floor = "9000"});
    EXPECT_EQ(reply.eligible_left, "4");
    EXPECT_EQ(reply.namespaces, "x\ny");
    EXPECT_EQ(claim({.max_tasks = 1}).namespaces, "") << "not asked for";
    EXPECT_EQ(claim({.max_tasks = 5, .ns = "none"}).namespaces, "x\ny") << "all were examined";
}

TEST_P(Ch06Claim, InterruptedWorkGoesOnWithItsAttempt) {
    Execution e = active({.timeout_ms = "60000"});
    const std::string attempt = e.attempt_id;
    e.delay("+0");
    e.promote();
    const BatchReply reply = claim();
    ASSERT_EQ(reply.ids(), List{e.id()});
    EXPECT_EQ(reply.claimed[0].attempt_type, "resumed");
    EXPECT_EQ(reply.claimed[0].attempt_id, attempt);
    EXPECT_EQ(reply.claimed[0].attempt_index, "0");
    EXPECT_EQ(reply.claimed[0].lease_epoch, "2");
    EXPECT_EQ(e.attempt(0, "attempt_state"), "started");
    EXPECT_EQ(e.memberships(), (List{"active", "lease_expiry", "attempt_timeout"}));
}

TEST_P(Ch06Claim, APolicyTimeoutApplies) {
    Execution e = created({.policy = R"({"timeout_policy":{"attempt_timeout_ms":5000}})"});
    claim();
    EXPECT_EQ(e.memberships(), (List{"active", "lease_expiry", "attempt_timeout"}));
    EXPECT_EQ(score(index("attempt_timeout"), e.id()), std::stoll(e.core("attempt_timeout_at")));
}

TEST_P(Ch06Claim, AReleasedQuotaSlotIsNotTakenBackByAClaimThatAsksNoQuota) {
    Execution e = created({.policy = R"({"quota_policy_id":"q1"})"});
    claim({.admitted = {{e.id(), "q1"}}});
    e.lease_id = e.core("current_lease_id");
    e.epoch = "1";
    e.attempt_id = e.core("current_attempt_id");
    e.delay("+0");
    EXPECT_TRUE(in_set(index("quota_release"), "q1|" + e.id() + "|1"));
    e.promote();
    claim({.admission = "bypass"});
    EXPECT_TRUE(in_set(index("quota_release"), "q1|" + e.id() + "|1"));
    EXPECT_EQ(e.core("admitted_quota_ids"), "");
}

TEST_P(Ch06Claim, StaleEntriesOfTheQueueAreDropped) {
    Execution gone = created();
    command({"DEL", gone.key("core")});
    Execution done = active();
    done.complete();
    command({"ZADD", lane_index("lane", "eligible"), "1", done.id()});
    Execution good = created();
    const BatchReply reply = claim({.max_tasks = 5});
    EXPECT_EQ(reply.ids(), List{good.id()});
    EXPECT_EQ(reply.eligible_left, "0");
    EXPECT_FALSE(exists(lane_index("lane", "eligible")));
    EXPECT_EQ(done.vector(), vector_terminal("success"));
}

TEST_P(Ch06Claim, BadArgumentsAreRefusedAndWriteNothing) {
    created();
    const auto before = host().contents(tag());
    const List good = batch_args({.request_id = "r"});
    struct Row {
        std::size_t position;
        std::string value;
        std::string code = "invalid_input";
    };
    for (const Row& row : {Row{1, ""},
                           Row{2, ""},
                           Row{3, ""},
                           Row{4, std::string(4097, 'c'), "invalid_capabilities"},
                           Row{5, "0"},
                           Row{5, "257"},
                           Row{5, ""},
                           Row{6, "0"},
                           Row{6, "9007199254740991"},
                           Row{7, "-1"},
                           Row{8, std::string(129, 'r')},
                           Row{9, "0"},
                           Row{9, "4097"},
                           Row{10, "x"},
                           Row{11, "maybe"},
                           Row{13, "2"},
                           Row{15, "x"},
                           Row{17, "60001"},
                           Row{18, "2"},
                           Row{19, "257"},
                           Row{19, "1"},
                           Row{20, ""},
                           Row{21, ""},
                           Row{20, "a b"}}) {
        List args = good;
        args[row.position - 1] = row.value;
        const RespValue reply = host().fcall("ff_claim_batch", batch_keys("lane"), args);
        EXPECT_EQ(element(reply, 2), row.code) << "argument " << row.position;
    }
    EXPECT_EQ(host().contents(tag()), before);
}

/// What a claim left behind, without the ids and times that differ anyway.
std::map<std::string, std::string> without_ids(std::map<std::string, std::string> record,
                                               const Execution& e) {
    for (auto& [name, value] : record) {
        if (value == e.id()) value = "E";
        if (name == "lease_id" || name == "current_lease_id") value = "lease";
        if (name == "attempt_id" || name == "current_attempt_id") value = "attempt";
        if (name == "reason" || name.ends_with("capability_hash")) value = "";
        if (name.ends_with("_at") || name == "ts") value = value.empty() ? "" : "time";
    }
    std::erase_if(record, [](const auto& field) { return field.second.empty(); });
    return record;
}

TEST_P(Ch06Claim, S62_ABatchClaimLeavesWhatASingleOneLeaves) {
    Execution single = created();
    EXPECT_EQ(element(issue_grant(single), 2), "OK");
    EXPECT_EQ(element(single.claim(), 2), "OK");
    Execution batch = created();
    EXPECT_EQ(claim().ids(), List{batch.id()});

    EXPECT_EQ(batch.memberships(), single.memberships());
    EXPECT_EQ(without_ids(hash(batch.key("core")), batch),
              without_ids(hash(single.key("core")), single));
    EXPECT_EQ(without_ids(hash(batch.attempt_key(0)), batch),
              without_ids(hash(single.attempt_key(0)), single));
    EXPECT_TRUE(in_set(batch.worker_key("w1-1"), single.id()));
    EXPECT_TRUE(in_set(batch.worker_key("w1-1"), batch.id()));
    const auto events = feed("lease_history");
    ASSERT_EQ(events.size(), 2U);
    EXPECT_EQ(without_ids(events[0], single), without_ids(events[1], batch));
    EXPECT_EQ(events[1].at("reason"), "claim_batch");
    // Told by the core until another event begins the history.
    EXPECT_FALSE(exists(batch.key("lease:history")));
    EXPECT_FALSE(exists(single.key("lease:history")));
    batch.revoke();
    single.revoke();
    EXPECT_EQ(batch.lease_events(), (List{"acquired", "revoked"}));
    EXPECT_EQ(single.lease_events(), batch.lease_events());
    EXPECT_EQ(without_ids(entries(batch.key("lease:history"))[0], batch),
              without_ids(entries(single.key("lease:history"))[0], single));
}

}  // namespace
}  // namespace ff::contract
