#include "contract/suspension.h"

namespace ff::contract {
namespace {

FF_CONTRACT_SUITE(Ch03Pending, SuspensionContract);

TEST_P(Ch03Pending, S27_ABufferedSignalSpeaksBeforeTheWorkerSuspends) {
    const Execution e = active();
    const Waitpoint p = pending(e);
    EXPECT_EQ(waitpoint(p.id)["state"], "pending");
    EXPECT_TRUE(score(e.index_key("pending_waitpoint_expiry"), p.id).has_value());
    const SignalArgs sent{.id = new_uuid(), .payload = "bytes"};
    EXPECT_EQ(flat(buffer(e, p, sent)),
              (List{"1", "OK", sent.id, "buffered_for_pending_waitpoint"}));
    EXPECT_EQ(e.vector(), vector_l9());
    const auto core = hash(e.key("core"));
    const Suspended s = read_suspended(
        try_suspend(e, {.waitpoint_id = p.id, .continuation = "x", .use_pending = true}));
    EXPECT_EQ(element(s.reply, 2), "ALREADY_SATISFIED");
    EXPECT_EQ(s.primary().token, p.token);
    EXPECT_EQ(s.primary().key, p.key);
    EXPECT_EQ(hash(e.key("core")), core);
    EXPECT_EQ(signal(sent.id)["observed_effect"], "resume_condition_satisfied");
    EXPECT_EQ(signal(sent.id)["consumed_by_suspension_id"], s.id);
    auto record = suspension(e);
    EXPECT_EQ(record["already_satisfied"], "1");
    EXPECT_EQ(record["close_reason"], "resumed");
    EXPECT_EQ(record["all_satisfier_signals"], "[\"" + sent.id + "\"]");
    EXPECT_EQ(record["closer_signal_id"], sent.id);
    EXPECT_EQ(record["attempt_index"], "0");
    EXPECT_EQ(waitpoint(p.id)["state"], "closed");
    EXPECT_EQ(waitpoint(p.id)["close_reason"], "resumed");
    EXPECT_EQ(waitpoint(p.id)["matched_signal_count"], "1");
    EXPECT_EQ(condition(p.id)["closed"], "1");
    EXPECT_FALSE(score(e.index_key("pending_waitpoint_expiry"), p.id).has_value());
    EXPECT_EQ(element(e.complete(), 2), "OK");
}

TEST_P(Ch03Pending, AnAlreadySatisfiedSuspendIsRepeatable) {
    const Execution e = active();
    const Waitpoint p = pending(e);
    buffer(e, p);
    const SuspendArgs args{.waitpoint_id = p.id, .use_pending = true, .idempotency_key = "K"};
    const RespValue first = try_suspend(e, args);
    EXPECT_EQ(element(first, 2), "ALREADY_SATISFIED");
    EXPECT_EQ(flat(try_suspend(e, args)), flat(first));
    // The next suspension takes the place of the one that was over before it began.
    suspend(e);
    EXPECT_EQ(suspension(e)["closed_at"], "");
    EXPECT_FALSE(suspension(e).contains("already_satisfied"));
}

TEST_P(Ch03Pending, S28_BufferedAndLaterSignalsAddUp) {
    const Execution e = active();
    const Waitpoint p = pending(e);
    const std::string first = new_uuid();
    buffer(e, p, {.id = first, .name = "a"});
    buffer(e, p, {.name = "unwanted"});
    suspend(e, {.condition = flat_condition(R"(["a","b"])", "all"),
                .waitpoint_id = p.id,
                .use_pending = true});
    EXPECT_EQ(e.vector(), vector_suspended());
    EXPECT_EQ(signal(first)["observed_effect"], "appended_to_waitpoint");
    EXPECT_EQ(suspension(e)["buffered_signal_summary_json"],
              R"({"total_count":2,"matched_count":1,"signal_names":["a","unwanted"]})");
    EXPECT_EQ(waitpoint(p.id)["signal_count"], "2");
    EXPECT_EQ(waitpoint(p.id)["matched_signal_count"], "1");
    EXPECT_EQ(effect(e, p, {.name = "b"}), "resume_condition_satisfied");

    const Execution tree = active();
    const Waitpoint q = pending(tree, "q");
    buffer(tree, q, {.source = "ann"});
    buffer(tree, q, {.id = "again", .source = "ann"});
    suspend(tree, {.condition = composite(count_of(2, "DistinctSources", {"q"})),
                   .waitpoint_id = q.id,
                   .use_pending = true});
    EXPECT_EQ(signal("again")["observed_effect"], "appended_to_waitpoint_duplicate");
    EXPECT_EQ(effect(tree, q, {.source = "ann"}), "appended_to_waitpoint_duplicate");
    EXPECT_EQ(effect(tree, q, {.source = "bob"}), "resume_condition_satisfied");
}

TEST_P(Ch03Pending, S29_S30_EachStateHasItsFunction) {
    const Execution e = active();
    const Waitpoint p = pending(e);
    const auto before = host().contents(tag());
    EXPECT_EQ(effect(e, p), "waitpoint_pending_use_buffer_script");
    EXPECT_EQ(host().contents(tag()), before);
    EXPECT_EQ(effect(e, p, {.name = "x", .buffer_if_pending = "1"}),
              "buffered_for_pending_waitpoint");
    suspend(e,
            {.condition = flat_condition(R"(["ok"])"), .waitpoint_id = p.id, .use_pending = true});
    const auto suspended = host().contents(tag());
    EXPECT_EQ(element(buffer(e, p), 2), "waitpoint_active_use_deliver_script");
    EXPECT_EQ(host().contents(tag()), suspended);
    EXPECT_EQ(effect(e, p, {.buffer_if_pending = "1"}), "resume_condition_satisfied");
    EXPECT_EQ(element(buffer(e, p), 2), "waitpoint_closed");
}

TEST_P(Ch03Pending, S31_AFullHistoryRefusesInsteadOfForgetting) {
    const Execution e = active();
    const Waitpoint p = pending(e);
    EXPECT_EQ(element(buffer(e, p, {.id = "first", .history_max = "2"}), 2), "OK");
    EXPECT_EQ(element(buffer(e, p, {.history_max = "2"}), 2), "OK");
    EXPECT_EQ(element(buffer(e, p, {.history_max = "2"}), 2), "signal_limit_exceeded");
    EXPECT_EQ(effect(e, p, {.history_max = "2", .buffer_if_pending = "1"}),
              "signal_limit_exceeded");
    EXPECT_EQ(element(buffer(e, p, {.signals_max = "2"}), 2), "signal_limit_exceeded");
    const auto history = entries(waitpoint_key(p.id, ":signals"));
    ASSERT_EQ(history.size(), 2U);
    EXPECT_EQ(history[0].at("signal_id"), "first");
}

TEST_P(Ch03Pending, S32_AWaitpointThatNobodyUsedExpires) {
    const Execution e = active();
    const Waitpoint p = pending(e, "", std::to_string(now() - 1));
    EXPECT_EQ(element(buffer(e, p, {.id = "kept"}), 2), "OK");
    EXPECT_EQ(element(try_suspend(e, {.waitpoint_id = p.id, .use_pending = true}), 2),
              "pending_waitpoint_expired");
    EXPECT_EQ(flat(close_waitpoint(e, p.id, "never_committed")), (List{"1", "OK"}));
    EXPECT_EQ(waitpoint(p.id)["state"], "expired");
    EXPECT_EQ(waitpoint(p.id)["close_reason"], "never_committed");
    EXPECT_EQ(signal("kept")["observed_effect"], "no_op_waitpoint_never_activated");
    EXPECT_FALSE(score(e.index_key("pending_waitpoint_expiry"), p.id).has_value());
    EXPECT_EQ(element(try_suspend(e, {.waitpoint_id = p.id, .use_pending = true}), 2),
              "waitpoint_not_pending");
    EXPECT_EQ(element(buffer(e, p), 2), "waitpoint_closed");
    const Waitpoint fresh = pending(e);
    EXPECT_EQ(flat(close_waitpoint(e, fresh.id, "never_committed")),
              (List{"1", "OK", "not_yet_due"}));
    EXPECT_EQ(waitpoint(fresh.id)["state"], "pending");
}

TEST_P(Ch03Pending, S33_TheScanNeverClosesWhatTheWorkerActivatedFirst) {
    const Execution e = active();
    const Waitpoint p = pending(e);
    suspend(e, {.waitpoint_id = p.id, .use_pending = true});
    EXPECT_EQ(flat(close_waitpoint(e, p.id, "never_committed")), (List{"1", "OK", "not_pending"}));
    EXPECT_EQ(waitpoint(p.id)["state"], "active");
    EXPECT_EQ(effect(e, p), "resume_condition_satisfied");
}

TEST_P(Ch03Pending, S34_APendingWaitpointServesItsOwnAttemptOnly) {
    Execution e = active();
    const Execution other = active();
    const Waitpoint p = pending(e);
    EXPECT_EQ(element(try_suspend(other, {.waitpoint_id = p.id, .use_pending = true}), 2),
              "invalid_waitpoint_for_execution");
    EXPECT_EQ(element(try_suspend(other, {.waitpoint_id = p.id}), 2),
              "invalid_waitpoint_for_execution");
    EXPECT_EQ(element(try_pending(other, p.id, "k"), 2), "invalid_waitpoint_for_execution");
    EXPECT_EQ(element(try_pending(e, p.id, "k"), 2), "waitpoint_already_exists");
    EXPECT_EQ(element(try_suspend(e, {.waitpoint_id = p.id}), 2), "waitpoint_already_exists");
    EXPECT_EQ(element(try_suspend(e, {.waitpoint_id = new_uuid(), .use_pending = true}), 2),
              "waitpoint_not_found");
    command({"HSET", waitpoint_key(p.id), "waitpoint_token", ""});
    EXPECT_EQ(element(try_suspend(e, {.waitpoint_id = p.id, .use_pending = true}), 2),
              "waitpoint_not_token_bound");
    const Waitpoint past = pending(e);
    e.lose_lease();
    e.take_over();
    EXPECT_EQ(element(try_suspend(
                          e, {.waitpoint_id = past.id, .use_pending = true, .attempt_index = "1"}),
                      2),
              "invalid_waitpoint_for_execution");
    EXPECT_EQ(effect(e, past, {.buffer_if_pending = "1"}), "waitpoint_closed");
    EXPECT_EQ(element(buffer(e, past), 2), "waitpoint_closed");
}

TEST_P(Ch03Pending, ASignalDuringABackoffIsToldThatTheAttemptIsOver) {
    const Execution e = active();
    const Waitpoint p = pending(e);
    e.fail({.retry_policy = R"({"max_retries":3})"});
    EXPECT_EQ(effect(e, p, {.buffer_if_pending = "1"}), "waitpoint_closed");
}

TEST_P(Ch03Pending, AClosedIdMayBeUsedAnew) {
    Execution e = active();
    const Waitpoint p = pending(e);
    buffer(e, p, {.id = "old"});
    close_waitpoint(e, p.id);
    EXPECT_EQ(signal("old")["observed_effect"], "no_op_waitpoint_never_activated");
    await_time(std::stoll(waitpoint(p.id)["created_at"]) + 2);
    const RespValue again = try_pending(e, p.id, p.key);
    EXPECT_EQ(element(again, 2), "OK");
    EXPECT_NE(element(again, 5), p.token);
    EXPECT_TRUE(entries(waitpoint_key(p.id, ":signals")).empty());
    EXPECT_EQ(effect(e, p, {.buffer_if_pending = "1"}), "invalid_token");
    const Waitpoint renewed{p.id, p.key, element(again, 5)};
    buffer(e, renewed, {.id = "newer"});
    close_waitpoint(e, p.id);
    const Suspended s =
        suspend(e, {.condition = flat_condition(R"(["ok"])", "count", 2), .waitpoint_id = p.id});
    EXPECT_TRUE(entries(waitpoint_key(p.id, ":signals")).empty());
    EXPECT_EQ(waitpoint(p.id)["signal_count"], "0");
    EXPECT_EQ(waitpoint(p.id)["closed_at"], "");
    EXPECT_EQ(effect(e, s.primary()), "appended_to_waitpoint");
}

TEST_P(Ch03Pending, S51_TwoPendingWaitpointsAreActivatedTogether) {
    const Execution e = active();
    const Waitpoint p = pending(e, "p");
    const Waitpoint q = pending(e, "q");
    buffer(e, p, {.id = "one"});
    buffer(e, q, {.id = "two"});
    const Suspended s =
        read_suspended(try_suspend(e, {.condition = composite(all_of({single("p"), single("q")})),
                                       .waitpoint_id = p.id,
                                       .use_pending = true,
                                       .additional = {{.id = q.id}}}));
    EXPECT_EQ(element(s.reply, 2), "ALREADY_SATISFIED");
    ASSERT_EQ(s.waitpoints.size(), 2U);
    EXPECT_EQ(s.waitpoints[1].token, q.token);
    EXPECT_EQ(satisfiers(e), R"(["one","two"])");
    EXPECT_EQ(signal("one")["observed_effect"], "appended_to_waitpoint");
    EXPECT_EQ(signal("two")["observed_effect"], "resume_condition_satisfied");
    EXPECT_EQ(e.vector(), vector_l9());
}

TEST_P(Ch03Pending, OnlyALeaseHolderCreatesOne) {
    Execution e = active();
    const auto code = [&](const List& more, const std::string& index = "0",
                          const std::string& expires = "+60000") {
        List args{e.id(), index, new_uuid(), "k", expires};
        args.insert(args.end(), more.begin(), more.end());
        return element(host().fcall("ff_create_pending_waitpoint", pending_keys(e, "x"), args), 2);
    };
    EXPECT_EQ(code({e.lease_id, e.epoch}), "partial_fence_triple");
    EXPECT_EQ(code({e.lease_id, "9", e.attempt_id}), "stale_lease");
    EXPECT_EQ(code({}, "1"), "stale_lease");
    EXPECT_EQ(code({}, "0", "soon"), "invalid_input");
    EXPECT_EQ(code({}, "0", ""), "invalid_input");
    EXPECT_EQ(element(try_pending(e, "a:b", "k"), 2), "invalid_input");
    EXPECT_EQ(element(try_pending(e, "a", ""), 2), "invalid_input");
    e.set_core("lease_expires_at", "1");
    EXPECT_EQ(code({e.lease_id, e.epoch, e.attempt_id}), "lease_expired");
    EXPECT_EQ(e.core("ownership_state"), "leased");
    e.lose_lease();
    EXPECT_EQ(code({}), "no_active_lease");
    EXPECT_EQ(element(try_pending(created(), "a", "k"), 2), "execution_not_active");
    EXPECT_EQ(element(try_pending(execution(), "a", "k"), 2), "execution_not_found");
}

}  // namespace
}  // namespace ff::contract
