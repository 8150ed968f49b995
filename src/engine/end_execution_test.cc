#include "engine/end_execution.h"

#include <initializer_list>

#include <gtest/gtest.h>

#include "engine/pause_execution.h"

namespace ff::engine {
namespace {

using store::Reply;

constexpr const char* kExecution = "{fp:7}:550e8400-e29b-41d4-a716-446655440000";
constexpr const char* kLease = "11111111-1111-4111-8111-111111111111";
constexpr const char* kOtherLease = "33333333-3333-4333-8333-333333333333";
constexpr const char* kAttempt = "22222222-2222-4222-8222-222222222222";

Fence fence() {
    return Fence{.lease_id = *model::LeaseId::parse(kLease),
                 .lease_epoch = {3},
                 .attempt_id = *model::AttemptId::parse(kAttempt)};
}

model::ExecutionId execution() {
    return *model::ExecutionId::parse(kExecution);
}

Reply not_active(const char* outcome, const char* phase, const char* operation, const char* lease,
                 const char* delay_until) {
    Reply::Items items;
    items.push_back(Reply::integer(0));
    for (const char* text :
         {"execution_not_active", outcome, "3", phase, kAttempt, operation, lease, delay_until}) {
        items.push_back(Reply::bulk(text));
    }
    return Reply::array(std::move(items));
}

TEST(OwnSuccess, ARepeatedCompleteIsRecognisedByItsLease) {
    const CompleteExecution complete{.execution_id = execution(), .fence = fence()};
    const auto own = complete.read(not_active("success", "terminal", "completed", kLease, ""));
    ASSERT_TRUE(own.has_value());
    EXPECT_TRUE(own->replayed);

    const auto other =
        complete.read(not_active("success", "terminal", "completed", kOtherLease, ""));
    ASSERT_FALSE(other.has_value());
    EXPECT_EQ(other.error().code, "execution_not_active");

    const auto cancelled =
        complete.read(not_active("cancelled", "terminal", "cancelled", kLease, ""));
    EXPECT_FALSE(cancelled.has_value());
}

TEST(OwnSuccess, ARepeatedFailTellsTheRealTimeOfTheRetry) {
    const FailExecution fail{.execution_id = execution(), .fence = fence()};
    const auto retried =
        fail.read(not_active("none", "runnable", "failed_retry_scheduled", kLease, "12345"));
    ASSERT_TRUE(retried.has_value());
    EXPECT_TRUE(retried->replayed);
    EXPECT_TRUE(retried->retry_scheduled);
    EXPECT_EQ(retried->delay_until, timestamp_from_ms(12345));
    const auto ended = fail.read(not_active("failed", "terminal", "failed_terminal", kLease, ""));
    ASSERT_TRUE(ended.has_value());
    EXPECT_FALSE(ended->retry_scheduled);
}

TEST(OwnSuccess, AnOperatorsCancelIsDoneWhoeverDidIt) {
    const CancelExecution cancel{.execution_id = execution(), .source = "operator_override"};
    EXPECT_TRUE(
        cancel.read(not_active("cancelled", "terminal", "cancelled", kLease, ""))->replayed);
    EXPECT_FALSE(
        cancel.read(not_active("success", "terminal", "completed", kLease, "")).has_value());
}

TEST(OwnSuccess, DelayAndChildWaitAreRecognisedToo) {
    const DelayExecution delay{.execution_id = execution(), .fence = fence()};
    const auto delayed = delay.read(not_active("none", "runnable", "worker_delay", kLease, "99"));
    ASSERT_TRUE(delayed.has_value());
    EXPECT_EQ(delayed->delay_until, timestamp_from_ms(99));
    EXPECT_FALSE(delay.read(not_active("none", "runnable", "returned", kLease, "")).has_value());
    const DelayExecution returned{.execution_id = execution(), .fence = fence(), .unbegun = true};
    EXPECT_TRUE(returned.read(not_active("none", "runnable", "returned", kLease, ""))->replayed);
    EXPECT_FALSE(
        returned.read(not_active("none", "runnable", "worker_delay", kLease, "99")).has_value());
    const MoveToWaitingChildren wait{.execution_id = execution(), .fence = fence()};
    EXPECT_TRUE(
        wait.read(not_active("none", "runnable", "waiting_children", kLease, "")).has_value());
    EXPECT_FALSE(wait.read(not_active("none", "runnable", "worker_delay", kLease, "")).has_value());
}

TEST(OwnSuccess, WithoutAFenceNothingIsClaimedAsOwn) {
    const CompleteExecution complete{.execution_id = execution()};
    EXPECT_FALSE(complete.resend_safe());
    EXPECT_FALSE(
        complete.read(not_active("success", "terminal", "completed", kLease, "")).has_value());
}

}  // namespace
}  // namespace ff::engine
