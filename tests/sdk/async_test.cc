// Calls that do not block, from coroutines and callbacks that know nothing but the standard
// library.

#include "flowfabric/async.h"

#include <atomic>
#include <coroutine>
#include <future>
#include <thread>

#include <gtest/gtest.h>

#include "sdk/door_world.h"
#include "support/wait.h"

namespace ff::testing {
namespace {

using flowfabric::Async;
using flowfabric::AsyncClient;
using flowfabric::Done;
using flowfabric::Millis;
using flowfabric::Result;

/// A coroutine that begins at once and whose end a thread can wait for.
struct Job {
    struct promise_type {
        std::promise<std::string> result{};
        Job get_return_object() { return {result.get_future()}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_value(std::string value) { result.set_value(std::move(value)); }
        void unhandled_exception() { result.set_exception(std::current_exception()); }
    };
    std::future<std::string> result;
};

class AsyncCalls : public ::testing::TestWithParam<std::string> {
  protected:
    DoorWorld& world = door_world(GetParam());
    AsyncClient client{world.client()};
    std::string lane = DoorWorld::unique("async");
};

Job submit_and_wait(const AsyncClient& client, std::string lane) {
    flowfabric::NewExecution execution{.kind = "work", .payload = "p", .lane = std::move(lane)};
    Async<flowfabric::CreatedExecution> creating = client.create_execution(std::move(execution));
    const auto created = co_await creating;
    if (!created) co_return created.error().text();
    Async<flowfabric::Ending> waiting = client.wait_for_terminal(created->execution_id, kPatience);
    const auto ending = co_await waiting;
    if (!ending) co_return ending.error().text();
    Async<flowfabric::Bytes> reading = client.get_result(created->execution_id);
    const auto result = co_await reading;
    co_return ending->public_state + " " + result.value();
}

Job work_once(flowfabric::Worker& worker) {
    auto claiming = flowfabric::claim_tasks_async(worker, 1, kPatience);
    auto tasks = co_await claiming;
    if (!tasks || tasks->empty()) co_return "no work";
    flowfabric::Task& task = tasks->front();
    auto framing = flowfabric::append_frame_async(task, "log", "begun");
    const auto framed = co_await framing;
    if (!framed) co_return framed.error().text();
    auto completing = flowfabric::complete_async(task, "by a coroutine");
    const auto completed = co_await completing;
    co_return completed ? "completed" : completed.error().text();
}

TEST_P(AsyncCalls, ACoroutineOfTheStandardLibraryAwaitsThem) {
    flowfabric::Worker worker = world.worker(lane);
    Job submitter = submit_and_wait(client, lane);
    Job hand = work_once(worker);
    EXPECT_EQ(hand.result.get(), "completed");
    EXPECT_EQ(submitter.result.get(), "completed by a coroutine");
}

TEST_P(AsyncCalls, ManyWaitAtOnceAndNoneBlocksItsCaller) {
    std::vector<Async<flowfabric::Ending>> endings;
    std::vector<std::string> ids;
    for (int i = 0; i < 40; ++i) ids.push_back(world.submit(lane));
    for (const std::string& id : ids) endings.push_back(client.wait_for_terminal(id, kPatience));
    EXPECT_FALSE(endings.front().ready());
    for (const std::string& id : ids)
        ASSERT_TRUE(client.cancel_execution(id, "test").get().has_value());
    for (auto& ending : endings) EXPECT_EQ(ending.get().value().public_state, "cancelled");
}

TEST_P(AsyncCalls, CallbacksGetTheOutcomeOnce) {
    std::promise<std::string> told;
    client.describe_execution("no such id").then([&](Result<flowfabric::ExecutionInfo> outcome) {
        told.set_value(outcome ? "found" : outcome.error().code);
    });
    EXPECT_EQ(told.get_future().get(), "invalid_input");
    const std::string id = world.submit(lane);
    auto described = client.describe_execution(id);
    ASSERT_TRUE(wait_until([&] { return described.ready(); }));
    std::string found;
    described.then(
        [&](Result<flowfabric::ExecutionInfo> outcome) { found = outcome.value().execution_id; });
    EXPECT_EQ(found, id) << "the outcome was there already";
}

INSTANTIATE_TEST_SUITE_P(Doors, AsyncCalls, ::testing::Values("http", "direct", "inprocess"),
                         [](const auto& info) { return info.param; });

TEST(Async, RefusesMoreCallsThanItHasThreadsForAtOnce) {
    std::promise<void> open;
    const std::shared_future<void> gate = open.get_future().share();
    std::vector<Async<Done>> held;
    for (int i = 0; i < 1024; ++i) {
        held.push_back(flowfabric::async([gate]() -> Result<Done> {
            gate.wait();
            return Done{};
        }));
    }
    const auto refused = flowfabric::async([]() -> Result<Done> { return Done{}; }).get();
    open.set_value();
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, "too_many_requests");
    EXPECT_TRUE(refused.error().retryable());
    for (auto& one : held) EXPECT_TRUE(one.get().has_value());
    EXPECT_TRUE(flowfabric::async([]() -> Result<Done> { return Done{}; }).get().has_value());
}

}  // namespace
}  // namespace ff::testing
