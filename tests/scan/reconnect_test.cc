#include <gtest/gtest.h>

#include "engine/end_execution.h"
#include "engine/flow_build.h"
#include "hub/completion_listener.h"
#include "model/global_keys.h"
#include "model/library.h"
#include "scan/scan_world.h"
#include "support/log_capture.h"
#include "support/valkey_server.h"
#include "valkey/valkey_store.h"

namespace ff::testing {
namespace {

class Ch04Reconnect : public ScanTest {
  protected:
    static constexpr int kFlows = 20;
    static constexpr int kPairs = 100;

    struct Pairs {
        model::FlowId flow;
        std::vector<model::ExecutionId> upstreams{};
        std::vector<model::ExecutionId> children{};
    };
    static std::string node(const model::ExecutionId& id, const model::LaneId& lane,
                            const std::string& more) {
        return R"({"eid":")" + id.to_string() + R"(","lane":")" + lane.text() +
               R"(","kind":"noop","priority":0,"creator":"me","policy":"","payload":-1,)" +
               R"("delay_until":"","deadline_at":"")" + more + "}";
    }
    /// Each upstream has one child, in a group that only a cascade resolves.
    Pairs submit(const model::LaneId& lane) {
        Pairs made{.flow = model::FlowId::mint(world.random())};
        std::string nodes;
        std::string edges;
        for (int i = 0; i < kPairs; ++i) {
            const auto mint = [&] {
                return model::ExecutionId::for_flow(made.flow, world.partitions(), world.random());
            };
            made.upstreams.push_back(mint());
            made.children.push_back(mint());
            const std::string comma = i > 0 ? "," : "";
            nodes += comma + node(made.upstreams.back(), lane, "") + ",";
            nodes += node(made.children.back(), lane,
                          R"(,"join":{"policy":"any_of","on_satisfied":"cancel_remaining"})");
            edges += comma + R"({"id":")" + model::EdgeId::mint(world.random()).to_string() +
                     R"(","up":")" + made.upstreams.back().to_string() + R"(","down":")" +
                     made.children.back().to_string() + R"(","kind":"success_only","data":""})";
        }
        std::string plan = R"({"flow":{"flow_kind":"test","namespace":"acme","seal":true},)";
        plan += R"("nodes":[)" + nodes + R"(],"edges":[)" + edges + "]}";
        world.must(engine::SubmitFlow{.flow = {.id = made.flow, .partitions = world.partitions()},
                                      .plan_json = std::move(plan)});
        return made;
    }
    void complete_all(const Pairs& pairs, const model::LaneId& lane) {
        std::vector<engine::CompleteExecution> ends;
        for (const auto& task : claim(lane, pairs.upstreams[0].partition(), kPairs)) {
            ends.push_back({.execution_id = task.execution_id, .fence = task.fence});
        }
        ASSERT_EQ(ends.size(), static_cast<std::size_t>(kPairs));
        const auto outcomes = run(world.loop(), engine::run_all(world.store(), std::move(ends)));
        for (const auto& outcome : outcomes) ASSERT_TRUE(outcome.has_value());
    }
    bool all_promoted(const Pairs& pairs) {
        return until([&] {
            return std::ranges::all_of(pairs.children, [&](const auto& id) {
                return field(id, "eligibility_state") == "eligible_now";
            });
        });
    }
    void publish(const std::string& message) {
        world.command({"PUBLISH", model::kDagCompletionsChannel, message});
    }
    static std::string message_of(const model::ExecutionId& id, const model::FlowId& flow) {
        return R"({"execution_id":")" + id.to_string() + R"(","flow_id":")" + flow.to_string() +
               R"(","outcome":"success"})";
    }
};

TEST_P(Ch04Reconnect, S57_AllChildrenArePromotedAfterTheSubscriberWasCutOff) {
    hub::StoreCascade cascade(world.store(), world.partitions());
    hub::CompletionListener listener(world.loop().get_executor(), world.store(), cascade,
                                     {.partitions = world.partitions()});
    listener.start();
    ASSERT_TRUE(until([&] { return listener.passes() == 1; }));
    std::vector<Pairs> all;
    bool cut = false;
    for (int i = 0; i < kFlows; ++i) {
        const auto lane = world.lane("cut" + std::to_string(i));
        all.push_back(submit(lane));
        // Again and again in the middle of it.
        if (i % 5 == 2) cut = world.cut("pubsub");
        complete_all(all.back(), lane);
    }
    for (const Pairs& pairs : all) ASSERT_TRUE(all_promoted(pairs));
    if (cut) {
        EXPECT_GE(listener.passes(), 2U);
    }

    ASSERT_TRUE(until([&] { return listener.running() == 0; }));
    const std::uint64_t malformed = listener.malformed();
    const std::uint64_t done = listener.done();
    const auto& again = all.front();
    const std::string transition = field(again.children[0], "last_transition_at");
    const LogCapture logs;
    publish("nonsense");
    publish(message_of(again.upstreams[0], again.flow));
    ASSERT_TRUE(until([&] { return listener.done() == done + 1; }));
    EXPECT_EQ(listener.malformed(), malformed + 1);
    EXPECT_EQ(logs.count("completion_malformed"), 1U);
    EXPECT_EQ(field(again.children[0], "last_transition_at"), transition);
    run(world.loop(), listener.stop());
}

INSTANTIATE_TEST_SUITE_P(Hosts, Ch04Reconnect, ::testing::Values("embedded", "valkey", "cluster"),
                         [](const auto& info) { return info.param; });

/// A Valkey that can be restarted, and a store over it.
class Ch01Subscriber : public ::testing::Test {
  protected:
    void SetUp() override {
        valkey::Options options{.addresses = {{.host = "127.0.0.1", .port = server.port()}}};
        options.library = valkey::Library{.source = std::string(model::library_text()),
                                          .version = model::library_version(),
                                          .digest = std::string(model::library_digest())};
        auto opened = run(loop, valkey::ValkeyStore::open(loop.get_executor(), random, probe,
                                                          std::move(options)));
        ASSERT_TRUE(opened.has_value()) << opened.error().text();
        store = *std::move(opened);
        ASSERT_TRUE(run(loop, store->ensure_library()).has_value());
    }
    void TearDown() override {
        if (store) run(loop, store->stop());
    }

    ValkeyServer server = ValkeyServer::start({.arguments = {"--appendonly", "yes"}});
    boost::asio::io_context loop{1};
    SecureRandom random{};
    valkey::Probe probe{};
    std::unique_ptr<valkey::ValkeyStore> store{};
};

TEST_F(Ch01Subscriber, S42_AfterARestartOfTheStoreItLooksForWhatItMissedAtOnce) {
    const model::PartitionConfig partitions;
    hub::StoreCascade cascade(*store, partitions);
    hub::CompletionListener listener(loop.get_executor(), *store, cascade,
                                     {.partitions = partitions});
    SystemClock clock;
    scan::Options options;
    for (auto& interval : options.intervals) interval = Millis(3'600'000);
    CountingProbe counts;
    scan::Scanners scanners(loop.get_executor(), *store, clock, random, options, counts);
    listener.start();
    scanners.start();
    ASSERT_TRUE(run_until(loop, [&] { return listener.passes() == 1 && scanners.listening(); }));
    const auto cycles = [&] { return counts.of[scan::Kind::CascadeDrainer].cycles; };
    ASSERT_TRUE(run_until(loop, [&] { return cycles() == 1; }));
    server.restart();
    // Both the listener and the drainer, whose next cycle is an hour away.
    EXPECT_TRUE(run_until(loop, [&] { return listener.passes() >= 2; }));
    EXPECT_TRUE(run_until(loop, [&] { return cycles() >= 2; }));
    run(loop, listener.stop());
    EXPECT_TRUE(run(loop, scanners.stop(Deadline::after(kPatience))));
}

}  // namespace
}  // namespace ff::testing
