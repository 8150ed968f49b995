#include <algorithm>

#include "contract/execution.h"
#include "model/function_catalogue.h"
#include "model/library.h"

namespace ff::contract {
namespace {

FF_CONTRACT_SUITE(Ch02Manage, ExecutionContract);

using Row = std::map<std::string, std::string>;

TEST_P(Ch02Manage, S53_PriorityReordersEligibleWorkOnly) {
    Execution first = created();
    Execution second = created();
    EXPECT_EQ(flat(second.change_priority("5")), (List{"1", "OK", "0", "5"}));
    EXPECT_EQ(flat(command({"ZRANGE", first.lane_key("eligible"), "0", "-1"})),
              (List{second.id(), first.id()}));
    EXPECT_EQ(score(second.lane_key("eligible"), second.id()),
              -5 * 1'000'000'000'000 + std::stoll(second.core("created_at")));
    EXPECT_EQ(feed("operator").back().at("event"), "priority_changed");
    EXPECT_EQ(flat(second.change_priority("90000")), (List{"1", "OK", "5", "9000"}));
    EXPECT_EQ(flat(created({.delay_until = "+9000"}).change_priority("1")),
              (List{"0", "execution_not_eligible"}));
    EXPECT_EQ(flat(active().change_priority("1")), (List{"0", "execution_not_eligible"}));
}

TEST_P(Ch02Manage, S54_TheCallersClockPromotesNothing) {
    Execution e = created({.delay_until = "+60000"});
    EXPECT_EQ(flat(e.promote(std::to_string(now() + 3'600'000))), (List{"1", "OK", "not_yet_due"}));
    EXPECT_EQ(e.vector(), vector_l2("waiting_for_delay"));
    EXPECT_EQ(element(e.promote("later"), 2), "invalid_input");
}

TEST_P(Ch02Manage, S55_PromotionKeepsHowTheNextClaimWorks) {
    Execution retry = active();
    retry.fail({.retry_policy = R"({"max_retries":1})"});
    Execution paused = active();
    paused.delay("+60000");
    Execution fresh = created({.delay_until = "+60000"});
    const std::vector<std::pair<Execution*, std::string>> all{{&retry, "pending_retry_attempt"},
                                                              {&paused, "attempt_interrupted"},
                                                              {&fresh, "pending_first_attempt"}};
    for (const auto& [e, state] : all) {
        e->set_core("delay_until", "1");
        EXPECT_EQ(flat(e->promote()), (List{"1", "OK", "promoted"}));
        EXPECT_EQ(e->vector(), vector_l1(state));
        EXPECT_EQ(e->memberships(), List{"eligible"});
        EXPECT_EQ(e->core("delay_until"), "");
        EXPECT_EQ(flat(e->promote()), (List{"1", "OK", "not_delayed_cleaned"}));
    }
    Execution running = active();
    command({"ZADD", running.lane_key("delayed"), "1", running.id()});
    EXPECT_EQ(flat(running.promote()), (List{"1", "OK", "not_runnable_cleaned"}));
    Execution gone = execution();
    command({"ZADD", gone.lane_key("delayed"), "1", gone.id()});
    EXPECT_EQ(flat(gone.promote()), (List{"1", "OK", "not_found_cleaned"}));
    EXPECT_FALSE(exists(gone.lane_key("delayed")));
    Execution member = created({.delay_until = "+60000"});
    member.set_core("delay_until", "1");
    member.set_core("flow_id", new_uuid());
    command({"HSET", member.key("deps:meta"), "gate", "closed"});
    EXPECT_EQ(flat(member.promote()), (List{"1", "OK", "blocked"}));
    EXPECT_EQ(member.vector(), vector_l3());
}

TEST_P(Ch02Manage, S56_ReplayRunsAgainAndForgetsTheOldResult) {
    Execution e = active();
    e.complete("R");
    EXPECT_EQ(flat(e.replay("bad data", "ann")), (List{"1", "OK", "0", "waiting"}));
    EXPECT_EQ(e.vector(), vector_l1("pending_replay_attempt"));
    EXPECT_EQ(e.memberships(), List{"eligible"});
    EXPECT_EQ(command({"GET", e.key("result")}).text, "R");
    EXPECT_EQ(element(e.take(), 8), "replay");
    EXPECT_EQ(e.attempt(1, "replay_reason"), "bad data");
    EXPECT_EQ(e.attempt(1, "replay_requested_by"), "ann");
    EXPECT_EQ(e.attempt(1, "replayed_from_attempt_index"), "0");
    e.complete("");
    EXPECT_FALSE(exists(e.key("result")));
    EXPECT_EQ(e.core("has_result"), "");
    EXPECT_EQ(feed("operator").back().at("event"), "replayed");
    EXPECT_EQ(e.lease_events(),
              (List{"acquired", "released", "replay_initiated", "acquired", "released"}));
    EXPECT_EQ(entries(e.key("lease:history")).at(2).at("replay_type"), "normal");
}

TEST_P(Ch02Manage, S57_ReplayGivesTheFullAllowanceUpToItsCap) {
    const std::string once = R"({"max_retries":1})";
    Execution e = active();
    EXPECT_EQ(flat(e.replay()), (List{"0", "execution_not_terminal"}));
    e.fail({.retry_policy = once});
    e.set_core("delay_until", "1");
    e.promote();
    e.take();
    ASSERT_EQ(element(e.fail({.retry_policy = once}), 4), "retries_exhausted");
    ASSERT_EQ(element(e.replay(), 2), "OK");
    EXPECT_EQ(e.core("failure_reason"), "");
    EXPECT_EQ(e.core("total_retry_count"), "1");
    e.take();
    EXPECT_EQ(element(e.fail({.retry_policy = once}), 3), "retry_scheduled");
    e.cancel("stop", "operator_override");
    for (int i = 2; i <= 10; ++i) {
        ASSERT_EQ(element(e.replay(), 2), "OK") << i;
        e.cancel("stop", "operator_override");
    }
    EXPECT_EQ(flat(e.replay()), (List{"0", "max_replays_exhausted", "10"}));
}

TEST_P(Ch02Manage, S57_ReplayArmsTheDeadlineAgain) {
    Execution duration =
        active({}, {.policy = R"({"timeout_policy":{"execution_deadline_ms":50000}})"});
    duration.complete();
    EXPECT_EQ(score(index("execution_deadline"), duration.id()), std::nullopt);
    duration.replay();
    EXPECT_EQ(score(index("execution_deadline"), duration.id()),
              std::stoll(duration.core("last_transition_at")) + 50'000);
    Execution ahead = active({}, {.deadline = "+90000"});
    const std::string due = ahead.core("execution_deadline_at");
    ahead.complete();
    ahead.replay();
    EXPECT_EQ(score(index("execution_deadline"), ahead.id()), std::stoll(due));
    Execution passed = active({}, {.deadline = "+1"});
    await_time(std::stoll(passed.core("execution_deadline_at")) + 1);
    passed.complete();
    passed.replay();
    EXPECT_EQ(score(index("execution_deadline"), passed.id()), std::nullopt);
    EXPECT_EQ(passed.core("execution_deadline_at"), "");
}

TEST_P(Ch02Manage, S58_TagKeysAreNamespaced) {
    Execution e = created();
    EXPECT_EQ(flat(e.set_tags({"a.b", "1"})), (List{"1", "OK", "1"}));
    for (const char* bad : {"App.x", "nodot", "a.", "a..b"}) {
        EXPECT_EQ(flat(e.set_tags({"c.d", "2", bad, "3"})), (List{"0", "invalid_tag_key", bad}));
    }
    EXPECT_EQ(hash(e.key("tags")), (Row{{"a.b", "1"}}));
    EXPECT_EQ(element(e.set_tags({}), 2), "invalid_input");
    EXPECT_EQ(element(e.set_tags({"a.b"}), 2), "invalid_input");
    EXPECT_EQ(flat(execution().set_tags({"a.b", "1"})), (List{"0", "execution_not_found"}));
    const std::size_t events = feed("instance_tags").size();
    EXPECT_EQ(flat(e.set_tags({"a.b", "0", "a.b", "1"})), (List{"1", "OK", "2"}));
    EXPECT_EQ(feed("instance_tags").size(), events);
    List many;
    for (int i = 0; i < 5000; ++i) {
        many.push_back("bulk.k" + std::to_string(i));
        many.push_back(std::to_string(i));
    }
    EXPECT_EQ(flat(e.set_tags(many)), (List{"1", "OK", "5000"}));
    EXPECT_EQ(hash(e.key("tags")).size(), 5001U);
    std::size_t told = 0;
    for (const Row& row : feed("instance_tags")) told += row.size() - 6;
    EXPECT_EQ(told, 5001U);
}

/// Keys that name the execution.
List keys_of(Host& host, const std::string& tag, const Execution& e) {
    List found;
    for (const auto& [key, content] : host.contents(tag)) {
        if (key.find(e.id()) != std::string::npos) found.push_back(key);
    }
    return found;
}

/// Records of every chapter that live and go with an execution.
void add_records(Host& host, const std::string& tag, const Execution& e) {
    for (int i = 0; i < 3; ++i) {
        const std::string n = std::to_string(i);
        host.command({"SADD", e.key("waitpoints"), e.id() + "wp" + n});
        host.command({"HSET", "ff:wp:" + tag + ":" + e.id() + "wp" + n, "state", "closed"});
        host.command(
            {"HSET", "ff:wp:" + tag + ":" + e.id() + "wp" + n + ":condition", "closed", "1"});
        host.command({"ZADD", e.key("signals"), n, e.id() + "sig" + n});
        host.command({"HSET", "ff:signal:" + tag + ":" + e.id() + "sig" + n, "a", "b"});
        host.command({"SET", "ff:signal:" + tag + ":" + e.id() + "sig" + n + ":payload", "p"});
        host.command({"SADD", e.key("deps:all_edges"), "edge" + n});
        host.command({"HSET", e.key("dep:edge" + n), "state", "satisfied"});
        host.command({"HSET", e.key("inputs"), "in" + n, "edge|up"});
        host.command({"SET", e.key("input:in" + n), "bytes"});
    }
    // Of the attempt there was, and of the next, which somebody watches.
    for (int i = 0; i < 2; ++i) {
        host.command({"HSET", e.stream_key(i, ":meta"), "created_at", "1"});
        host.command({"XADD", e.stream_key(i), "1-1", "a", "b"});
        host.command({"HSET", e.attempt_key(i, ":summary"), "a", "b"});
    }
    host.command({"HSET", e.key("suspension:current"), "suspension_id", "s"});
    host.command({"HSET", e.key("deps:meta"), "gate", "open"});
    // What an earlier library kept beside the core.
    host.command({"HSET", e.key("lease:current"), "lease_id", e.lease_id});
    host.command({"ZADD", e.key("attempts"), "1", "0"});
}

TEST_P(Ch02Manage, S59_PurgeDeletesInSlicesAndSparesTheReplayed) {
    Execution e = active({}, {.tags = R"({"a":"b"})", .idempotency_key = "k"});
    e.complete();
    add_records(host(), tag(), e);
    EXPECT_EQ(
        flat(e.purge("60000")),
        (List{"1", "OK", "not_due", std::to_string(std::stoll(e.core("completed_at")) + 60'000)}));
    EXPECT_EQ(e.memberships(), (List{"terminal", "retention_due"}));
    EXPECT_EQ(element(e.purge("0", "1"), 3), "partial");
    // Whoever started it may be gone; meanwhile the execution does not exist for anybody.
    EXPECT_EQ(flat(e.replay()), (List{"0", "execution_not_found"}));
    EXPECT_EQ(flat(e.complete()), (List{"0", "execution_not_found"}));
    int slices = 1;
    while (element(e.purge("0", "1"), 3) == "partial") ASSERT_LT(++slices, 50);
    EXPECT_GT(slices, 2);
    EXPECT_EQ(keys_of(host(), tag(), e), List{});
    EXPECT_EQ(e.memberships(), List{});
    EXPECT_FALSE(in_set(index("all_executions"), e.id()));
    EXPECT_FALSE(exists("ff:idem:" + tag() + ":ns:k"));
    EXPECT_EQ(flat(e.purge()), (List{"1", "OK", "not_found_cleaned"}));

    Execution replayed = active();
    replayed.complete();
    replayed.replay();
    const auto before = host().contents(tag());
    EXPECT_EQ(flat(replayed.purge()), (List{"1", "OK", "not_terminal_cleaned"}));
    EXPECT_EQ(host().contents(tag()), before);
}

TEST_P(Ch02Manage, S59_PurgeTakesManyRecordsSliceBySlice) {
    Execution e = active();
    e.complete();
    List edges{"SADD", e.key("deps:all_edges")};
    for (int i = 0; i < 700; ++i) {
        edges.push_back("edge" + std::to_string(i));
        command({"SET", e.key("dep:edge" + std::to_string(i)), "x"});
    }
    command(edges);
    int slices = 0;
    while (element(e.purge("0", "100"), 3) == "partial") ASSERT_LT(++slices, 20);
    EXPECT_GE(slices, 7);
    EXPECT_EQ(keys_of(host(), tag(), e), List{});
}

TEST_P(Ch02Manage, S59_RetentionComesFromThePolicyFirst) {
    Execution own = active({}, {.policy = R"({"retention_ms":50000})"});
    own.complete();
    EXPECT_EQ(score(index("retention_due"), own.id()),
              std::stoll(own.core("completed_at")) + 50'000);
    EXPECT_EQ(element(own.purge("0"), 3), "not_due");
    Execution streamed = active({}, {.policy = R"({"stream_policy":{"retention_ttl_ms":50000}})"});
    streamed.complete();
    EXPECT_EQ(element(streamed.purge("0"), 3), "not_due");
    Execution member = active();
    member.set_core("flow_id", new_uuid());
    command({"SADD", "ff:flow:" + tag() + ":" + member.core("flow_id") + ":out:" + member.id(),
             "edge"});
    member.complete();
    EXPECT_EQ(element(member.purge("0"), 3), "not_due");
    command({"ZREM", index("cascade_pending"), member.id()});
    EXPECT_EQ(element(member.purge("0"), 3), "purged");
}

TEST_P(Ch02Manage, S60_TooFewKeysOrArgumentsAreRefusedByEveryFunction) {
    EXPECT_EQ(flat(host().fcall("ff_version", {}, {})),
              List{std::string(model::library_version_text())});
    EXPECT_EQ(flat(host().fcall("ff_library_info", {}, {})),
              (List{"1", "OK", std::string(model::library_version_text()),
                    std::string(model::library_digest())}));
    for (const model::FunctionInfo& function : model::function_catalogue()) {
        const bool present = model::library_text().find("\"" + std::string(function.name) + "\"") !=
                             std::string::npos;
        if (!present || (function.base_keys() == 0 && function.base_argv() == 0)) continue;
        const List keys(function.base_keys(), noop());
        const List argv(function.base_argv(), "x");
        std::vector<RespValue> replies;
        if (!keys.empty()) {
            replies.push_back(
                host().fcall(function.name, List(keys.begin() + 1, keys.end()), argv));
        }
        if (!argv.empty()) {
            replies.push_back(
                host().fcall(function.name, keys, List(argv.begin() + 1, argv.end())));
        }
        for (const RespValue& reply : replies) {
            EXPECT_EQ(element(reply, 1), "0") << function.name << to_string(reply);
            EXPECT_EQ(element(reply, 2), "invalid_input") << function.name << to_string(reply);
        }
    }
}

TEST_P(Ch02Manage, S62_IndexesAreRebuiltFromTheCore) {
    Execution e = created();
    command({"ZREM", e.lane_key("eligible"), e.id()});
    command({"ZADD", e.lane_key("delayed"), "5", e.id()});
    e.set_core("public_state", "failed");
    command({"HSET", "ff:wake:" + tag(), "lane", std::to_string(now() + 60'000)});
    const auto waiter = host().listen("ff:wake:lane");
    const auto before = host().contents(tag());
    const List found = flat(e.reconcile("check"));
    EXPECT_EQ(List(found.begin(), found.begin() + 6),
              (List{"1", "OK", "differs", "3", "ns", e.core("created_at")}));
    EXPECT_EQ(host().contents(tag()), before);
    EXPECT_EQ(element(e.reconcile(), 3), "repaired");
    EXPECT_EQ(e.memberships(), List{"eligible"});
    EXPECT_EQ(e.vector(), vector_l1());
    const std::string message = waiter->next();
    EXPECT_EQ(message, tag());
    EXPECT_EQ(element(e.reconcile(), 3), "consistent");
    EXPECT_EQ(element(e.reconcile(), 4), "0");
    EXPECT_EQ(element(e.reconcile("other"), 2), "invalid_input");
}

TEST_P(Ch02Manage, S62_EveryReachableVectorIsConsistentWithItsIndexes) {
    std::vector<Execution> all;
    all.push_back(created());
    all.push_back(created({.delay_until = "+60000", .deadline = "+90000"}));
    all.push_back(created({.tags = R"({"a":"b"})", .hold = "dependencies"}));
    all.push_back(active({.timeout_ms = "60000"}));
    all.push_back(active());
    all.back().lose_lease();
    all.push_back(active());
    all.back().revoke();
    all.push_back(active({}, {.policy = R"({"retention_ms":7})"}));
    all.back().complete();
    all.push_back(active());
    all.back().fail({.retry_policy = R"({"max_retries":1})"});
    all.push_back(created({.deadline = "+90000"}));
    all.back().cancel("stop", "operator_override");
    all.push_back(active());
    all.back().delay("+0");
    all.push_back(active());
    all.back().wait_for_children();
    all.push_back(active());
    all.back().complete();
    all.back().replay();
    for (const Execution& e : all) {
        EXPECT_EQ(element(e.reconcile("check"), 3), "consistent")
            << to_string(e.reconcile("check")) << " " << ::testing::PrintToString(e.vector());
    }
    // And from nothing: every index entry comes back.
    for (const Execution& e : all) {
        const List before = e.memberships();
        for (const std::string& name : before) {
            command({"ZREM", e.lane_key(name), e.id()});
            command({"ZREM", e.index_key(name), e.id()});
        }
        command({"SREM", index("all_executions"), e.id()});
        EXPECT_EQ(element(e.reconcile(), 4), std::to_string(before.size() + 1));
        EXPECT_EQ(e.memberships(), before);
    }
    Execution gone = execution();
    command({"SADD", index("all_executions"), gone.id()});
    command({"ZADD", index("lease_expiry"), "1", gone.id()});
    EXPECT_EQ(flat(gone.reconcile()), (List{"1", "OK", "gone", "2", "", ""}));
    EXPECT_EQ(element(gone.reconcile(), 4), "0");
}

}  // namespace
}  // namespace ff::contract
