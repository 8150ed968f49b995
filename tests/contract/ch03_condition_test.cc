#include "contract/suspension.h"

namespace ff::contract {
namespace {

class ConditionContract : public SuspensionContract {
  protected:
    /// A suspension on the waitpoints with these keys.
    Suspended suspend_on(const Execution& e, const std::string& tree, const List& keys) const {
        return suspend(e, args_for(tree, keys));
    }
    static SuspendArgs args_for(const std::string& tree, const List& keys) {
        SuspendArgs args{.condition = composite(tree), .waitpoint_key = keys.at(0)};
        for (std::size_t i = 1; i < keys.size(); ++i) {
            args.additional.push_back({.id = new_uuid(), .key = keys[i]});
        }
        return args;
    }
    /// The detail of a refusal; the store must be as before.
    std::string fault(const Execution& e, const std::string& condition,
                      const List& keys = {"k"}) const {
        const auto before = host().contents(tag());
        SuspendArgs args = args_for("null", keys);
        args.condition = condition;
        const RespValue reply = try_suspend(e, args);
        EXPECT_EQ(element(reply, 2), "invalid_resume_condition") << to_string(reply);
        EXPECT_EQ(host().contents(tag()), before) << condition;
        return element(reply, 3);
    }
};

FF_CONTRACT_SUITE(Ch03Condition, ConditionContract);

TEST_P(Ch03Condition, S45_AFlatConditionIsCheckedBeforeAnythingIsWritten) {
    const Execution e = active();
    for (const char* bad :
         {"", "not json", "[]", "5", "null", "{", R"({"required_signal_names":5})",
          R"({"required_signal_names":[5]})", R"({"required_signal_names":{"a":1}})",
          R"({"minimum_signal_count":"2"})"}) {
        EXPECT_EQ(fault(e, bad), "bad_json") << bad;
    }
    const std::string padding(8'193 - 8, 'x');
    EXPECT_EQ(fault(e, "{\"x\":\"" + padding + "\"}"), "condition_size_exceeded");
    EXPECT_EQ(fault(e, R"({"condition_type":"dream"})"), "unknown_condition_type");
    EXPECT_EQ(fault(e, R"({"signal_match_mode":"most"})"), "bad_match_mode");
    EXPECT_EQ(fault(e, flat_condition(R"(["a","b"])", "count", 3)), "count_exceeds_matchers");
    EXPECT_EQ(fault(e, flat_condition(R"(["a"])", "count", 257)), "too_many_matchers");
    EXPECT_EQ(fault(e, flat_condition(R"(["a"])", "count", 0)), "count_n_zero");
    EXPECT_EQ(fault(e, R"({"condition_type":"single_signal","required_signal_names":["a","b"]})"),
              "too_many_matchers");
    EXPECT_EQ(fault(e, R"({"condition_type":"timeout_only"})"), "timeout_only_without_deadline");
    EXPECT_EQ(fault(e, R"({"required_signal_names":["__timeout_only__"]})"),
              "timeout_only_without_deadline");
    EXPECT_EQ(fault(e, R"({"required_waitpoint_key":"other"})"), "waitpoint_key_mismatch");
    EXPECT_EQ(fault(e, "{}", {"k", "l"}), "extra_binding_not_referenced_by_condition");
    EXPECT_EQ(fault(e, R"({"v":2})"), "unsupported_version");
}

TEST_P(Ch03Condition, S45_ATreeIsCheckedBeforeAnythingIsWritten) {
    const Execution e = active();
    EXPECT_EQ(fault(e, composite(all_of({}))), "allof_empty_members");
    EXPECT_EQ(fault(e, composite(count_of(0, "DistinctSignals", {"k"}))), "count_n_zero");
    EXPECT_EQ(fault(e, composite(count_of(-1, "DistinctSignals", {"k"}))), "count_n_zero");
    EXPECT_EQ(fault(e, composite(count_of(10'001, "DistinctSignals", {"k"}))), "count_n_too_large");
    EXPECT_EQ(fault(e, composite(count_of(1, "DistinctSignals", {}))), "count_waitpoints_empty");
    EXPECT_EQ(fault(e, composite(count_of(2, "DistinctWaitpoints", {"k", "k"}))),
              "count_exceeds_waitpoint_set");
    EXPECT_EQ(fault(e, composite(count_of(1, "Some", {"k"}))), "unknown_count_kind");
    EXPECT_EQ(fault(e, composite(R"({"kind":"Or"})")), "unknown_node_kind");
    EXPECT_EQ(fault(e, composite("7")), "unknown_node_kind");
    EXPECT_EQ(fault(e, composite(single("k", R"({"kind":"Glob"})"))), "unknown_matcher_kind");
    EXPECT_EQ(fault(e, composite(single("k", "null"))), "unknown_matcher_kind");
    EXPECT_EQ(fault(e, composite(single("k", by_name("")))), "empty_matcher_name");
    EXPECT_EQ(fault(e, composite(single("absent"))), "referenced_waitpoint_key_missing_binding");
    EXPECT_EQ(fault(e, composite(single("k")), {"k", "l"}),
              "extra_binding_not_referenced_by_condition");
    std::string deep = count_of(1, "DistinctSignals", {"k"});
    for (int i = 0; i < 4; ++i) deep = all_of({deep});
    EXPECT_EQ(fault(e, composite(deep)), "condition_depth_exceeded");
    EXPECT_EQ(fault(e, R"({"v":2,"composite":true,"tree":{}})"), "unsupported_version");
    EXPECT_EQ(fault(e, R"({"composite":true,"tree":{}})"), "unsupported_version");
    // The path of the fault is told.
    const RespValue nested = try_suspend(
        e, args_for(all_of({single("k"), all_of({count_of(0, "DistinctSignals", {"k"})})}), {"k"}));
    EXPECT_EQ(flat(nested),
              (List{"0", "invalid_resume_condition", "count_n_zero", "members[1].members[0]"}));
}

TEST_P(Ch03Condition, WhatIsJustWithinTheLimitsIsAccepted) {
    const Execution first = active();
    std::string deep = count_of(1, "DistinctSignals", {"k"});
    for (int i = 0; i < 3; ++i) deep = all_of({deep});
    const Suspended s = suspend_on(first, deep, {"k"});
    EXPECT_EQ(effect(first, s.primary()), "resume_condition_satisfied");
    const Execution second = active();
    const std::string padding(8'192 - 8, 'x');
    suspend(second, {.condition = "{\"x\":\"" + padding + "\"}"});
    const Execution third = active();
    const Suspended many = suspend(third, {.condition = flat_condition(R"(["a"])", "count", 256)});
    EXPECT_EQ(condition(many.primary().id)["total_matchers"], "256");
    const Execution fourth = active();
    List keys;
    for (int i = 0; i < 64; ++i) keys.push_back("k" + std::to_string(i));
    const Suspended all = suspend_on(fourth, count_of(64, "DistinctWaitpoints", keys), keys);
    EXPECT_EQ(all.waitpoints.size(), 64U);
    for (std::size_t i = 0; i < 64; ++i) {
        EXPECT_EQ(effect(fourth, all.waitpoints[i]),
                  i == 63 ? "resume_condition_satisfied" : "appended_to_waitpoint");
    }
    const Execution fifth = active();
    const Suspended timed = suspend(
        fifth,
        {.condition = R"({"required_signal_names":["__timeout_only__"]})", .timeout_at = "+60000"});
    EXPECT_EQ(condition(timed.primary().id)["condition_type"], "timeout_only");
    EXPECT_EQ(effect(fifth, timed.primary()), "no_op");
}

TEST_P(Ch03Condition, S47_SatisfactionClimbsTheTree) {
    const Execution e = active();
    const Suspended s = suspend_on(
        e, all_of({all_of({count_of(1, "DistinctSignals", {"a"}), single("b")})}), {"a", "b"});
    EXPECT_EQ(hash(e.key("suspension:current:member_map")),
              (std::map<std::string, std::string>{{s.waitpoints[0].id, "members[0].members[0]"},
                                                  {s.waitpoints[1].id, "members[0].members[1]"}}));
    EXPECT_EQ(effect(e, s.waitpoints[0], {.id = "one"}), "appended_to_waitpoint");
    EXPECT_TRUE(in_set(e.key("suspension:current:satisfied_set"), "members[0].members[0]#sig:one"));
    EXPECT_TRUE(in_set(e.key("suspension:current:satisfied_set"), "node:members[0].members[0]"));
    EXPECT_EQ(suspension(e)["satisfied_count:members[0].members[0]"], "1");
    EXPECT_EQ(e.vector(), vector_suspended());
    EXPECT_EQ(effect(e, s.waitpoints[1]), "resume_condition_satisfied");
    EXPECT_EQ(e.vector(), vector_resumed());
}

TEST_P(Ch03Condition, S48_TwoCountsShareNoSatisfiers) {
    const Execution e = active();
    const Suspended s =
        suspend_on(e,
                   all_of({count_of(2, "DistinctSources", {"k"}, by_name("legal")),
                           count_of(2, "DistinctSources", {"k"}, by_name("finance"))}),
                   {"k"});
    const Waitpoint& k = s.primary();
    EXPECT_EQ(effect(e, k, {.name = "legal", .source = "a"}), "appended_to_waitpoint");
    EXPECT_EQ(effect(e, k, {.name = "legal", .source = "b"}), "appended_to_waitpoint");
    EXPECT_EQ(e.vector(), vector_suspended());
    EXPECT_EQ(effect(e, k, {.name = "other", .source = "c"}), "appended_to_waitpoint_duplicate");
    EXPECT_EQ(effect(e, k, {.name = "finance", .source = "a"}), "appended_to_waitpoint");
    EXPECT_EQ(effect(e, k, {.name = "finance", .source = "a"}), "appended_to_waitpoint_duplicate");
    EXPECT_EQ(effect(e, k, {.name = "finance", .source = "b"}), "resume_condition_satisfied");
}

TEST_P(Ch03Condition, S49_SourcesAreCountedByTypeAndIdentity) {
    const Execution e = active();
    const Suspended s = suspend_on(e, count_of(2, "DistinctSources", {"k"}), {"k"});
    EXPECT_EQ(effect(e, s.primary(), {.source = "alice"}), "appended_to_waitpoint");
    EXPECT_EQ(effect(e, s.primary(), {.source = "alice"}), "appended_to_waitpoint_duplicate");
    EXPECT_EQ(effect(e, s.primary(), {.source = "bob"}), "resume_condition_satisfied");
    const Execution f = active();
    const Suspended t = suspend_on(f, count_of(2, "DistinctSources", {"k"}), {"k"});
    EXPECT_EQ(effect(f, t.primary(), {.source_type = "user", .source = "alice"}),
              "appended_to_waitpoint");
    EXPECT_EQ(effect(f, t.primary(), {.source_type = "system", .source = "alice"}),
              "resume_condition_satisfied");
    // A colon in the type makes no other pair equal to it.
    const Execution g = active();
    const Suspended v = suspend_on(g, count_of(3, "DistinctSources", {"k"}), {"k"});
    EXPECT_EQ(effect(g, v.primary(), {.source_type = "a:b", .source = "c"}),
              "appended_to_waitpoint");
    EXPECT_EQ(effect(g, v.primary(), {.source_type = "a", .source = "b:c"}),
              "appended_to_waitpoint");
    EXPECT_EQ(effect(g, v.primary(), {.source_type = "a%3Ab", .source = "c"}),
              "resume_condition_satisfied");
}

TEST_P(Ch03Condition, S50_TheLastSignalMayLandOnAnyWaitpoint) {
    const Execution e = active();
    const Suspended s =
        suspend_on(e, all_of({single("a"), single("b"), single("c")}), {"a", "b", "c"});
    ASSERT_EQ(s.waitpoints.size(), 3U);
    EXPECT_EQ(effect(e, s.waitpoints[2], {.id = "1st"}), "appended_to_waitpoint");
    EXPECT_EQ(effect(e, s.waitpoints[0], {.id = "2nd"}), "appended_to_waitpoint");
    EXPECT_EQ(effect(e, s.waitpoints[1], {.id = "3rd"}), "resume_condition_satisfied");
    EXPECT_EQ(satisfiers(e), R"(["1st","2nd","3rd"])");
    EXPECT_EQ(suspension(e)["closer_signal_id"], "3rd");
    for (const Waitpoint& one : s.waitpoints) {
        EXPECT_EQ(waitpoint(one.id)["state"], "closed");
        EXPECT_EQ(condition(one.id)["closed"], "1");
        EXPECT_EQ(condition(one.id)["closed_reason"], "satisfied");
        EXPECT_EQ(condition(one.id)["composite"], "1");
    }
    for (const char* name : {"satisfied_set", "satisfied_set:signals", "member_map"}) {
        EXPECT_FALSE(exists(e.key("suspension:current:" + std::string(name)))) << name;
    }
    EXPECT_EQ(signal("1st")["consumed_by_suspension_id"], s.id);
}

TEST_P(Ch03Condition, MatchersCompareEveryFieldTheyName) {
    const Execution e = active();
    const Suspended s =
        suspend_on(e,
                   single("k", R"({"kind":"ByName","name":"ok","source_type":"operator",)"
                               R"("signal_category":"approval","correlation_id":null})"),
                   {"k"});
    const Waitpoint& k = s.primary();
    const std::string refused = "signal_ignored_matcher_failed";
    EXPECT_EQ(effect(e, k, {.name = "ok"}), refused);
    EXPECT_EQ(effect(e, k, {.name = "ok", .source_type = "operator"}), refused);
    EXPECT_EQ(effect(e, k, {.name = "no", .category = "approval", .source_type = "operator"}),
              refused);
    EXPECT_EQ(effect(e, k, {.name = "ok", .category = "approval", .source_type = "operator"}),
              "resume_condition_satisfied");
}

TEST_P(Ch03Condition, AWaitpointOutsideTheMapIsIgnored) {
    const Execution e = active();
    const Suspended s = suspend_on(e, all_of({single("a"), single("b")}), {"a", "b"});
    command({"HDEL", e.key("suspension:current:member_map"), s.waitpoints[1].id});
    EXPECT_EQ(effect(e, s.waitpoints[1]), "signal_ignored_not_in_condition");
    EXPECT_EQ(e.vector(), vector_suspended());
    command({"HSET", e.key("suspension:current"), "resume_condition_json", "{}"});
    const auto before = host().contents(tag());
    EXPECT_EQ(effect(e, s.waitpoints[0]), "corruption");
    EXPECT_EQ(host().contents(tag()), before);
}

TEST_P(Ch03Condition, ATreeMayWaitForNoSignalAtAll) {
    const Execution e = active();
    const Suspended s = suspend_on(e, all_of({single("k"), R"({"kind":"NeverBySignal"})"}), {"k"});
    EXPECT_EQ(effect(e, s.primary()), "appended_to_waitpoint");
    EXPECT_EQ(effect(e, s.primary()), "appended_to_waitpoint_duplicate");
    EXPECT_EQ(element(resume(e), 3), "waiting");
    EXPECT_EQ(suspension(e)["close_reason"], "operator_resume");
}

TEST_P(Ch03Condition, UnconsumedSignalsStayUnstampedWhenThePolicySaysSo) {
    const Execution e = active();
    const Suspended s = suspend(e, {.policy = R"({"consume_matched_signals":false})"});
    effect(e, s.primary(), {.id = "one"});
    EXPECT_FALSE(signal("one").contains("consumed_at"));
}

}  // namespace
}  // namespace ff::contract
