#include "contract/suspension.h"

namespace ff::contract {
namespace {

FF_CONTRACT_SUITE(Ch03Signal, SuspensionContract);

TEST_P(Ch03Signal, S02_AMatchingSignalResumes) {
    const Execution e = active({}, {.priority = "7"});
    const Suspended s =
        suspend(e, {.condition = flat_condition(R"(["approval_result"])"), .timeout_at = "+60000"});
    const SignalArgs sent{
        .id = new_uuid(), .name = "approval_result", .category = "approval", .correlation_id = "c"};
    EXPECT_EQ(flat(deliver(e, s.primary(), sent)),
              (List{"1", "OK", sent.id, "resume_condition_satisfied"}));
    EXPECT_EQ(e.vector(), vector_resumed());
    EXPECT_EQ(e.memberships(), List{"eligible"});
    EXPECT_EQ(score(e.lane_key("eligible"), e.id()),
              std::stoll(e.core("created_at")) - 7'000'000'000'000);
    EXPECT_EQ(e.core("current_suspension_id"), "");
    EXPECT_EQ(e.core("current_waitpoint_id"), "");
    auto record = signal(sent.id);
    EXPECT_EQ(record["observed_effect"], "resume_condition_satisfied");
    EXPECT_EQ(record["signal_category"], "approval");
    EXPECT_EQ(record["source_type"], "user");
    EXPECT_EQ(record["source_identity"], "alice");
    EXPECT_EQ(record["correlation_id"], "c");
    EXPECT_EQ(record["consumed_by_suspension_id"], s.id);
    auto stored = suspension(e);
    EXPECT_EQ(stored["close_reason"], "resumed");
    EXPECT_EQ(stored["closer_signal_id"], sent.id);
    EXPECT_EQ(stored["all_satisfier_signals"], "[\"" + sent.id + "\"]");
    EXPECT_EQ(stored["buffered_signal_summary_json"],
              R"({"total_count":1,"matched_count":1,"signal_names":["approval_result"]})");
    EXPECT_EQ(waitpoint(s.primary().id)["state"], "closed");
    EXPECT_EQ(waitpoint(s.primary().id)["close_reason"], "resumed");
    EXPECT_EQ(condition(s.primary().id)["closed_reason"], "satisfied");
    const auto history = entries(waitpoint_key(s.primary().id, ":signals"));
    ASSERT_EQ(history.size(), 1U);
    EXPECT_EQ(history[0].at("matched"), "1");
    EXPECT_TRUE(score(e.key("signals"), sent.id).has_value());
}

TEST_P(Ch03Signal, S06_AllNamesAreNeeded) {
    const Execution e = active();
    const Suspended s = suspend(e, {.condition = flat_condition(R"(["a","b"])", "all")});
    EXPECT_EQ(effect(e, s.primary(), {.name = "a"}), "appended_to_waitpoint");
    EXPECT_EQ(e.vector(), vector_suspended());
    EXPECT_EQ(effect(e, s.primary(), {.name = "c"}), "no_op");
    EXPECT_EQ(effect(e, s.primary(), {.name = "a"}), "no_op");
    EXPECT_EQ(effect(e, s.primary(), {.name = "b"}), "resume_condition_satisfied");
    EXPECT_EQ(e.vector(), vector_resumed());
    EXPECT_EQ(waitpoint(s.primary().id)["signal_count"], "4");
    EXPECT_EQ(waitpoint(s.primary().id)["matched_signal_count"], "2");
}

TEST_P(Ch03Signal, SatisfiersAreListedByMatcher) {
    const Execution e = active();
    const Suspended s = suspend(e, {.condition = flat_condition(R"(["a","b"])", "all")});
    const std::string b = new_uuid();
    const std::string a = new_uuid();
    effect(e, s.primary(), {.id = b, .name = "b"});
    effect(e, s.primary(), {.id = a, .name = "a"});
    EXPECT_EQ(satisfiers(e), "[\"" + a + "\",\"" + b + "\"]");
    EXPECT_EQ(suspension(e)["closer_signal_id"], a);
}

TEST_P(Ch03Signal, S07_OneNameMayBeNeededTwice) {
    const Execution e = active();
    const Suspended s = suspend(e, {.condition = flat_condition(R"(["ok"])", "count", 2)});
    EXPECT_EQ(effect(e, s.primary()), "appended_to_waitpoint");
    EXPECT_EQ(effect(e, s.primary()), "resume_condition_satisfied");
    const Execution any = active();
    const Suspended wild = suspend(any, {.condition = flat_condition("[]", "any", 3)});
    EXPECT_EQ(effect(any, wild.primary(), {.name = "x"}), "appended_to_waitpoint");
    EXPECT_EQ(effect(any, wild.primary(), {.name = "y"}), "appended_to_waitpoint");
    EXPECT_EQ(effect(any, wild.primary(), {.name = "x"}), "resume_condition_satisfied");
}

TEST_P(Ch03Signal, S08_S09_ASignalCountsOnce) {
    const Execution e = active();
    const Suspended s = suspend(e, {.condition = flat_condition(R"(["ok"])", "count", 2)});
    const SignalArgs first{.id = new_uuid()};
    EXPECT_EQ(effect(e, s.primary(), first), "appended_to_waitpoint");
    const auto before = host().contents(tag());
    EXPECT_EQ(flat(deliver(e, s.primary(), first)), (List{"1", "DUPLICATE", first.id}));
    EXPECT_EQ(host().contents(tag()), before);
    const SignalArgs second{.id = new_uuid(), .idempotency_key = "K"};
    EXPECT_EQ(effect(e, s.primary(), second), "resume_condition_satisfied");
    // A retried webhook may carry a new id, and comes after the waitpoint has closed.
    EXPECT_EQ(flat(deliver(e, s.primary(), {.idempotency_key = "K"})),
              (List{"1", "DUPLICATE", second.id}));
    EXPECT_EQ(flat(deliver(e, s.primary(), first)), (List{"1", "DUPLICATE", first.id}));
    EXPECT_EQ(effect(e, s.primary(), {.idempotency_key = "K", .dedup_ttl_ms = "0"}),
              "target_not_signalable");
    const std::string dedup = "ff:sigdedup:" + tag() + ":" + s.primary().id + ":K";
    if (const auto ttl = host().ttl_ms(dedup)) {
        EXPECT_GT(*ttl, 86'000'000);
        EXPECT_LE(*ttl, 86'400'000);
    }
    const Execution other = active();
    const Suspended elsewhere = suspend(other);
    EXPECT_EQ(element(deliver(other, elsewhere.primary(), first), 2), "duplicate_signal");
    EXPECT_EQ(other.vector(), vector_suspended());
}

TEST_P(Ch03Signal, S10_AFullExecutionTakesNoNewSignalButKnowsTheOldOnes) {
    const Execution e = active();
    const Suspended s = suspend(e, {.condition = R"({"condition_type":"operator_only"})"});
    EXPECT_EQ(effect(e, s.primary(), {.idempotency_key = "K"}), "no_op");
    List fill{"ZADD", e.key("signals")};
    for (int i = 1; i < 10'000; ++i) {
        fill.emplace_back("1");
        fill.push_back("other-" + std::to_string(i));
        if (fill.size() > 1'000) {
            command(fill);
            fill.resize(2);
        }
    }
    if (fill.size() > 2) command(fill);
    ASSERT_EQ(command({"ZCARD", e.key("signals")}).integer, 10'000);
    const auto before = host().contents(tag());
    EXPECT_EQ(effect(e, s.primary()), "signal_limit_exceeded");
    EXPECT_EQ(effect(e, s.primary(), {.idempotency_key = "K"}), "DUPLICATE");
    EXPECT_EQ(host().contents(tag()), before);
    EXPECT_EQ(effect(e, s.primary(), {.signals_max = "0"}), "no_op");
    EXPECT_EQ(effect(e, s.primary(), {.signals_max = "20000"}), "no_op");
}

TEST_P(Ch03Signal, S11_S12_PayloadsAreBytesUpToTheirLimit) {
    const Execution e = active();
    const Suspended s = suspend(e, {.condition = flat_condition(R"(["ok"])", "count", 4)});
    const std::string bytes("\x00\xff\xc3\x28", 4);
    const SignalArgs sent{.id = new_uuid(), .payload = bytes};
    EXPECT_EQ(effect(e, s.primary(), sent), "appended_to_waitpoint");
    const std::string payload = "ff:signal:" + tag() + ":" + sent.id + ":payload";
    EXPECT_EQ(command({"GET", payload}).text, bytes);
    EXPECT_EQ(signal(sent.id)["payload_len"], "4");
    const SignalArgs empty{.id = new_uuid()};
    EXPECT_EQ(effect(e, s.primary(), empty), "appended_to_waitpoint");
    EXPECT_FALSE(exists("ff:signal:" + tag() + ":" + empty.id + ":payload"));
    const auto before = host().contents(tag());
    EXPECT_EQ(effect(e, s.primary(), {.payload = std::string(65'537, 'p')}), "payload_too_large");
    EXPECT_EQ(effect(e, s.primary(), {.payload = "abc", .payload_bytes_max = "2"}),
              "payload_too_large");
    EXPECT_EQ(host().contents(tag()), before);
    EXPECT_EQ(effect(e, s.primary(), {.payload = std::string(65'536, 'p')}),
              "appended_to_waitpoint");
}

TEST_P(Ch03Signal, S40_TheLargerDelayHoldsWorkBack) {
    Execution e = active();
    const Suspended s = suspend(e, {.policy = R"({"resume_delay_ms":5000})"});
    const std::int64_t before = now();
    EXPECT_EQ(effect(e, s.primary(), {.delay_ms = "0"}), "resume_condition_satisfied");
    EXPECT_EQ(e.vector(), vector_resume_delay());
    EXPECT_EQ(e.core("blocking_detail"), "resume delay 5000ms after signal ok");
    const std::int64_t until = std::stoll(e.core("delay_until"));
    EXPECT_GE(until, before + 5'000);
    EXPECT_LE(until, now() + 5'000);
    EXPECT_EQ(e.memberships(), List{"delayed"});
    EXPECT_EQ(score(e.lane_key("delayed"), e.id()), until);
    EXPECT_EQ(element(e.promote(), 3), "not_yet_due");
    EXPECT_EQ(e.memberships(), List{"delayed"});
    EXPECT_EQ(element(e.take_resumed(), 2), "execution_not_leaseable");
    e.set_core("delay_until", std::to_string(now()));
    EXPECT_EQ(element(e.promote(), 3), "promoted");
    EXPECT_EQ(e.vector(), vector_resumed());
    EXPECT_EQ(element(e.take_resumed(), 2), "OK");
    const Suspended again = suspend(e, {.policy = R"({"resume_delay_ms":5})"});
    effect(e, again.primary(), {.delay_ms = "60000"});
    EXPECT_EQ(e.core("blocking_detail"), "resume delay 60000ms after signal ok");
    e.set_core("delay_until", "");
    EXPECT_EQ(element(e.promote(), 3), "promoted");
}

TEST_P(Ch03Signal, S55_CancellingClosesEveryWaitpoint) {
    const Execution e = active();
    const Waitpoint early = pending(e, "early");
    EXPECT_EQ(effect(e, early, {.id = "kept", .buffer_if_pending = "1"}),
              "buffered_for_pending_waitpoint");
    const Suspended s = suspend(
        e, {.condition = composite(all_of({single("a"), single("b"), single("c")})),
            .waitpoint_key = "a",
            .additional = {{.id = new_uuid(), .key = "b"}, {.id = new_uuid(), .key = "c"}}});
    effect(e, s.primary());
    e.cancel("stop", "operator_override");
    for (const Waitpoint& one : s.waitpoints) {
        EXPECT_EQ(waitpoint(one.id)["state"], "closed");
        EXPECT_EQ(waitpoint(one.id)["close_reason"], "cancelled");
        EXPECT_EQ(condition(one.id)["closed"], "1");
        EXPECT_EQ(effect(e, one), "target_not_signalable");
    }
    EXPECT_EQ(waitpoint(early.id)["close_reason"], "cancelled");
    EXPECT_EQ(signal("kept")["observed_effect"], "no_op_waitpoint_never_activated");
    EXPECT_FALSE(score(e.index_key("pending_waitpoint_expiry"), early.id).has_value());
    for (const char* name : {"satisfied_set", "satisfied_set:signals", "member_map"}) {
        EXPECT_FALSE(exists(e.key("suspension:current:" + std::string(name)))) << name;
    }
    EXPECT_NE(satisfiers(e), "");
}

TEST_P(Ch03Signal, S56_AResumedClaimNeedsItsGrant) {
    Execution e = active();
    const Suspended s = suspend(e);
    EXPECT_EQ(element(e.take_resumed(), 2), "execution_not_leaseable");
    effect(e, s.primary());
    e.grant("somebody");
    EXPECT_EQ(element(e.claim_resumed(), 2), "invalid_claim_grant");
    EXPECT_TRUE(exists(e.key("claim_grant")));
    e.grant();
    for (const char* ttl : {"0", "soon", "-1", ""}) {
        EXPECT_EQ(element(e.claim_resumed({.ttl_ms = ttl}), 2), "invalid_input") << ttl;
    }
    EXPECT_TRUE(exists(e.key("claim_grant")));
    e.grant("w1", -1'000);
    EXPECT_EQ(element(e.claim_resumed(), 2), "claim_grant_expired");
    EXPECT_FALSE(exists(e.key("claim_grant")));
    EXPECT_EQ(element(e.claim_resumed(), 2), "invalid_claim_grant");
    Execution first = created();
    EXPECT_EQ(element(first.take_resumed(), 2), "not_a_resumed_execution");
    EXPECT_EQ(element(e.take({}), 2), "use_claim_resumed_execution");
    EXPECT_EQ(element(e.take_resumed(), 2), "OK");
}

TEST_P(Ch03Signal, S61_AMemberWithAnOpenEdgeWaitsForIt) {
    const Execution e = active();
    const Suspended s = suspend(e);
    e.set_core("flow_id", new_uuid());
    command({"HSET", e.key("deps:meta"), "gate", "closed"});
    EXPECT_EQ(effect(e, s.primary()), "resume_condition_satisfied");
    EXPECT_EQ(e.vector(), vector_l3("attempt_interrupted"));
    EXPECT_EQ(e.memberships(), List{"blocked:dependencies"});
    EXPECT_EQ(suspension(e)["close_reason"], "resumed");
    // The operator's resume takes the same way.
    const Execution other = active();
    suspend(other);
    other.set_core("flow_id", new_uuid());
    command({"HSET", other.key("deps:meta"), "gate", "closed"});
    EXPECT_EQ(flat(resume(other)), (List{"1", "OK", "waiting_children"}));
}

TEST_P(Ch03Signal, S62_ACancelledFlowLetsNobodyGoOn) {
    Execution e = active();
    const std::string flow = new_uuid();
    e.set_core("flow_id", flow);
    command({"HSET", "ff:flow:" + tag() + ":" + flow + ":core", "claim_gate", "closed"});
    const Suspended s = suspend(e);
    effect(e, s.primary());
    EXPECT_EQ(flat(e.take_resumed()), (List{"0", "execution_not_leaseable", "flow_cancelled"}));
    command({"HSET", "ff:flow:" + tag() + ":" + flow + ":core", "claim_gate", "drain"});
    Execution blocked = active();
    const Suspended t = suspend(blocked);
    effect(blocked, t.primary());
    blocked.grant();
    blocked.set_core("eligibility_state", "blocked_by_dependencies");
    EXPECT_EQ(flat(blocked.claim_resumed()), (List{"0", "execution_not_leaseable"}));
    EXPECT_EQ(element(e.take_resumed(), 2), "OK");
}

TEST_P(Ch03Signal, AWaitpointClosedByHandTakesNoSignalsAndStaysClosedThatWay) {
    const Execution e = active();
    const Suspended s = suspend(e);
    EXPECT_EQ(flat(close_waitpoint(e, s.primary().id, "enough")), (List{"1", "OK"}));
    EXPECT_EQ(condition(s.primary().id)["closed_reason"], "enough");
    EXPECT_EQ(effect(e, s.primary()), "waitpoint_closed");
    EXPECT_EQ(e.vector(), vector_suspended());
    EXPECT_EQ(element(resume(e), 3), "waiting");
    EXPECT_EQ(waitpoint(s.primary().id)["close_reason"], "enough");
    EXPECT_EQ(flat(close_waitpoint(e, s.primary().id)), (List{"1", "OK", "already_closed"}));
    EXPECT_EQ(element(close_waitpoint(e, new_uuid()), 2), "waitpoint_not_found");
    command({"HSET", waitpoint_key("odd"), "state", "melted"});
    EXPECT_EQ(element(close_waitpoint(e, "odd"), 2), "waitpoint_not_open");
}

TEST_P(Ch03Signal, ATornSuspensionClosesWithoutTouchingTheCore) {
    // As if the core had moved on and its records had not.
    const Execution e = active();
    const Suspended s = suspend(e);
    e.set_core("lifecycle_phase", "runnable");
    e.set_core("eligibility_state", "eligible_now");
    const auto core = hash(e.key("core"));
    EXPECT_EQ(effect(e, s.primary()), "resume_condition_satisfied");
    EXPECT_EQ(hash(e.key("core")), core);
    EXPECT_EQ(waitpoint(s.primary().id)["state"], "closed");
    EXPECT_EQ(suspension(e)["close_reason"], "resumed");
    EXPECT_FALSE(score(e.lane_key("eligible"), e.id()).has_value());
    // Suspended, but the record is another episode's or gone: nothing to satisfy.
    const Execution lost = active();
    const Suspended t = suspend(lost);
    command({"HSET", lost.key("suspension:current"), "suspension_id", "another"});
    EXPECT_EQ(effect(lost, t.primary()), "waitpoint_closed");
    command({"DEL", waitpoint_key(t.primary().id, ":condition")});
    EXPECT_EQ(effect(lost, t.primary()), "waitpoint_not_found");
    EXPECT_EQ(lost.vector(), vector_suspended());
}

TEST_P(Ch03Signal, TheSummaryNamesAtMostThirtyTwo) {
    const Execution e = active();
    const Suspended s = suspend(e, {.condition = R"({"condition_type":"operator_only"})"});
    for (int i = 0; i < 40; ++i) effect(e, s.primary(), {.name = "n" + std::to_string(i)});
    effect(e, s.primary(), {.name = "n0"});
    const std::string json = suspension(e)["buffered_signal_summary_json"];
    EXPECT_TRUE(json.starts_with(R"({"total_count":41,"matched_count":0,"signal_names":["n0",)"));
    EXPECT_TRUE(json.ends_with(R"("n31"]})"));
}

}  // namespace
}  // namespace ff::contract
