#include "flowfabric/runtime.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "sdk/door_world.h"
#include "support/wait.h"

namespace ff::testing {
namespace {

using flowfabric::completed;
using flowfabric::Context;
using flowfabric::failed;
using flowfabric::Millis;
using flowfabric::Runtime;

class Ch07Runtime : public ::testing::TestWithParam<std::string> {
  protected:
    DoorWorld& world = door_world(GetParam());
    const flowfabric::AdminClient& client = world.client();
    std::string lane = DoorWorld::unique("lane");

    Runtime runtime(std::size_t concurrent = 8) {
        Runtime made(world.worker(lane));
        made.max_concurrent(concurrent);
        return made;
    }
    /// How often it was given back without having been begun.
    std::ptrdiff_t returns(const std::string& id) {
        const auto history = client.lease_history(id).value().events;
        return std::count_if(history.begin(), history.end(),
                             [](const auto& event) { return event.reason == "returned"; });
    }
    std::string category(const std::string& id) {
        EXPECT_EQ(world.ending(id), "failed");
        const auto attempts = client.list_attempts(id).value();
        return attempts.empty() ? "no attempt" : attempts.back().failure_category;
    }
};

struct Doubler {
    std::atomic<int> calls = 0;
};

TEST_P(Ch07Runtime, CompletesWithWhatHandlersReturnManyAtATime) {
    Runtime worker = runtime();
    const auto doubler = std::make_shared<Doubler>();
    worker.data(doubler).on("double", [](Context& context) {
        ++context.data<Doubler>().calls;
        return completed(std::to_string(2 * context.json()["n"].integer()));
    });
    std::vector<std::string> ids;
    for (int i = 0; i < 60; ++i)
        ids.push_back(world.submit(lane, R"({"n":)" + std::to_string(i) + "}", "double"));
    worker.start();
    for (int i = 0; i < 60; ++i) {
        EXPECT_EQ(world.ending(ids[static_cast<std::size_t>(i)]), "completed");
        EXPECT_EQ(client.get_result(ids[static_cast<std::size_t>(i)]).value(),
                  std::to_string(2 * i));
    }
    worker.stop();
    EXPECT_EQ(doubler->calls, 60);
}

TEST_P(Ch07Runtime, RunsAsManyHandlersAtATimeAsItMay) {
    constexpr int kAtATime = 8;
    Runtime worker = runtime(kAtATime);
    std::atomic<int> begun = 0;
    worker.on("meet", [&](Context&) {
        ++begun;
        return wait_until([&] { return begun >= kAtATime; }) ? completed() : failed("alone");
    });
    std::vector<std::string> ids;
    for (int i = 0; i < kAtATime; ++i) ids.push_back(world.submit(lane, "{}", "meet"));
    worker.start();
    for (const std::string& id : ids) EXPECT_EQ(world.ending(id), "completed");
    worker.stop();
}

TEST_P(Ch07Runtime, NoResultWaitsForAHandlerThatTakesLong) {
    Runtime worker = runtime(2);
    const std::string quick = world.submit(lane, "{}", "quick");
    std::atomic<bool> seen = false;
    worker.on("quick", [](Context&) { return completed(); }).on("long", [&](Context&) {
        seen = wait_until([&] { return world.state(quick) == "completed"; });
        return completed();
    });
    const std::string slow = world.submit(lane, "{}", "long");
    worker.start();
    EXPECT_EQ(world.ending(slow), "completed");
    EXPECT_TRUE(seen);
    worker.stop();
}

TEST_P(Ch07Runtime, WhatWasClaimedAheadGoesToOthersWhenHandlersTakeLong) {
    constexpr int kShort = 60;
    std::atomic<int> held = 0;
    std::atomic<bool> go = false;
    const auto handlers = [&](Runtime& worker) {
        worker.on("quick", [](Context&) { return completed(); }).on("long", [&](Context&) {
            ++held;
            return wait_until([&] { return go.load(); }) ? completed() : failed("never told");
        });
    };
    std::vector<std::string> quick;
    std::vector<std::string> slow;
    for (int i = 0; i < kShort; ++i) quick.push_back(world.submit(lane, "{}", "quick"));
    for (int i = 0; i < 2; ++i) slow.push_back(world.submit(lane, "{}", "long"));
    for (int i = 0; i < kShort / 10; ++i) quick.push_back(world.submit(lane, "{}", "quick"));
    Runtime busy = runtime(2);
    handlers(busy);
    busy.start();
    ASSERT_TRUE(wait_until([&] { return held == 2; }));
    Runtime free = runtime(2);
    handlers(free);
    free.start();
    for (const std::string& id : quick) EXPECT_EQ(world.ending(id), "completed");
    go = true;
    for (const std::string& id : slow) EXPECT_EQ(world.ending(id), "completed");
    busy.stop();
    free.stop();
}

TEST_P(Ch07Runtime, WhatWasClaimedAheadIsNewToWhomeverItGoes) {
    constexpr int kShort = 60;
    std::atomic<int> held = 0;
    std::atomic<bool> go = false;
    std::mutex mutex;
    std::multiset<std::string> types;
    const auto quick = [&](Context& context) {
        const std::lock_guard lock(mutex);
        types.insert(context.info().attempt_type);
        return completed();
    };
    for (int i = 0; i < kShort; ++i) world.submit(lane, "{}", "quick");
    for (int i = 0; i < 2; ++i) world.submit(lane, "{}", "long");
    std::vector<std::string> behind;
    for (int i = 0; i < 6; ++i) behind.push_back(world.submit(lane, "{}", "quick"));
    Runtime busy = runtime(2);
    busy.on("quick", quick).on("long", [&](Context&) {
        ++held;
        return wait_until([&] { return go.load(); }) ? completed() : failed("never told");
    });
    busy.start();
    ASSERT_TRUE(wait_until([&] { return held == 2; }));
    // Whoever stops does not wait until they have waited for too long.
    std::jthread stops([&] { busy.stop(); });
    Runtime next = runtime(2);
    next.on("quick", quick);
    next.start();
    for (const std::string& id : behind) EXPECT_EQ(world.ending(id), "completed");
    go = true;
    next.stop();
    stops.join();
    EXPECT_EQ(types.count("initial"), types.size());
    EXPECT_EQ(types.size(), static_cast<std::size_t>(kShort) + behind.size());
    for (const std::string& id : behind) {
        EXPECT_EQ(client.list_attempts(id).value().size(), 1U);
    }
}

TEST_P(Ch07Runtime, S52_FailuresCarryTheCategoryOfTheirCause) {
    Runtime worker = runtime();
    worker
        .on("throws",
            [](Context&) -> flowfabric::HandlerResult {
                throw std::runtime_error("broken pipe to the moon");
            })
        .on("panics", [](Context&) -> flowfabric::HandlerResult { throw 42; })
        .on("returns", [](Context&) { return failed("no"); })
        .on("decodes", [](Context& context) { return completed(context.json().dump()); })
        .on("misses", [](Context& context) {
            context.data<Doubler>().calls = 1;
            return completed();
        });
    const std::string throws = world.submit(lane, "{}", "throws");
    const std::string panics = world.submit(lane, "{}", "panics");
    const std::string returns = world.submit(lane, "{}", "returns");
    const std::string decodes = world.submit(lane, "not json", "decodes");
    const std::string misses = world.submit(lane, "{}", "misses");
    const std::string unknown = world.submit(lane, "{}", "unheard-of");
    worker.start();
    EXPECT_EQ(category(throws), "handler_error");
    EXPECT_EQ(client.describe_execution(throws).value().failure_reason, "broken pipe to the moon");
    EXPECT_EQ(category(panics), "handler_panic");
    EXPECT_EQ(category(returns), "handler_error");
    EXPECT_EQ(category(decodes), "extractor_payload_decode");
    EXPECT_EQ(category(misses), "extractor_missing_state");
    EXPECT_EQ(category(unknown), "runtime_no_handler");
    worker.stop();
}

TEST_P(Ch07Runtime, AHandlerMayEndItsTaskItself) {
    Runtime worker = runtime();
    worker.on("work", [](Context& context) {
        EXPECT_TRUE(context.task().append_frame("token", "hi").has_value());
        EXPECT_TRUE(context.task().complete("by hand").has_value());
        return failed("not used");
    });
    const std::string id = world.submit(lane);
    worker.start();
    EXPECT_EQ(world.ending(id), "completed");
    EXPECT_EQ(client.get_result(id).value(), "by hand");
    worker.stop();
}

TEST_P(Ch07Runtime, StopWaitsForHandlersAndReleasesWhatDoesNotEnd) {
    std::atomic<bool> begun = false;
    std::atomic<bool> asked = false;
    std::atomic<bool> leave = false;
    Runtime worker = runtime();
    worker.on("slow", [&](Context& context) {
        begun = true;
        while (!leave) {
            asked = context.stop_token().stop_requested();
            std::this_thread::sleep_for(Millis(2));
        }
        return completed();
    });
    const std::string id = world.submit(lane, "{}", "slow");
    worker.start();
    ASSERT_TRUE(wait_until([&] { return begun.load(); }));
    worker.stop(Millis(200));
    EXPECT_TRUE(wait_until([&] { return asked.load(); }));
    EXPECT_TRUE(wait_until([&] { return world.state(id) != "active"; })) << world.state(id);
    leave = true;
}

TEST_P(Ch07Runtime, WhatItHasNoHandlerForIsNewToTheNextWorker) {
    Runtime stranger = runtime();
    stranger.unknown_kind(flowfabric::UnknownKind::Release);
    const std::string id = world.submit(lane, "{}", "work");
    stranger.start();
    ASSERT_TRUE(wait_until([&] { return returns(id) > 0; }));
    stranger.stop();
    Runtime worker = runtime();
    std::string type;
    worker.on("work", [&](Context& context) {
        type = context.info().attempt_type;
        return completed();
    });
    worker.start();
    EXPECT_EQ(world.ending(id), "completed");
    worker.stop();
    EXPECT_EQ(type, "initial");
    EXPECT_EQ(client.list_attempts(id).value().size(), 1U);
}

/// Whatever stands in front of it.
TEST_P(Ch07Runtime, S70_WhoReleasesUnknownKindsIsGivenItsOwnOnly) {
    constexpr int kOthers = 20;
    std::vector<std::string> others;
    for (int i = 0; i < kOthers; ++i) others.push_back(world.submit(lane, "{}", "other"));
    const std::string id = world.submit(lane, "{}", "work");
    Runtime worker = runtime();
    worker.unknown_kind(flowfabric::UnknownKind::Release);
    worker.on("work", [](Context&) { return completed(); });
    worker.start();
    EXPECT_EQ(world.ending(id), "completed");
    // It waits by now, and is told of what it can do.
    EXPECT_EQ(world.ending(world.submit(lane, "{}", "work")), "completed");
    worker.stop();
    for (const std::string& other : others) EXPECT_EQ(returns(other), 0) << other;
}

TEST_P(Ch07Runtime, StopsAtOnceWhileItWaitsForWork) {
    Runtime worker = runtime();
    worker.on("work", [](Context&) { return completed(); });
    worker.start();
    const std::string id = world.submit(lane);
    EXPECT_EQ(world.ending(id), "completed");
    const auto before = std::chrono::steady_clock::now();
    worker.stop(Millis(10'000));
    EXPECT_LT(std::chrono::steady_clock::now() - before, Millis(5'000));
}

/// A store in the same process has no outage.
class Ch07RemoteRuntime : public Ch07Runtime {};

TEST_P(Ch07RemoteRuntime, S53_GoesOnAfterAnOutage) {
    Runtime worker = runtime();
    std::atomic<int> calls = 0;
    worker.on("work", [&](Context&) {
        ++calls;
        return completed();
    });
    worker.start();
    EXPECT_EQ(world.ending(world.submit(lane)), "completed");
    world.cut_off([] { std::this_thread::sleep_for(Millis(5'000)); });
    std::string id;
    ASSERT_TRUE(wait_until([&] {
        const auto created = client.create_execution({.kind = "work", .lane = lane});
        if (created) id = created->execution_id;
        return created.has_value();
    }));
    EXPECT_EQ(world.ending(id), "completed");
    worker.stop();
}

INSTANTIATE_TEST_SUITE_P(Doors, Ch07Runtime, ::testing::Values("http", "direct", "inprocess"),
                         [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(Doors, Ch07RemoteRuntime, ::testing::Values("http", "direct"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ff::testing
