// Steps that are done once and children that are called, through every door.

#include <gtest/gtest.h>

#include "sdk/door_world.h"

namespace ff::testing {
namespace {

using flowfabric::Bytes;
using flowfabric::Result;
using flowfabric::Task;
using flowfabric::Worker;

class Steps : public ::testing::TestWithParam<std::string> {
  protected:
    Task claim_one() { return std::move(worker.claim_tasks(1, kPatience).value().at(0)); }
    /// Runs a step that counts how often it did; what the task got.
    std::string search(Task& task) {
        const auto found = task.step("search", [this]() -> Result<Bytes> {
            ++runs;
            return "found by run " + std::to_string(runs);
        });
        return found ? *found : found.error().text();
    }

    DoorWorld& world = door_world(GetParam());
    const flowfabric::AdminClient& client = world.client();
    std::string lane = DoorWorld::unique("lane");
    Worker worker = world.worker(lane);
    int runs = 0;
};

TEST_P(Steps, AStepIsDoneOnceOverAllAttempts) {
    const std::string id = world.submit(lane);
    Task first = claim_one();
    EXPECT_EQ(search(first), "found by run 1");
    EXPECT_EQ(search(first), "found by run 1");
    EXPECT_EQ(first.record_step("search", "another").value(), "found by run 1");
    EXPECT_EQ(first.step("broken", [] { return Result<Bytes>(flowfabric::Error{.code = "x"}); })
                  .error()
                  .code,
              "x");
    ASSERT_TRUE(first.release().has_value());
    Task second = claim_one();
    EXPECT_EQ(search(second), "found by run 1");
    const Bytes all_bytes("\x00\xff", 2);
    EXPECT_EQ(second.record_step("bytes", all_bytes, "raw").value(), all_bytes);
    ASSERT_TRUE(second.complete().has_value());
    const auto recorded = client.read_steps(id).value().steps;
    ASSERT_EQ(recorded.size(), 2U);
    EXPECT_EQ(recorded[0].name, "search");
    EXPECT_EQ(recorded[1].value, all_bytes);
    EXPECT_EQ(recorded[1].encoding, "raw");
}

TEST_P(Steps, AParentComesBackWithWhatBecameOfItsChildren) {
    const std::string id = world.submit(lane);
    Task parent = claim_one();
    const std::string children = DoorWorld::unique("children");
    const auto called = parent.call_children(
        {.children = {{.name = "de", .kind = "work", .payload = "hello", .lane = children}}});
    ASSERT_TRUE(called.has_value()) << called.error().text();
    ASSERT_EQ(called->size(), 1U);
    Worker other = world.worker(children);
    Task child = std::move(other.claim_tasks(1, kPatience).value().at(0));
    EXPECT_EQ(child.id(), called->front().execution_id);
    EXPECT_EQ(child.payload().value(), "hello");
    ASSERT_TRUE(child.complete("hallo").has_value());
    Task back = claim_one();
    EXPECT_EQ(back.id(), id);
    const auto ended = client.read_children(id).value().children;
    ASSERT_EQ(ended.size(), 1U);
    EXPECT_EQ(ended.front().name, "de");
    EXPECT_EQ(ended.front().outcome, "success");
    EXPECT_EQ(ended.front().result.value(), "hallo");
    EXPECT_TRUE(back.complete().has_value());
}

INSTANTIATE_TEST_SUITE_P(Doors, Steps, ::testing::Values("http", "direct", "inprocess"),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace ff::testing
