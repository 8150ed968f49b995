#include "hub/completion_listener.h"

#include <algorithm>
#include <chrono>
#include <map>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include "engine/flow_build.h"
#include "hub/attempts.h"
#include "model/exec_keys.h"
#include "model/global_keys.h"
#include "model/index_keys.h"
#include "sched/world.h"

namespace ff::testing {
namespace {

using hub::Completion;
using Steady = std::chrono::steady_clock;

/// Notes what it was asked for, and can be held up.
class NotingCascade final : public hub::Cascade {
  public:
    explicit NotingCascade(boost::asio::io_context& loop)
        : gate_(loop, boost::asio::steady_timer::time_point::max()) {}

    Task<Done> run(Completion completion) override {
        ++asked[completion.execution_id];
        ++under_way[completion.execution_id];
        twice_at_once = twice_at_once || under_way[completion.execution_id] > 1;
        ++now;
        most_at_once = std::max(most_at_once, now);
        if (held) co_await gate_.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
        --now;
        --under_way[completion.execution_id];
        if (failures > 0) {
            --failures;
            co_return Error{.code = "storage_error", .cls = ErrorClass::Retryable};
        }
        co_return Done{};
    }
    void let_go() {
        held = false;
        gate_.cancel();
    }

    std::map<model::ExecutionId, int> asked{};
    std::map<model::ExecutionId, int> under_way{};
    bool twice_at_once = false;
    std::size_t now = 0;
    std::size_t most_at_once = 0;
    bool held = false;
    int failures = 0;

  private:
    boost::asio::steady_timer gate_;
};

class ListenerTest : public ::testing::TestWithParam<std::string> {
  protected:
    void TearDown() override {
        cascade.let_go();
        run(world.loop(), listener->stop());
    }
    void start(hub::ListenerOptions options = {}) {
        options.retry_pauses = {Millis(1), Millis(1)};
        listener = std::make_unique<hub::CompletionListener>(
            world.loop().get_executor(), world.store(), cascade, std::move(options));
        listener->start();
        // It looks for what it missed once it is subscribed.
        EXPECT_TRUE(run_until(world.loop(), [&] { return listener->passes() == 1; }));
    }
    Completion completion() {
        const auto flow = model::FlowId::mint(world.random());
        const auto id = model::ExecutionId::for_flow(flow, world.partitions(), world.random());
        return {.execution_id = id, .flow_id = flow};
    }
    void publish(const Completion& completion) {
        publish(R"({"extra":1,"execution_id":")" + completion.execution_id.to_string() +
                R"(","flow_id":")" + completion.flow_id.to_string() + R"("})");
    }
    void publish(const std::string& message) {
        world.command({"PUBLISH", model::kDagCompletionsChannel, message});
    }
    bool asked_for(const Completion& completion) {
        return run_until(world.loop(),
                         [&] { return cascade.asked.contains(completion.execution_id); });
    }

    World& world = world_of(GetParam());
    NotingCascade cascade{world.loop()};
    std::unique_ptr<hub::CompletionListener> listener{};
};

class Completions : public ListenerTest {};

TEST_P(Completions, AreCascadedAndMalformedOnesDropped) {
    start();
    publish("nonsense");
    publish(R"({"execution_id":"{fp:300}:00000000-0000-4000-8000-000000000000"})");
    const Completion good = completion();
    publish(good);
    ASSERT_TRUE(asked_for(good));
    EXPECT_EQ(listener->malformed(), 2U);
    EXPECT_TRUE(run_until(world.loop(), [&] { return listener->done() == 1; }));
}

TEST_P(Completions, RunSideBySideButNeverTwiceAtOnce) {
    hub::ListenerOptions options;
    options.concurrency = 3;
    options.queue_max = 2;
    start(options);
    cascade.held = true;
    std::vector<Completion> all;
    for (int i = 0; i < 8; ++i) all.push_back(completion());
    publish(all[0]);
    publish(all[0]);
    for (const Completion& one : all) publish(one);
    ASSERT_TRUE(run_until(world.loop(), [&] { return cascade.now == 3; }));
    cascade.let_go();
    for (const Completion& one : all) ASSERT_TRUE(asked_for(one));
    ASSERT_TRUE(run_until(world.loop(), [&] { return listener->running() == 0; }));
    EXPECT_EQ(cascade.most_at_once, 3U);
    EXPECT_FALSE(cascade.twice_at_once);
    EXPECT_EQ(cascade.asked[all[0].execution_id], 2);
}

TEST_P(Completions, AreTriedAgainWhenTheStoreFails) {
    cascade.failures = 2;
    start();
    const Completion one = completion();
    publish(one);
    ASSERT_TRUE(run_until(world.loop(), [&] { return listener->done() == 1; }));
    EXPECT_EQ(cascade.asked[one.execution_id], 3);
    EXPECT_EQ(listener->failed(), 0U);
    cascade.failures = 3;
    publish(completion());
    ASSERT_TRUE(run_until(world.loop(), [&] { return listener->failed() == 1; }));
}

/// What was published while nobody listened is found where the functions marked it.
TEST_P(Completions, ThatWereMissedAreTakenUpAtTheStart) {
    const Completion missed = completion();
    const std::string id = missed.execution_id.to_string();
    const std::string pending =
        model::IndexKeys(missed.execution_id.partition_index()).cascade_pending();
    world.command({"HSET", model::ExecKeys(missed.execution_id).core(), "flow_id",
                   missed.flow_id.to_string()});
    world.command({"ZADD", pending, "1", id});
    start();
    EXPECT_TRUE(asked_for(missed));
    world.command({"ZREM", pending, id});
}

/// More edges than a completing call resolves itself.
constexpr std::size_t kChildren = 150;

class Ch04Promotion : public ::testing::TestWithParam<std::string> {
  protected:
    struct Fan {
        model::FlowId flow;
        model::LaneId lane;
        model::ExecutionId first;
        std::vector<model::ExecutionId> children{};
    };
    model::ExecutionId new_member(const model::FlowId& flow) {
        return model::ExecutionId::for_flow(flow, world.partitions(), world.random());
    }
    static std::string node(const Fan& fan, const model::ExecutionId& id) {
        return R"({"eid":")" + id.to_string() + R"(","lane":")" + fan.lane.text() +
               R"(","kind":"noop","priority":0,"creator":"me","policy":"","payload":-1,)" +
               R"("delay_until":"","deadline_at":""})";
    }
    std::string edge(const Fan& fan, const model::ExecutionId& child) {
        return R"({"id":")" + model::EdgeId::mint(world.random()).to_string() + R"(","up":")" +
               fan.first.to_string() + R"(","down":")" + child.to_string() +
               R"(","kind":"success_only","data":""})";
    }
    /// A flow of one and many after it.
    Fan submit(std::string_view lane_name) {
        const auto flow = model::FlowId::mint(world.random());
        Fan fan{.flow = flow, .lane = world.lane(lane_name), .first = new_member(flow)};
        std::string nodes = node(fan, fan.first);
        std::string edges;
        for (std::size_t i = 0; i < kChildren; ++i) {
            const model::ExecutionId child = new_member(flow);
            nodes += "," + node(fan, child);
            edges += (i > 0 ? "," : "") + edge(fan, child);
            fan.children.push_back(child);
        }
        std::string plan = R"({"flow":{"flow_kind":"test","namespace":"acme","seal":true},)";
        plan += R"("nodes":[)" + nodes + R"(],"edges":[)" + edges + "]}";
        world.must(engine::SubmitFlow{.flow = {.id = flow, .partitions = world.partitions()},
                                      .plan_json = std::move(plan)});
        return fan;
    }
    void finish_first(const Fan& fan) {
        const engine::ClaimedTask task = claim_one(world, fan.lane, fan.first);
        complete(world, {.lane = fan.lane, .task = task});
    }
    std::size_t eligible(const Fan& fan) {
        std::size_t count = 0;
        for (const model::ExecutionId& child : fan.children) {
            if (world.core_field(child, "eligibility_state") == "eligible_now") ++count;
        }
        return count;
    }
    /// The message was heard: a cascade has come to this one.
    bool has_reached_last(const Fan& fan) {
        return world.core_field(fan.children.back(), "eligibility_state") == "eligible_now";
    }
    bool promotes(const Fan& fan) {
        return run_until(world.loop(), [&] { return eligible(fan) == kChildren; });
    }

    World& world = world_of(GetParam());
    hub::StoreCascade cascade{world.store(), world.partitions()};
};

TEST_P(Ch04Promotion, S56_TheNextMembersAreEligibleAtOnceOrAfterTheStart) {
    const Fan missed = submit("a");
    finish_first(missed);
    EXPECT_EQ(eligible(missed), 0U);
    hub::CompletionListener listener(world.loop().get_executor(), world.store(), cascade, {});
    listener.start();
    EXPECT_TRUE(promotes(missed));

    // A busy machine may make one of them late; if it were not the message that wakes, all were.
    auto soonest = Steady::duration::max();
    for (const char* lane : {"b", "c", "d", "e", "f"}) {
        const Fan fan = submit(lane);
        const auto finishing = Steady::now();
        finish_first(fan);
        EXPECT_TRUE(run_until(world.loop(), [&] { return has_reached_last(fan); }));
        soonest = std::min(soonest, Steady::now() - finishing);
        EXPECT_TRUE(promotes(fan));
    }
    EXPECT_LT(soonest, Millis(200));
    EXPECT_EQ(listener.failed(), 0U);
    run(world.loop(), listener.stop());
}

INSTANTIATE_TEST_SUITE_P(Hosts, Ch04Promotion, ::testing::Values("embedded", "valkey", "cluster"),
                         [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(Hosts, Completions, ::testing::Values("embedded", "valkey", "cluster"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ff::testing
