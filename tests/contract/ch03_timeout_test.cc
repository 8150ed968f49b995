#include "contract/suspension.h"

namespace ff::contract {
namespace {

FF_CONTRACT_SUITE(Ch03Timeout, SuspensionContract);

TEST_P(Ch03Timeout, S35_ATimeoutMayEndTheExecution) {
    const std::vector<std::array<std::string, 3>> table{{"fail", "failed", "ended_failure"},
                                                        {"cancel", "cancelled", "ended_cancelled"},
                                                        {"expire", "expired", "ended_failure"}};
    for (const auto& [behavior, outcome, attempt_state] : table) {
        const Execution e = active({}, {.deadline = "+600000"});
        e.set_core("flow_id", new_uuid());
        const Suspended s = suspend(e, {.condition = composite(all_of({single("a"), single("b")})),
                                        .waitpoint_key = "a",
                                        .timeout_at = "+60000",
                                        .behavior = behavior,
                                        .additional = {{.id = new_uuid(), .key = "b"}}});
        effect(e, s.primary(), {.id = "partial-" + behavior});
        make_due(e);
        const auto listener = host().listen("ff:dag:completions");
        const std::size_t completions = feed("completion").size();
        EXPECT_EQ(flat(expire_suspension(e)), (List{"1", "OK", behavior, outcome}));
        EXPECT_EQ(e.vector(), vector_terminal(outcome));
        EXPECT_EQ(e.memberships(), List{"terminal"});
        EXPECT_EQ(e.core("failure_reason"), "suspension_timeout:" + behavior);
        EXPECT_EQ(e.attempt(0, "attempt_state"), attempt_state);
        EXPECT_EQ(e.attempt(0, "failure_reason"), "suspension_timeout:" + behavior);
        EXPECT_EQ(e.attempt(0, "suspended_at"), "");
        for (const Waitpoint& one : s.waitpoints) {
            EXPECT_EQ(waitpoint(one.id)["state"], "closed");
            EXPECT_EQ(waitpoint(one.id)["close_reason"], "timed_out_" + behavior);
        }
        EXPECT_EQ(suspension(e)["close_reason"], "timed_out_" + behavior);
        EXPECT_EQ(satisfiers(e), "[\"partial-" + behavior + "\"]");
        EXPECT_FALSE(exists(e.key("suspension:current:member_map")));
        EXPECT_EQ(feed("completion").size(), completions + 1);
        EXPECT_NE(listener->next().find(e.id()), std::string::npos);
        EXPECT_EQ(flat(expire_suspension(e)), (List{"1", "OK", "not_suspended_cleaned"}));
        EXPECT_EQ(feed("completion").size(), completions + 1);
    }
}

TEST_P(Ch03Timeout, S36_ATimeoutMayResumeWithOrWithoutASignal) {
    const Execution e = active();
    const Suspended s = suspend(e, {.condition = flat_condition(R"(["a","b"])", "all"),
                                    .timeout_at = "+60000",
                                    .behavior = "auto_resume_with_timeout_signal",
                                    .policy = R"({"resume_delay_ms":60000})"});
    effect(e, s.primary(), {.id = "partial", .name = "a"});
    make_due(e);
    EXPECT_EQ(flat(expire_suspension(e)), (List{"1", "OK", "auto_resume", "waiting"}));
    EXPECT_EQ(e.vector(), vector_resumed());
    EXPECT_EQ(e.memberships(), List{"eligible"});
    EXPECT_EQ(satisfiers(e), "[\"partial\",\"" + s.id + "\"]");
    EXPECT_EQ(suspension(e)["timeout_signal_id"], s.id);
    EXPECT_EQ(suspension(e)["close_reason"], "timed_out_auto_resume");
    auto record = signal(s.id);
    EXPECT_EQ(record["signal_name"], "timeout");
    EXPECT_EQ(record["signal_category"], "timeout");
    EXPECT_EQ(record["source_type"], "engine");
    EXPECT_EQ(record["source_identity"], "suspension_timeout");
    EXPECT_EQ(record["observed_effect"], "resume_condition_satisfied");
    EXPECT_TRUE(score(e.key("signals"), s.id).has_value());
    EXPECT_EQ(entries(waitpoint_key(s.primary().id, ":signals")).back().at("signal_id"), s.id);
    EXPECT_EQ(signal_feed().back().at("signal_id"), s.id);
    EXPECT_EQ(condition(s.primary().id)["closed_reason"], "timed_out_auto_resume");

    const Execution plain = active();
    suspend(plain, {.timeout_at = "+60000", .behavior = "auto_resume"});
    make_due(plain);
    EXPECT_EQ(flat(expire_suspension(plain)), (List{"1", "OK", "auto_resume", "waiting"}));
    EXPECT_FALSE(suspension(plain).contains("timeout_signal_id"));
    EXPECT_FALSE(suspension(plain).contains("all_satisfier_signals"));
    EXPECT_FALSE(exists(plain.key("signals")));
}

TEST_P(Ch03Timeout, S37_AnEscalatedSuspensionWaitsForAnOperator) {
    Execution e = active();
    const Suspended s = suspend(
        e, {.condition = R"({"required_signal_names":["ok"],"allow_operator_override":false})",
            .timeout_at = "+60000",
            .behavior = "escalate"});
    make_due(e);
    EXPECT_EQ(element(resume(e), 2), "resume_condition_not_met");
    const std::string transition = e.core("last_transition_at");
    EXPECT_EQ(flat(expire_suspension(e)), (List{"1", "OK", "escalate", "suspended"}));
    EXPECT_EQ(e.vector(), vector_suspended("paused_by_operator"));
    EXPECT_EQ(e.core("blocking_detail"), "suspension escalated: timeout at 1");
    EXPECT_EQ(e.core("last_transition_at"), transition);
    EXPECT_EQ(e.memberships(), List{"suspended"});
    EXPECT_EQ(score(e.lane_key("suspended"), e.id()), 9'999'999'999'999);
    EXPECT_EQ(suspension(e)["reason_code"], "waiting_for_operator_review");
    EXPECT_EQ(suspension(e)["timeout_at"], "");
    EXPECT_EQ(waitpoint(s.primary().id)["state"], "active");
    EXPECT_EQ(waitpoint(s.primary().id)["expires_at"], "");
    EXPECT_EQ(condition(s.primary().id)["condition_type"], "operator_only");
    EXPECT_FALSE(condition(s.primary().id).contains("matcher:0:name"));
    EXPECT_EQ(effect(e, s.primary()), "no_op");
    EXPECT_EQ(flat(expire_suspension(e)), (List{"1", "OK", "not_yet_due"}));
    EXPECT_EQ(flat(resume(e)), (List{"1", "OK", "waiting"}));
    EXPECT_EQ(suspension(e)["close_reason"], "operator_resume");
    e.take_resumed();
    suspend(e);
    EXPECT_FALSE(suspension(e).contains("escalated_at"));
}

TEST_P(Ch03Timeout, EscalatingATreeKeepsWhatWasSaidAndDropsItsWorkingKeys) {
    const Execution e = active();
    const Suspended s = suspend(e, {.condition = composite(all_of({single("a"), single("b")})),
                                    .waitpoint_key = "a",
                                    .timeout_at = "+60000",
                                    .behavior = "escalate",
                                    .additional = {{.id = new_uuid(), .key = "b"}}});
    effect(e, s.primary(), {.id = "said"});
    make_due(e);
    EXPECT_EQ(element(expire_suspension(e), 3), "escalate");
    EXPECT_EQ(satisfiers(e), R"(["said"])");
    EXPECT_FALSE(exists(e.key("suspension:current:satisfied_set")));
    EXPECT_FALSE(exists(e.key("suspension:current:member_map")));
    EXPECT_EQ(effect(e, s.waitpoints[1]), "no_op");
    EXPECT_EQ(element(resume(e), 3), "waiting");
    EXPECT_EQ(satisfiers(e), R"(["said"])");
    EXPECT_EQ(waitpoint(s.waitpoints[1].id)["state"], "closed");
}

TEST_P(Ch03Timeout, S38_StaleWorkIsCleanedAndChangesNothingElse) {
    Execution e = active();
    const Suspended s = suspend(e, {.timeout_at = "+60000"});
    const auto due = host().contents(tag());
    EXPECT_EQ(flat(expire_suspension(e)), (List{"1", "OK", "not_yet_due"}));
    EXPECT_EQ(host().contents(tag()), due);
    effect(e, s.primary());
    command({"ZADD", e.index_key("suspension_timeout"), "1", e.id()});
    const auto resumed = hash(e.key("core"));
    EXPECT_EQ(flat(expire_suspension(e)), (List{"1", "OK", "not_suspended_cleaned"}));
    EXPECT_EQ(hash(e.key("core")), resumed);
    EXPECT_FALSE(score(e.index_key("suspension_timeout"), e.id()).has_value());
    e.cancel("stop", "operator_override");
    EXPECT_EQ(flat(expire_suspension(e)), (List{"1", "OK", "not_suspended_cleaned"}));
    const Execution missing = execution();
    command({"ZADD", missing.index_key("suspension_timeout"), "1", missing.id()});
    EXPECT_EQ(flat(expire_suspension(missing)), (List{"1", "OK", "not_found_cleaned"}));
    EXPECT_FALSE(score(missing.index_key("suspension_timeout"), missing.id()).has_value());
    const Execution torn = active();
    suspend(torn, {.timeout_at = "+60000"});
    command({"DEL", torn.key("suspension:current")});
    EXPECT_EQ(flat(expire_suspension(torn)), (List{"1", "OK", "no_active_suspension_cleaned"}));
    EXPECT_EQ(torn.vector(), vector_suspended());
}

TEST_P(Ch03Timeout, S39_WhoeverComesFirstWins) {
    const Execution timed_out = active();
    const Suspended s = suspend(timed_out, {.timeout_at = "+60000"});
    make_due(timed_out);
    EXPECT_EQ(element(expire_suspension(timed_out), 3), "fail");
    EXPECT_EQ(effect(timed_out, s.primary()), "target_not_signalable");
    const Execution resumed = active();
    const Suspended t = suspend(resumed, {.timeout_at = "+60000"});
    make_due(resumed);
    EXPECT_EQ(effect(resumed, t.primary()), "resume_condition_satisfied");
    EXPECT_EQ(flat(expire_suspension(resumed)), (List{"1", "OK", "not_suspended_cleaned"}));
    EXPECT_EQ(resumed.vector(), vector_resumed());
    const Execution auto_resumed = active();
    const Suspended v = suspend(auto_resumed, {.timeout_at = "+60000", .behavior = "auto_resume"});
    make_due(auto_resumed);
    expire_suspension(auto_resumed);
    EXPECT_EQ(effect(auto_resumed, v.primary()), "target_not_signalable");
}

TEST_P(Ch03Timeout, APastTimeoutIsAcceptedAndFiresAtTheNextScan) {
    const Execution e = active();
    suspend(e, {.timeout_at = "1000", .idempotency_key = "K"});
    EXPECT_EQ(score(e.index_key("suspension_timeout"), e.id()), 1'000);
    EXPECT_TRUE(exists("ff:dedup:suspend:" + tag() + ":" + e.id() + ":K"));
    EXPECT_EQ(element(expire_suspension(e), 3), "fail");
}

}  // namespace
}  // namespace ff::contract
