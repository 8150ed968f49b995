#include "model/execution_policy.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace ff::model {
namespace {

constexpr std::string_view kEverything = R"({
  "priority": -5, "delay_until": 1700000000000,
  "retry_policy": {"max_retries": 4,
    "backoff": {"type": "exponential", "delay_ms": 1, "initial_delay_ms": 100, "max_delay_ms": 900,
                "multiplier": 1.5, "jitter": true, "shape": "odd"},
    "retryable_categories": ["timeout", "network"], "mood": [1, 2]},
  "timeout_policy": {"attempt_timeout_ms": 5000, "execution_deadline_ms": 60000,
                     "max_reclaim_count": 7},
  "max_reclaim_count": 8, "max_replay_count": 9,
  "suspension_policy": {"default_timeout_ms": 10, "timeout_behavior": "auto_resume"},
  "fallback_policy": {"tiers": [{"provider": "a", "model": "m1"},
                                {"provider": "b", "model": "m2", "timeout_ms": 300}]},
  "budget_ids": ["550e8400-e29b-41d4-a716-446655440000"],
  "quota_policy_id": "123E4567-E89B-12D3-A456-426614174000",
  "routing_requirements": {"required_capabilities": ["gpu", "cuda", "gpu"],
                           "preferred_locality": "eu", "isolation_level": "strict"},
  "dedup_window_ms": 1000,
  "stream_policy": {"durability_mode": "durable_summary", "retention_maxlen": 50,
                    "retention_ttl_ms": 60},
  "max_signals_per_execution": 11, "max_steps_bytes": 13, "retention_ms": 12,
  "colour": {"r": [1, {"g": "b"}]}, "nothing": null})";

TEST(ExecutionPolicy, ReadsEveryMember) {
    const auto policy = ExecutionPolicy::parse(kEverything);
    ASSERT_TRUE(policy.has_value()) << policy.error().text();
    EXPECT_EQ(policy->priority, -5);
    EXPECT_EQ(policy->delay_until, 1700000000000);
    const RetryPolicy& retry = *policy->retry_policy;
    EXPECT_EQ(retry.max_retries, 4);
    EXPECT_EQ(retry.backoff->type, BackoffType::Exponential);
    EXPECT_EQ(retry.backoff->delay_ms, 1);
    EXPECT_EQ(retry.backoff->initial_delay_ms, 100);
    EXPECT_EQ(retry.backoff->max_delay_ms, 900);
    EXPECT_EQ(retry.backoff->multiplier, 1.5);
    EXPECT_EQ(retry.backoff->jitter, true);
    EXPECT_EQ(retry.retryable_categories, (std::vector<std::string>{"timeout", "network"}));
    EXPECT_EQ(policy->timeout_policy->attempt_timeout_ms, 5000);
    EXPECT_EQ(policy->timeout_policy->execution_deadline_ms, 60000);
    EXPECT_EQ(policy->timeout_policy->max_reclaim_count, 7);
    EXPECT_EQ(policy->max_reclaim_count, 8);
    EXPECT_EQ(policy->max_replay_count, 9);
    EXPECT_EQ(policy->suspension_policy->default_timeout_ms, 10);
    EXPECT_EQ(policy->suspension_policy->timeout_behavior, TimeoutBehavior::AutoResume);
    ASSERT_EQ(policy->fallback_policy->tiers.size(), 2U);
    EXPECT_EQ(policy->fallback_policy->tiers[1],
              (FallbackTier{.provider = "b", .model = "m2", .timeout_ms = 300}));
    EXPECT_EQ(policy->budget_ids.at(0).to_string(), "550e8400-e29b-41d4-a716-446655440000");
    EXPECT_EQ(policy->quota_policy_id->to_string(), "123e4567-e89b-12d3-a456-426614174000");
    EXPECT_EQ(policy->routing_requirements->required_capabilities.csv(), "cuda,gpu");
    EXPECT_EQ(policy->routing_requirements->preferred_locality, "eu");
    EXPECT_EQ(policy->routing_requirements->isolation_level, "strict");
    EXPECT_EQ(policy->dedup_window_ms, 1000);
    EXPECT_EQ(policy->stream_policy->frame_mode(), "summary");
    EXPECT_EQ(policy->stream_policy->retention_maxlen, 50);
    EXPECT_EQ(policy->stream_policy->retention_ttl_ms, 60);
    EXPECT_EQ(policy->max_signals_per_execution, 11);
    EXPECT_EQ(policy->max_steps_bytes, 13);
    EXPECT_EQ(policy->retention_ms, 12);
}

TEST(ExecutionPolicy, KeepsMembersItDoesNotKnowAndWritesWhatItRead) {
    const auto policy = *ExecutionPolicy::parse(kEverything);
    EXPECT_EQ(policy.other, (OtherMembers{{.name = "colour", .json = R"({"r":[1,{"g":"b"}]})"}}));
    EXPECT_EQ(policy.retry_policy->other, (OtherMembers{{.name = "mood", .json = "[1,2]"}}));
    EXPECT_EQ(policy.retry_policy->backoff->other,
              (OtherMembers{{.name = "shape", .json = "\"odd\""}}));
    const std::string text = policy.to_json();
    const auto again = ExecutionPolicy::parse(text);
    ASSERT_TRUE(again.has_value()) << text;
    EXPECT_EQ(*again, policy);
    EXPECT_EQ(again->to_json(), text);
}

TEST(ExecutionPolicy, WhatIsAbsentStaysAbsent) {
    for (const char* text : {"", "{}", R"({"retry_policy":null,"budget_ids":null})"}) {
        EXPECT_EQ(*ExecutionPolicy::parse(text), ExecutionPolicy{}) << text;
    }
    EXPECT_EQ(ExecutionPolicy{}.to_json(), "{}");
    EXPECT_EQ(StreamPolicy{}.frame_mode(), "durable");
}

std::string refusal(std::string_view text) {
    const auto policy = ExecutionPolicy::parse(text);
    if (policy) return "accepted";
    EXPECT_EQ(policy.error().cls, ErrorClass::Terminal);
    return policy.error().code + " " + policy.error().detail.at(0);
}

std::string bad(std::string_view detail) {
    return "invalid_policy_json " + std::string(detail);
}

TEST(ExecutionPolicy, RefusesWhatIsNoPolicy) {
    for (const char* text : {"{", "nul", "{} {}", "{\"a\":\"\xff\"}"})
        EXPECT_EQ(refusal(text), bad("malformed")) << text;
    for (const char* text : {"[]", "[1]", "5", "null", "\"x\"", "true"})
        EXPECT_EQ(refusal(text), bad("not_object")) << text;
    for (const std::string member : {"retry_policy", "timeout_policy", "suspension_policy",
                                     "fallback_policy", "routing_requirements", "stream_policy"}) {
        EXPECT_EQ(refusal("{\"" + member + "\":5}"), bad(member + ":not_object"));
        EXPECT_EQ(refusal("{\"" + member + "\":[1]}"), bad(member + ":not_object"));
        EXPECT_EQ(refusal("{\"" + member + "\":[]}"), "accepted") << "an empty list is empty";
        EXPECT_EQ(refusal("{\"" + member + "\":null}"), "accepted");
    }
    EXPECT_EQ(refusal(R"({"retry_policy":{"backoff":7}})"), bad("retry_policy.backoff:not_object"));
    EXPECT_EQ(refusal(R"({"fallback_policy":{"tiers":["x"]}})"),
              bad("fallback_policy.tiers:not_object"));
}

/// A policy with one member at a path with dots.
std::string policy_with(std::string_view path, std::string_view value) {
    const std::size_t dot = path.find('.');
    const std::string inner = dot == std::string_view::npos
                                  ? std::string(value)
                                  : policy_with(path.substr(dot + 1), value);
    return "{\"" + std::string(path.substr(0, dot)) + "\":" + inner + "}";
}

TEST(ExecutionPolicy, RefusesEveryNumberOutOfItsRangeByItsPath) {
    for (const std::string path :
         {"delay_until", "retry_policy.max_retries", "retry_policy.backoff.delay_ms",
          "retry_policy.backoff.initial_delay_ms", "retry_policy.backoff.max_delay_ms",
          "timeout_policy.attempt_timeout_ms", "timeout_policy.execution_deadline_ms",
          "timeout_policy.max_reclaim_count", "max_reclaim_count", "max_replay_count",
          "suspension_policy.default_timeout_ms", "dedup_window_ms",
          "stream_policy.retention_maxlen", "stream_policy.retention_ttl_ms",
          "max_signals_per_execution", "max_steps_bytes", "retention_ms"}) {
        EXPECT_EQ(refusal(policy_with(path, "0")), "accepted") << path;
        EXPECT_EQ(refusal(policy_with(path, "9007199254740991")), "accepted") << path;
        for (const char* value : {"-1", "1.5", "\"1\"", "true", "[]", "9007199254740992", "1e300"})
            EXPECT_EQ(refusal(policy_with(path, value)), bad(path + ":not_integer")) << value;
    }
    EXPECT_EQ(refusal(policy_with("priority", "-9007199254740991")), "accepted");
    EXPECT_EQ(refusal(policy_with("priority", "1.5")), bad("priority:not_integer"));
    const std::string multiplier = "retry_policy.backoff.multiplier";
    EXPECT_EQ(refusal(policy_with(multiplier, "1.25")), "accepted");
    EXPECT_NE(refusal(policy_with(multiplier, "1e400")), "accepted");
    EXPECT_EQ(refusal(policy_with(multiplier, "0.99")), bad(multiplier + ":not_integer"));
    EXPECT_EQ(refusal(policy_with(multiplier, "\"2\"")), bad(multiplier + ":not_integer"));
    EXPECT_EQ(refusal(R"({"fallback_policy":{"tiers":[{},{"timeout_ms":-1}]}})"),
              bad("fallback_policy.tiers.timeout_ms:not_integer"));
}

TEST(ExecutionPolicy, RefusesWrongTypesOfWhatFunctionsHandOn) {
    EXPECT_EQ(refusal(policy_with("retry_policy.backoff.type", "\"linear\"")),
              bad("retry_policy:backoff_type"));
    EXPECT_EQ(refusal(policy_with("retry_policy.backoff.type", "1")),
              bad("retry_policy:backoff_type"));
    EXPECT_EQ(refusal(policy_with("retry_policy.backoff.jitter", "1")),
              bad("retry_policy.backoff.jitter:not_boolean"));
    EXPECT_EQ(refusal(policy_with("retry_policy.retryable_categories", "\"x\"")),
              bad("retry_policy.retryable_categories:not_array"));
    EXPECT_EQ(refusal(policy_with("retry_policy.retryable_categories", "[1]")),
              bad("retry_policy.retryable_categories:not_string"));
    EXPECT_EQ(refusal(policy_with("fallback_policy.tiers", "5")),
              bad("fallback_policy.tiers:not_array"));
    EXPECT_EQ(refusal(policy_with("fallback_policy.tiers", "[{\"model\":1}]")),
              bad("fallback_policy.tiers.model:not_string"));
    EXPECT_EQ(refusal(policy_with("suspension_policy.timeout_behavior", "\"explode\"")),
              bad("suspension_policy.timeout_behavior:unknown_value"));
    EXPECT_EQ(refusal(policy_with("stream_policy.durability_mode", "\"maybe\"")),
              bad("stream_policy.durability_mode:unknown_value"));
    EXPECT_EQ(refusal(policy_with("routing_requirements.preferred_locality", "5")),
              bad("routing_requirements.preferred_locality:not_string"));
    EXPECT_EQ(refusal(policy_with("budget_ids", "{\"a\":1}")), bad("budget_ids:not_array"));
    EXPECT_EQ(refusal(policy_with("budget_ids", "[\"x\"]")), bad("budget_ids:not_uuid"));
    EXPECT_EQ(refusal(policy_with("quota_policy_id", "5")), bad("quota_policy_id:not_uuid"));
}

TEST(ExecutionPolicy, HoldsSixteenBudgets) {
    const auto budgets = [](int count) {
        std::string list;
        for (int i = 0; i < count; ++i)
            list += (i == 0 ? "" : ",") + std::string("\"550e8400-e29b-41d4-a716-446655440000\"");
        return policy_with("budget_ids", "[" + list + "]");
    };
    EXPECT_EQ(refusal(budgets(16)), "accepted");
    EXPECT_EQ(refusal(budgets(17)), bad("budget_ids:too_many"));
}

TEST(ExecutionPolicy, RefusesCapabilitiesInTheWordsOfTheFunctions) {
    const auto verdict = [](std::string_view list) {
        return refusal(policy_with("routing_requirements.required_capabilities", list));
    };
    EXPECT_EQ(verdict("[]"), "accepted");
    EXPECT_EQ(verdict("{}"), "accepted");
    EXPECT_EQ(verdict("{\"a\":1}"), "invalid_capabilities required:not_array");
    EXPECT_EQ(verdict("\"gpu\""), "invalid_capabilities required:not_array");
    EXPECT_EQ(verdict("[\"gpu\",null]"), "invalid_capabilities required:non_string_token");
    EXPECT_EQ(verdict("[\"\"]"), "invalid_capabilities required:empty_token");
    EXPECT_EQ(verdict("[\"a,b\"]"), "invalid_capabilities required:comma_in_token");
    EXPECT_EQ(verdict("[\"a b\"]"), "invalid_capabilities required:control_or_whitespace");
    EXPECT_EQ(verdict("[\"" + std::string(4097, 'x') + "\"]"),
              "invalid_capabilities required:too_many_bytes");
    std::string many;
    for (int i = 0; i < 257; ++i) many += (i == 0 ? "\"t" : ",\"t") + std::to_string(i) + "\"";
    EXPECT_EQ(verdict("[" + many + "]"), "invalid_capabilities required:too_many_tokens");
}

TEST(ExecutionPolicy, ChecksInTheOrderOfTheDocument) {
    EXPECT_EQ(refusal(R"({"stream_policy":1,"priority":"x"})"), bad("stream_policy:not_object"));
    EXPECT_EQ(refusal(R"({"retry_policy":{"backoff":{"type":"x"}},"retention_ms":-1})"),
              bad("retention_ms:not_integer"));
    EXPECT_EQ(refusal(R"({"routing_requirements":{"required_capabilities":5},
                          "retry_policy":{"backoff":{"type":"x"}}})"),
              bad("retry_policy:backoff_type"));
    EXPECT_EQ(refusal(R"({"quota_policy_id":5,
                          "routing_requirements":{"required_capabilities":5}})"),
              "invalid_capabilities required:not_array");
}

TEST(ExecutionPolicy, IsStoredAsGivenUnlessRetriesAreNotCounted) {
    EXPECT_EQ(*ExecutionPolicy::stored_text(""), "");
    EXPECT_EQ(*ExecutionPolicy::stored_text(" { } "), "");
    const std::string given = R"({ "priority": 1,  "retry_policy": {"max_retries": 0} })";
    EXPECT_EQ(*ExecutionPolicy::stored_text(given), given);
    EXPECT_EQ(*ExecutionPolicy::stored_text(R"({"retry_policy":{"retryable_categories":["a"]}})"),
              R"({"retry_policy":{"max_retries":3,"retryable_categories":["a"]}})");
    EXPECT_EQ(*ExecutionPolicy::stored_text(R"({"retry_policy":{"max_retries":null}})"),
              R"({"retry_policy":{"max_retries":3}})");
    EXPECT_EQ(ExecutionPolicy::stored_text("{").error().code, "invalid_policy_json");
}

TEST(TimeoutBehavior, RoundTripsThroughText) {
    for (const char* text :
         {"fail", "cancel", "expire", "auto_resume", "auto_resume_with_timeout_signal", "escalate"})
        EXPECT_EQ(to_string(*parse_timeout_behavior(text)), text);
    EXPECT_FALSE(parse_timeout_behavior("").has_value());
}

}  // namespace
}  // namespace ff::model
