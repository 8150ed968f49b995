#include "api/lease_fields.h"

#include <gtest/gtest.h>

namespace ff::api {
namespace {

constexpr std::string_view kExecution = "{fp:7}:11111111-2222-4333-8444-555555555555";
constexpr std::string_view kOther = "{fp:7}:99999999-2222-4333-8444-555555555555";
constexpr std::string_view kLease = "aaaaaaaa-2222-4333-8444-555555555555";
constexpr std::string_view kAttempt = "bbbbbbbb-2222-4333-8444-555555555555";

std::string token(std::string_view execution, std::uint64_t epoch = 4) {
    return service::TaskToken{.execution_id = *model::ExecutionId::parse(execution),
                              .attempt_index = {2},
                              .fence = {.lease_id = *model::LeaseId::parse(kLease),
                                        .lease_epoch = {epoch},
                                        .attempt_id = *model::AttemptId::parse(kAttempt)},
                              .lease_ttl = Millis(30'000),
                              .lane_id = *model::LaneId::parse("default"),
                              .worker_instance_id = *model::WorkerInstanceId::parse("w")}
        .encode();
}

std::string members(std::string_view more = "") {
    return R"("lease_id":")" + std::string(kLease) + R"(","lease_epoch":4,"attempt_id":")" +
           std::string(kAttempt) + "\"" + std::string(more);
}

Result<std::optional<PresentedLease>> read(std::string_view body,
                                           std::optional<std::string_view> header = {}) {
    const auto document = json::Document::parse(body);
    return find_lease(document->root(), header, *model::ExecutionId::parse(kExecution));
}

TEST(LeaseFields, AreReadFromEachOfTheFourPlaces) {
    const std::string text = token(kExecution);
    for (const std::string& body : {R"({"task_token":")" + text + "\"}",
                                    "{\"lease\":{" + members(R"(,"attempt_index":2)") + "}}",
                                    "{" + members(R"(,"attempt_index":2)") + "}"}) {
        const auto lease = read(body);
        ASSERT_TRUE(lease && *lease) << body;
        EXPECT_EQ((*lease)->fence.lease_epoch.value, 4U);
        EXPECT_EQ((*lease)->fence.lease_id.to_string(), kLease);
        EXPECT_EQ((*lease)->attempt_index, model::AttemptIndex{2});
    }
    const auto by_header = read("{}", text);
    ASSERT_TRUE(by_header && *by_header);
    EXPECT_EQ((*by_header)->lease_ttl, Millis(30'000));
}

TEST(LeaseFields, MayStandTwiceIfTheyAgree) {
    const auto lease = read("{\"lease\":{" + members() + "}}", token(kExecution));
    ASSERT_TRUE(lease && *lease);
    EXPECT_EQ((*lease)->attempt_index, model::AttemptIndex{2});
    const auto differ = read("{\"lease\":{" + members() + "}}", token(kExecution, 5));
    ASSERT_FALSE(differ);
    EXPECT_EQ(differ.error().code, "invalid_input");
    EXPECT_FALSE(read("{" + members(R"(,"attempt_index":3)") + "}", token(kExecution)));
}

TEST(LeaseFields, OfAnotherExecutionAreRefused) {
    const auto lease = read("{}", token(kOther));
    ASSERT_FALSE(lease);
    EXPECT_EQ(lease.error().detail.at(0), "task_token:other_execution");
}

TEST(LeaseFields, AreAllOrNothing) {
    EXPECT_EQ(read(R"({"lease":{}})").error().code, "partial_fence_triple");
    EXPECT_EQ(read(R"({"lease_epoch":4})").error().code, "partial_fence_triple");
    EXPECT_EQ(read(R"({"lease":7})").error().code, "invalid_input");
    EXPECT_EQ(read(R"({"task_token":7})").error().code, "invalid_input");
    EXPECT_EQ(read(R"({"lease_epoch":"4"})").error().code, "invalid_input");
    const auto none = read(R"({"attempt_index":1})");
    ASSERT_TRUE(none);
    EXPECT_FALSE(*none);
}

}  // namespace
}  // namespace ff::api
