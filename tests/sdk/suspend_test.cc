// Conditions over several waitpoints, from the builders to the resumed task.

#include <gtest/gtest.h>

#include "sdk/door_world.h"
#include "support/wait.h"

namespace ff::testing {
namespace {

using flowfabric::Condition;
using flowfabric::Millis;
using flowfabric::SignalReceipt;
using flowfabric::Suspended;
using flowfabric::Task;
using flowfabric::Waitpoint;
using flowfabric::Worker;

class Conditions : public ::testing::TestWithParam<std::string> {
  protected:
    DoorWorld& world = door_world(GetParam());
    const flowfabric::AdminClient& client = world.client();
    std::string lane = DoorWorld::unique("lane");
    Worker worker = world.worker(lane);

    Task claim_one() { return std::move(worker.claim_tasks(1, kPatience).value().at(0)); }
    std::string signal(const std::string& id, const Waitpoint& at, const std::string& name,
                       const std::string& source) {
        const auto receipt = client.deliver_signal(id, {.waitpoint_id = at.waitpoint_id,
                                                        .waitpoint_token = at.token,
                                                        .name = name,
                                                        .source_identity = source});
        return receipt ? receipt->effect : receipt.error().text();
    }
};

TEST_P(Conditions, ATreeOverSeveralWaitpointsResumesOnlyWhenAllOfItIsMet) {
    const std::string id = world.submit(lane);
    Task task = claim_one();
    const auto board = [] {
        return Condition::count(2).distinct_sources().with_matcher({"approved"}).on("board");
    };
    const auto suspended = task.suspend(
        {.reason = "waiting_for_approval",
         .condition = Condition::all_of({Condition::single("legal", {"approved"}), board()}),
         .policy = flowfabric::ResumePolicy{.consume_matched_signals = true},
         .waitpoint_key = "legal",
         .additional_waitpoints = {{.key = "board"}}});
    ASSERT_TRUE(suspended.has_value()) << suspended.error().text();
    EXPECT_EQ(suspended->waitpoint.waitpoint_key, "legal");
    ASSERT_EQ(suspended->additional_waitpoints.size(), 1U);
    const Waitpoint& second = suspended->additional_waitpoints.front();
    EXPECT_EQ(second.waitpoint_key, "board");
    EXPECT_EQ(client.list_pending_waitpoints(id).value().size(), 2U);
    EXPECT_EQ(signal(id, second, "approved", "ann"), "appended_to_waitpoint");
    EXPECT_EQ(signal(id, second, "approved", "ann"), "appended_to_waitpoint_duplicate");
    EXPECT_EQ(signal(id, second, "rejected", "bob"), "signal_ignored_matcher_failed");
    EXPECT_EQ(signal(id, suspended->waitpoint, "approved", "lea"), "appended_to_waitpoint");
    EXPECT_EQ(world.state(id), "suspended");
    EXPECT_EQ(signal(id, second, "approved", "bob"), "resume_condition_satisfied");
    Task resumed = claim_one();
    const auto signals = resumed.resume_signals().value();
    EXPECT_EQ(signals.size(), 3U);
    const auto closed = client.get_suspension(id).value();
    EXPECT_EQ(closed.close_reason, "resumed");
    EXPECT_EQ(closed.waitpoints.size(), 2U);
    EXPECT_TRUE(resumed.complete().has_value());
    EXPECT_EQ(client.list_signals(id).value().signals.size(), 5U);
}

TEST_P(Conditions, AnyOfSeveralWaitpointsIsEnoughAndADelayIsKept) {
    const std::string id = world.submit(lane);
    Task task = claim_one();
    const auto suspended =
        task.suspend({.reason = "waiting_for_callback",
                      .condition = Condition::any_of_waitpoints({"left", "right"}),
                      .policy = flowfabric::ResumePolicy{.delay = Millis(3'600'000)},
                      .waitpoint_key = "left",
                      .additional_waitpoints = {{.key = "right"}}});
    ASSERT_TRUE(suspended.has_value()) << suspended.error().text();
    EXPECT_EQ(signal(id, suspended->additional_waitpoints.at(0), "any", "x"),
              "resume_condition_satisfied");
    EXPECT_EQ(world.state(id), "delayed");
}

TEST_P(Conditions, APendingWaitpointMayBeOneOfSeveral) {
    const std::string id = world.submit(lane);
    Task task = claim_one();
    const Waitpoint early = task.create_pending_waitpoint("early", Millis(60'000)).value();
    EXPECT_EQ(signal(id, early, "done", "x"), "buffered_for_pending_waitpoint");
    const auto suspended =
        task.try_suspend({.reason = "waiting_for_callback",
                          .condition = Condition::all_of_waitpoints({"late", "early"}),
                          .waitpoint_key = "late",
                          .additional_waitpoints = {{.use_pending = early.waitpoint_id}}});
    ASSERT_TRUE(suspended.has_value()) << suspended.error().text();
    EXPECT_FALSE(suspended->already_satisfied);
    EXPECT_EQ(signal(id, suspended->waitpoint, "done", "x"), "resume_condition_satisfied");
    EXPECT_TRUE(claim_one().complete().has_value());
}

TEST_P(Conditions, AWaitpointThatIsNotNeededIsClosed) {
    const std::string id = world.submit(lane);
    Task task = claim_one();
    const Waitpoint pending = task.create_pending_waitpoint("spare", Millis(60'000)).value();
    const auto closed = task.close_waitpoint(pending.waitpoint_id, "not needed");
    EXPECT_TRUE(closed.has_value()) << closed.error().text();
    EXPECT_TRUE(client.list_pending_waitpoints(id).value().empty());
    EXPECT_TRUE(task.complete().has_value());
}

TEST_P(Conditions, WhatCannotBeIsRefusedBeforeAnybodyIsAskedAndTheTaskGoesOn) {
    world.submit(lane);
    Task task = claim_one();
    const auto detail = [&](Condition condition) {
        const auto refused =
            task.try_suspend({.condition = std::move(condition), .waitpoint_key = "a"});
        EXPECT_FALSE(refused.has_value());
        EXPECT_EQ(refused.error().status, 0U) << "it was sent";
        return refused.error().detail.at(0) + "@" + refused.error().detail.at(1);
    };
    EXPECT_EQ(detail(Condition::all_of({})), "allof_empty_members@");
    EXPECT_EQ(detail(Condition::count(0).on("a")), "count_n_zero@");
    EXPECT_EQ(detail(Condition::all_of({Condition::single("a"), Condition::count(1)})),
              "count_waitpoints_empty@members[1]");
    EXPECT_EQ(detail(Condition::count(2).on("a")), "count_exceeds_waitpoint_set@");
    Condition deep = Condition::single("a");
    for (int i = 0; i < 5; ++i) deep = Condition::all_of({std::move(deep)});
    EXPECT_EQ(detail(std::move(deep)),
              "condition_depth_exceeded@members[0].members[0].members[0].members[0]");
    EXPECT_EQ(detail(Condition::single(std::string(9000, 'k'))), "condition_size_exceeded@");
    EXPECT_FALSE(task.ended());
    EXPECT_TRUE(task.complete().has_value());
}

INSTANTIATE_TEST_SUITE_P(Doors, Conditions, ::testing::Values("http", "direct", "inprocess"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ff::testing
