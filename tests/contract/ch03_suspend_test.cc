#include "contract/suspension.h"

namespace ff::contract {
namespace {

FF_CONTRACT_SUITE(Ch03Suspend, SuspensionContract);

bool is_token(const std::string& token, const std::string& kid) {
    return token.size() == kid.size() + 41 && token.starts_with(kid + ":") &&
           token.find_first_not_of("0123456789abcdef", kid.size() + 1) == std::string::npos;
}

TEST_P(Ch03Suspend, S01_SuspendingGivesTheLeaseUpAndHandsOutAToken) {
    const Execution e = active({.timeout_ms = "60000"});
    const Suspended s =
        suspend(e, {.condition = flat_condition(R"(["approval_result"])"), .continuation = "page"});
    EXPECT_EQ(e.vector(), vector_suspended());
    EXPECT_EQ(e.core("blocking_detail"),
              "suspended: waitpoint " + s.primary().id + " awaiting waiting_for_approval");
    EXPECT_EQ(e.core("current_suspension_id"), s.id);
    EXPECT_EQ(e.core("current_waitpoint_id"), s.primary().id);
    EXPECT_EQ(e.core("current_lease_id"), "");
    EXPECT_EQ(e.core("last_release_op"), "suspend");
    EXPECT_EQ(e.core("last_release_lease_id"), e.lease_id);
    EXPECT_EQ(e.memberships(), List{"suspended"});
    EXPECT_FALSE(in_set(e.worker_key("w1-1"), e.id()));
    EXPECT_EQ(score(e.lane_key("suspended"), e.id()), 9'999'999'999'999);
    EXPECT_TRUE(is_token(s.primary().token, "k1"));
    auto record = waitpoint(s.primary().id);
    EXPECT_EQ(record["state"], "active");
    EXPECT_EQ(record["suspension_id"], s.id);
    EXPECT_EQ(record["waitpoint_token"], s.primary().token);
    EXPECT_EQ(condition(s.primary().id)["matcher:0:name"], "approval_result");
    EXPECT_TRUE(in_set(e.key("waitpoints"), s.primary().id));
    auto stored = suspension(e);
    EXPECT_EQ(stored["reason_code"], "waiting_for_approval");
    EXPECT_EQ(stored["continuation_metadata_pointer"], "page");
    EXPECT_EQ(stored["additional_waitpoints_json"], "[]");
    EXPECT_EQ(stored["closed_at"], "");
    EXPECT_EQ(e.attempt(0, "attempt_state"), "suspended");
    EXPECT_EQ(e.attempt(0, "suspension_id"), s.id);
    const auto events = feed("lease_history");
    EXPECT_EQ(events.back().at("event"), "released");
    EXPECT_EQ(events.back().at("reason"), "suspend");
}

TEST_P(Ch03Suspend, EveryReasonCodeHasItsBlockingReason) {
    const std::vector<std::pair<std::string, std::string>> table{
        {"", "waiting_for_signal"},
        {"step_boundary", "waiting_for_signal"},
        {"something else", "waiting_for_signal"},
        {"waiting_for_approval", "waiting_for_approval"},
        {"waiting_for_callback", "waiting_for_callback"},
        {"waiting_for_tool_result", "waiting_for_tool_result"},
        {"waiting_for_operator_review", "paused_by_operator"},
        {"manual_pause", "paused_by_operator"},
        {"paused_by_policy", "paused_by_policy"},
        {"paused_by_budget", "waiting_for_budget"}};
    for (const auto& [code, blocking] : table) {
        const Execution e = active();
        suspend(e, {.reason = code});
        EXPECT_EQ(e.core("blocking_reason"), blocking) << code;
    }
}

TEST_P(Ch03Suspend, S03_S04_TheSameAttemptGoesOnUnderANewLeaseOnce) {
    Execution e = active();
    const std::string attempt_id = e.attempt_id;
    const Suspended s = suspend(e, {.continuation = std::string("p\0q", 3)});
    EXPECT_EQ(effect(e, s.primary()), "resume_condition_satisfied");
    const std::string lease = new_uuid();
    const RespValue claimed = e.take_resumed({.lease_id = lease});
    const List expected{"1", "OK",      lease, "2",       element(claimed, 5),   attempt_id,
                        "0", "resumed", s.id,  "resumed", std::string("p\0q", 3)};
    EXPECT_EQ(flat(claimed), expected);
    EXPECT_EQ(e.vector(), vector_l9());
    EXPECT_EQ(e.attempt(0, "attempt_state"), "started");
    EXPECT_EQ(e.attempt(0, "suspension_id"), "");
    List again = expected;
    again[1] = "DUPLICATE";
    EXPECT_EQ(flat(e.claim_resumed({.lease_id = lease})), again);
    EXPECT_EQ(e.core("current_lease_epoch"), "2");
}

TEST_P(Ch03Suspend, S05_TimeSpentWaitingDoesNotCountAsAttemptTime) {
    Execution e = active({.timeout_ms = "60000"});
    const Suspended s = suspend(e);
    const std::int64_t left = std::stoll(e.attempt(0, "attempt_timeout_remaining_ms"));
    EXPECT_GT(left, 50'000);
    EXPECT_LE(left, 60'000);
    // An hour passes: the deadline it had lies far back.
    command({"HSET", e.attempt_key(0), "timeout_at", "1"});
    effect(e, s.primary());
    const std::int64_t before = now();
    e.take_resumed();
    const auto due = score(e.index_key("attempt_timeout"), e.id());
    ASSERT_TRUE(due.has_value());
    EXPECT_GE(*due, before + left);
    EXPECT_LE(*due, now() + left);
    EXPECT_EQ(e.attempt(0, "attempt_timeout_remaining_ms"), "");
}

TEST_P(Ch03Suspend, S41_ARepeatedSuspendGetsTheFirstReply) {
    const Execution e = active();
    const SuspendArgs args{.timeout_at = "+30000", .idempotency_key = "K"};
    const Suspended first = suspend(e, args);
    const RespValue again = try_suspend(e, args);
    EXPECT_EQ(flat(again), flat(first.reply));
    EXPECT_EQ(command({"SCARD", e.key("waitpoints")}).integer, 1);
    const std::string record = "ff:dedup:suspend:" + tag() + ":" + e.id() + ":K";
    ASSERT_TRUE(exists(record));
    if (const auto ttl = host().ttl_ms(record)) {
        EXPECT_GT(*ttl, 0);
        EXPECT_LE(*ttl, 90'000);
    }
}

TEST_P(Ch03Suspend, S42_AnotherLeaseWithTheSameKeySuspendsAnew) {
    Execution e = active();
    const Suspended first = suspend(e, {.idempotency_key = "K"});
    EXPECT_EQ(effect(e, first.primary()), "resume_condition_satisfied");
    e.take_resumed();
    const Suspended second = suspend(e, {.idempotency_key = "K"});
    EXPECT_NE(second.id, first.id);
    EXPECT_EQ(e.vector(), vector_suspended());
    EXPECT_EQ(flat(try_suspend(e, {.idempotency_key = "K"})), flat(second.reply));
}

TEST_P(Ch03Suspend, S43_WithoutAKeyTheLeaseTellsThatItWasTheSameCall) {
    Execution e = active();
    const Suspended first = suspend(e, {.condition = composite(all_of({single("a"), single("b")})),
                                        .waitpoint_key = "a",
                                        .additional = {{.id = new_uuid(), .key = "b"}}});
    List expected = flat(first.reply);
    expected[1] = "DUPLICATE";
    const Execution as_first = e;
    EXPECT_EQ(flat(try_suspend(as_first)), expected);
    EXPECT_EQ(command({"SCARD", e.key("waitpoints")}).integer, 2);
    // The answer stays the same when the suspension is over, and when somebody else has the lease.
    for (const Waitpoint& waitpoint : first.waitpoints) effect(e, waitpoint);
    EXPECT_EQ(flat(try_suspend(as_first)), expected);
    e.take_resumed();
    EXPECT_EQ(flat(try_suspend(as_first)), expected);
    EXPECT_EQ(e.vector(), vector_l9());
    // A lease that suspended nothing gets no answer of another one.
    suspend(e);
    EXPECT_EQ(element(try_suspend(as_first), 2), "execution_not_active");
}

TEST_P(Ch03Suspend, S63_ARepeatedSuspendThatWasSatisfiedAtOnceSaysSoAgain) {
    const Execution e = active();
    const Waitpoint p = pending(e);
    buffer(e, p);
    const SuspendArgs args{.waitpoint_id = p.id, .use_pending = true};
    const RespValue first = try_suspend(e, args);
    ASSERT_EQ(element(first, 2), "ALREADY_SATISFIED");
    EXPECT_EQ(flat(try_suspend(e, args)), flat(first));
    EXPECT_EQ(e.vector(), vector_l9());
    // The lease is still held: a suspend on something else is a new one.
    const Suspended second = suspend(e);
    EXPECT_NE(second.id, element(first, 3));
    EXPECT_EQ(element(try_suspend(e), 2), "DUPLICATE");
    EXPECT_EQ(element(try_suspend(e), 3), second.id);
}

TEST_P(Ch03Suspend, ASuspensionOfAnOlderLibraryIsKnownByTheLeaseThatEnded) {
    const Execution e = active();
    const Suspended first = suspend(e);
    command({"HDEL", e.key("suspension:current"), "lease_id"});
    EXPECT_EQ(element(try_suspend(e), 2), "DUPLICATE");
    EXPECT_EQ(element(try_suspend(e), 6), first.primary().token);
}

TEST_P(Ch03Suspend, S44_OnlyTheOwnerSuspends) {
    Execution e = active();
    const auto with = [&](const std::string& lease, const std::string& epoch,
                          const std::string& attempt, const SuspendArgs& args = {}) {
        Execution other = e;
        other.lease_id = lease;
        other.epoch = epoch;
        other.attempt_id = attempt;
        return element(try_suspend(other, args), 2);
    };
    const auto before = host().contents(tag());
    EXPECT_EQ(with("", "", ""), "fence_required");
    EXPECT_EQ(with(e.lease_id, e.epoch, ""), "partial_fence_triple");
    EXPECT_EQ(with(e.lease_id, "0", e.attempt_id), "stale_lease");
    EXPECT_EQ(with(new_uuid(), e.epoch, e.attempt_id), "stale_lease");
    EXPECT_EQ(with(e.lease_id, e.epoch, new_uuid()), "stale_lease");
    EXPECT_EQ(with(e.lease_id, e.epoch, e.attempt_id, {.attempt_index = "1"}),
              "invalid_lease_for_suspend");
    EXPECT_EQ(host().contents(tag()), before);
    e.set_core("lease_expires_at", "1");
    EXPECT_EQ(element(try_suspend(e), 2), "lease_expired");
    EXPECT_EQ(e.vector(), vector_l10());
    EXPECT_EQ(element(try_suspend(execution()), 2), "execution_not_found");
}

TEST_P(Ch03Suspend, S46_AnOperatorOnlyConditionIsMovedByNoSignal) {
    const Execution e = active();
    const Suspended s = suspend(e, {.condition = R"({"condition_type":"operator_only"})"});
    EXPECT_EQ(effect(e, s.primary()), "no_op");
    EXPECT_EQ(effect(e, s.primary(), {.name = "operator"}), "no_op");
    EXPECT_EQ(e.vector(), vector_suspended());
    EXPECT_EQ(waitpoint(s.primary().id)["signal_count"], "2");
    EXPECT_EQ(waitpoint(s.primary().id)["matched_signal_count"], "0");
}

TEST_P(Ch03Suspend, S54_AnOperatorResumesUnlessTheConditionForbidsIt) {
    Execution e = active();
    const Suspended s = suspend(e, {.condition = R"({"allow_operator_override":false})"});
    const auto before = host().contents(tag());
    EXPECT_EQ(flat(resume(e)), (List{"0", "resume_condition_not_met"}));
    EXPECT_EQ(flat(resume(e, "signal", "", {"another"})),
              (List{"0", "execution_not_suspended", "suspension_mismatch"}));
    EXPECT_EQ(element(resume(e, "nobody"), 2), "invalid_input");
    EXPECT_EQ(element(resume(e, "operator", "-1"), 2), "invalid_input");
    EXPECT_EQ(host().contents(tag()), before);
    // The engine's own trigger is not the operator's.
    EXPECT_EQ(flat(resume(e, "auto_resume")), (List{"1", "OK", "waiting"}));
    EXPECT_EQ(suspension(e)["close_reason"], "timed_out_auto_resume");
    EXPECT_EQ(waitpoint(s.primary().id)["close_reason"], "timed_out_auto_resume");

    Execution torn = active();
    suspend(torn, {.timeout_at = "+60000"});
    command({"DEL", torn.key("suspension:current")});
    EXPECT_EQ(element(resume(torn, "signal"), 2), "execution_not_suspended");
    EXPECT_EQ(flat(resume(torn, "operator", "5000")), (List{"1", "OK", "delayed"}));
    EXPECT_EQ(torn.vector(), vector_resume_delay());
    EXPECT_EQ(torn.memberships(), List{"delayed"});
    EXPECT_EQ(element(resume(torn), 2), "execution_not_suspended");
}

TEST_P(Ch03Suspend, AnOperatorsResumeSaysWhoAndClosesEverything) {
    const Execution e = active();
    const Suspended s =
        suspend(e, {.condition = flat_condition(R"(["a","b"])", "all"), .timeout_at = "+60000"});
    const std::string first = new_uuid();
    EXPECT_EQ(effect(e, s.primary(), {.id = first, .name = "b"}), "appended_to_waitpoint");
    EXPECT_EQ(flat(resume(e, "operator", "", {s.id, "ann"})), (List{"1", "OK", "waiting"}));
    EXPECT_EQ(e.vector(), vector_resumed());
    EXPECT_EQ(e.memberships(), List{"eligible"});
    auto record = suspension(e);
    EXPECT_EQ(record["close_reason"], "operator_resume");
    EXPECT_EQ(record["resume_trigger"], "operator");
    EXPECT_EQ(record["resume_actor"], "ann");
    EXPECT_EQ(record["all_satisfier_signals"], "[\"" + first + "\"]");
    EXPECT_EQ(waitpoint(s.primary().id)["state"], "closed");
    EXPECT_NE(waitpoint(s.primary().id)["satisfied_at"], "");
    EXPECT_EQ(condition(s.primary().id)["closed_reason"], "operator_resume");
    EXPECT_EQ(element(resume(e), 2), "execution_not_suspended");
}

TEST_P(Ch03Suspend, S57_BaseArityIsEnough) {
    Execution e = active();
    SuspendArgs args{.suspension_id = new_uuid(), .waitpoint_id = new_uuid(), .waitpoint_key = "k"};
    List keys = suspend_keys(e, args);
    List argv = suspend_args(e, args);
    keys.resize(17);
    argv.resize(17);
    const Suspended s = read_suspended(host().fcall("ff_suspend_execution", keys, argv));
    ASSERT_EQ(element(s.reply, 2), "OK");
    List signal_argv = signal_args(e, s.primary(), {.id = new_uuid()});
    signal_argv.resize(18);
    EXPECT_EQ(element(host().fcall("ff_deliver_signal", deliver_keys(e, s.primary(), {.id = "x"}),
                                   signal_argv),
                      4),
              "resume_condition_satisfied");
    e.take_resumed();

    List pending_argv{e.id(), "0", new_uuid(), "p", "+60000"};
    const RespValue made =
        host().fcall("ff_create_pending_waitpoint", pending_keys(e, "x"), pending_argv);
    const Waitpoint p{element(made, 3), element(made, 4), element(made, 5)};
    List buffer_argv = signal_args(e, p, {.id = new_uuid(), .name = "other"});
    buffer_argv.resize(18);
    List buffer_keys = deliver_keys(e, p, {.id = "x"});
    buffer_keys.resize(8);
    buffer_keys.push_back(secrets());
    EXPECT_EQ(
        element(host().fcall("ff_buffer_signal_for_pending_waitpoint", buffer_keys, buffer_argv),
                4),
        "buffered_for_pending_waitpoint");
    // Activating a pending waitpoint mints nothing: 16 keys do.
    args = {.condition = flat_condition(R"(["never"])"),
            .suspension_id = new_uuid(),
            .waitpoint_id = p.id,
            .use_pending = true};
    keys = suspend_keys(e, args);
    keys.resize(16);
    argv = suspend_args(e, args);
    argv.resize(17);
    EXPECT_EQ(element(host().fcall("ff_suspend_execution", keys, argv), 2), "OK");
    EXPECT_EQ(flat(resume(e)), (List{"1", "OK", "waiting"}));
    EXPECT_EQ(flat(expire_suspension(e)), (List{"1", "OK", "not_suspended_cleaned"}));
    EXPECT_EQ(flat(close_waitpoint(e, p.id)), (List{"1", "OK", "already_closed"}));
    EXPECT_EQ(element(rotate("k2", kSecret, "1000"), 3), "rotated");
    EXPECT_EQ(element(host().fcall("ff_list_waitpoint_hmac_kids", {secrets()}, {}), 3), "k2");
}

TEST_P(Ch03Suspend, S58_HintKeysNeverMisleadTheFunctions) {
    Execution e = active();
    const Execution other = active();
    SuspendArgs args{.suspension_id = new_uuid(),
                     .waitpoint_id = new_uuid(),
                     .waitpoint_key = "k",
                     .timeout_at = "+60000"};
    List keys = suspend_keys(e, args);
    keys[1] = other.attempt_key(0);
    keys[7] = waitpoint_key("stale");
    keys[11] = lane_index("elsewhere", "active");
    keys[12] = lane_index("elsewhere", "suspended");
    keys[13] = other.key("waitpoints");
    const auto others_attempt = hash(other.attempt_key(0));
    const Suspended s =
        read_suspended(host().fcall("ff_suspend_execution", keys, suspend_args(e, args)));
    ASSERT_EQ(element(s.reply, 2), "OK");
    EXPECT_EQ(e.memberships(), (List{"suspended", "suspension_timeout"}));
    EXPECT_EQ(hash(other.attempt_key(0)), others_attempt);
    EXPECT_FALSE(exists(waitpoint_key("stale")));
    EXPECT_FALSE(exists(other.key("waitpoints")));
    EXPECT_FALSE(exists(lane_index("elsewhere", "suspended")));
    List hints = deliver_keys(e, s.primary(), {.id = "x"});
    for (std::size_t i = 1; i < 13; ++i) hints[i] = noop();
    EXPECT_EQ(element(host().fcall("ff_deliver_signal", hints,
                                   signal_args(e, s.primary(), {.id = new_uuid()})),
                      4),
              "resume_condition_satisfied");
    EXPECT_EQ(e.memberships(), List{"eligible"});
    EXPECT_FALSE(exists(noop()));
}

TEST_P(Ch03Suspend, ShapeIsCheckedBeforeAnythingElse) {
    const Execution e = active();
    const auto before = host().contents(tag());
    const auto code = [&](const SuspendArgs& args) { return element(try_suspend(e, args), 2); };
    EXPECT_EQ(code({.suspension_id = "a:b"}), "invalid_input");
    EXPECT_EQ(code({.waitpoint_key = std::string(257, 'k')}), "invalid_input");
    EXPECT_EQ(code({.waitpoint_key = "a\nb"}), "invalid_input");
    EXPECT_EQ(code({.timeout_at = "soon"}), "invalid_input");
    EXPECT_EQ(code({.timeout_at = "-5"}), "invalid_input");
    EXPECT_EQ(code({.behavior = "explode"}), "invalid_input");
    EXPECT_EQ(code({.dedup_ttl_ms = "x"}), "invalid_input");
    EXPECT_EQ(code({.attempt_index = "x"}), "invalid_input");
    for (const char* policy :
         {"nonsense", "[]x", R"({"resume_target":"active"})", R"({"resume_delay_ms":-1})",
          R"({"close_waitpoint_on_resume":false})", R"({"consume_matched_signals":1})"}) {
        EXPECT_EQ(code({.policy = policy}), "invalid_input") << policy;
    }
    const std::string id = new_uuid();
    EXPECT_EQ(code({.waitpoint_id = id, .additional = {{.id = id, .key = "other"}}}),
              "additional_waitpoint_binding_malformed");
    EXPECT_EQ(code({.waitpoint_key = "k", .additional = {{.id = new_uuid(), .key = "k"}}}),
              "additional_waitpoint_binding_malformed");
    EXPECT_EQ(code({.additional = {{.id = "", .key = "k"}}}),
              "additional_waitpoint_binding_malformed");
    EXPECT_EQ(code({.additional = std::vector<Waitpoint>(64, Waitpoint{.id = "x", .key = "k"})}),
              "additional_waitpoint_binding_malformed");
    EXPECT_EQ(host().contents(tag()), before);
}

}  // namespace
}  // namespace ff::contract
