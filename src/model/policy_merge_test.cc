#include "model/policy_merge.h"

#include <gtest/gtest.h>

namespace ff::model {
namespace {

std::string merged(std::string_view over, std::string_view under) {
    const auto text = merge_policies(over, under);
    return text ? *text : text.error().text();
}

TEST(PolicyMerge, Repair_21_ObjectsAreMergedMemberByMemberAtEveryDepth) {
    EXPECT_EQ(merged(R"({"retry_policy":{"backoff":{"delay_ms":7}},"priority":1})",
                     R"({"retry_policy":{"max_retries":5,"backoff":{"type":"fixed","delay_ms":9}},)"
                     R"("retention_ms":3})"),
              R"({"retry_policy":{"backoff":{"delay_ms":7,"type":"fixed"},"max_retries":5},)"
              R"("priority":1,"retention_ms":3})");
}

TEST(PolicyMerge, Repair_21_ListsAndSingleValuesAreReplaced) {
    EXPECT_EQ(merged(R"({"budget_ids":[],"priority":0})", R"({"budget_ids":["a"],"priority":9})"),
              R"({"budget_ids":[],"priority":0})");
    EXPECT_EQ(merged(R"({"fallback_policy":{"tiers":[{"provider":"b"}]}})",
                     R"({"fallback_policy":{"tiers":[{"provider":"a","model":"m"}]}})"),
              R"({"fallback_policy":{"tiers":[{"provider":"b"}]}})");
}

TEST(PolicyMerge, Repair_21_NullAndAbsentAreTheSame) {
    EXPECT_EQ(merged(R"({"priority":null})", R"({"priority":4,"retention_ms":null})"),
              R"({"priority":4})");
    EXPECT_EQ(merged("", R"({"priority":4})"), R"({"priority":4})");
    EXPECT_EQ(merged(R"({"priority":4})", ""), R"({"priority":4})");
    EXPECT_EQ(merged("", ""), "");
    EXPECT_EQ(merged(R"({"retry_policy":[]})", R"({"retry_policy":{"max_retries":2}})"),
              R"({"retry_policy":{"max_retries":2}})");
}

TEST(PolicyMerge, Repair_21_TheReclaimsOfTheUpperPolicyCountWhereverTheyStand) {
    EXPECT_EQ(merged(R"({"timeout_policy":{"max_reclaim_count":2}})",
                     R"({"max_reclaim_count":9,"priority":1})"),
              R"({"timeout_policy":{"max_reclaim_count":2},"priority":1})");
    EXPECT_EQ(merged(R"({"max_reclaim_count":2})", R"({"timeout_policy":{"max_reclaim_count":9}})"),
              R"({"max_reclaim_count":2,"timeout_policy":{"max_reclaim_count":9}})");
}

TEST(PolicyMerge, WhatIsNoPolicyIsRefused) {
    EXPECT_EQ(merge_policies("[1]", "{}").error().code, "invalid_policy_json");
    EXPECT_EQ(merge_policies("{}", "{").error().code, "invalid_policy_json");
}

}  // namespace
}  // namespace ff::model
