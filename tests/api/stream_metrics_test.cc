#include <future>

#include "api/stream_world.h"
#include "model/index_keys.h"

namespace ff::testing {
namespace {

/// What chapters 04 and 05 promise in /metrics, after it happened.
class Metrics : public StreamApi {
  protected:
    std::string figures() { return world().connect().get("/metrics").body; }
    /// The value of a series, with its labels; -1 when there is none.
    double value(const std::string& series) {
        const std::string text = figures();
        const std::size_t at = text.find("\n" + series + " ");
        return at == text.npos ? -1 : std::stod(text.substr(at + series.size() + 2));
    }
    bool becomes(const std::string& series, double wanted) {
        return wait_until([&] { return value(series) == wanted; });
    }
};

TEST_P(Metrics, TellOfStreamsAndTheirPools) {
    WorldOptions options;
    options.settings.pools.stream_ops = 1;
    options.settings.pools.sse = 1;
    world(options);
    const Held held = start(R"({"stream_policy":{"retention_maxlen":5}})");
    EXPECT_EQ(value("ff_stream_ops_in_flight"), 0);
    auto tail = std::async(std::launch::async,
                           [&] { return world().get(held.stream("/tail?block_ms=30000")); });
    ASSERT_TRUE(becomes("ff_stream_ops_in_flight", 1));
    EXPECT_EQ(world().get(held.stream()).status, 429);
    EXPECT_EQ(world().get(held.stream()).status, 429);
    EXPECT_EQ(value(R"(ff_stream_ops_rejected_total{pool="stream_ops"})"), 2);
    for (int i = 0; i < 9; ++i) {
        ASSERT_EQ(
            world()
                .post(held.stream(), "{" + held.lease() + R"(,"frames":[{"frame_type":"t"}]})")
                .status,
            200);
    }
    EXPECT_EQ(tail.get().status, 200);
    SseClient events(world(), held.stream("/sse"));
    EXPECT_EQ(events.next().event, "gap");
    EXPECT_EQ(value("ff_stream_gap_frames_total"), 4);
    EXPECT_EQ(value("ff_sse_connections"), 1);
    const SseClient refused(world(), held.stream("/sse"));
    EXPECT_FALSE(refused.ok());
    EXPECT_EQ(value(R"(ff_stream_ops_rejected_total{pool="sse"})"), 1);
    EXPECT_TRUE(becomes("ff_stream_ops_in_flight", 0));
}

TEST_P(Metrics, TellOfFeeds) {
    const Held held = start();
    const std::uint16_t partition = held.task.execution_id.partition_index();
    const std::string target =
        "/v1/streams/completion?partition=" + std::to_string(partition) + "&cursor=";
    const std::string before = world().get(target).text("cursor");
    complete(held);
    EXPECT_EQ(world().get(target + before).json().find("events")->size(), 1U);
    EXPECT_EQ(value(R"(ff_feed_lag_seconds_count{family="completion"})"), 1);
    // In time, or the clocks of this test's processes differ.
    EXPECT_EQ(value(R"(ff_feed_lag_seconds_bucket{family="completion",le="10"})"), 1);
    world().command({"DEL", model::IndexKeys(partition).events()});
    const JsonReply lost = world().get(target + before);
    EXPECT_EQ(lost.json().find("gaps")->size(), 1U) << lost.body;
    EXPECT_EQ(value(R"(ff_feed_gap_events_total{family="completion"})"), 1);
}

TEST_P(Metrics, TellOfFlows) {
    constexpr int kChildren = 150;
    WorldOptions options;
    options.settings.scanner_intervals["cancel_reconciler"] = Millis(100);
    // It would resolve some edges in the place of the cascade that is counted here.
    options.settings.scanner_intervals["dependency_reconciler"] = std::chrono::hours(1);
    world(options);
    // Its first cycle comes soon after the start whatever the interval; it must be over.
    ASSERT_TRUE(becomes(R"(ff_scanner_cycle_total{scanner="dependency_reconciler"})", 1));
    std::string nodes = R"({"name":"first"})";
    for (int i = 0; i < kChildren; ++i)
        nodes += R"(,{"name":"n)" + std::to_string(i) + R"(","depends_on":["first"]})";
    const JsonReply flow =
        world().post("/v1/flows/submit", R"({"namespace":"acme","nodes":[)" + nodes + "]}");
    ASSERT_EQ(flow.status, 201) << flow.body.substr(0, 300);
    const JsonReply claimed = world().post(
        "/v1/workers/pool/tasks/claim", R"({"worker_instance_id":"pool-1","lanes":["default"]})");
    ASSERT_EQ(claimed.json().find("tasks")->size(), 1U) << claimed.body;
    const json::Value task = claimed.json().find("tasks")->element(0);
    const std::string id(*task.find("execution_id")->as_string());
    const std::string token(*task.find("task_token")->as_string());
    ASSERT_EQ(world()
                  .post("/v1/executions/" + encode(id) + "/complete",
                        R"({"task_token":")" + token + "\"}")
                  .status,
              200);
    EXPECT_TRUE(becomes("ff_cascade_edges_resolved_total", kChildren))
        << value("ff_cascade_edges_resolved_total");
    EXPECT_TRUE(becomes(R"(ff_completion_dispatch_total{result="ok"})", 1));
    EXPECT_EQ(value("ff_completion_dispatch_lag_seconds_count"), 1);
    EXPECT_TRUE(becomes("ff_cascade_pending", 0));
    EXPECT_EQ(value("ff_dependency_reconciled_total"), 0);
    ASSERT_EQ(world().post("/v1/flows/" + flow.text("flow_id") + "/cancel?wait=1", "{}").status,
              200);
    EXPECT_TRUE(becomes(R"(ff_cancel_member_total{disposition="cancelled"})", kChildren));
    world().command({"PUBLISH", "ff:dag:completions", "nonsense"});
    EXPECT_TRUE(becomes(R"(ff_completion_dispatch_total{result="malformed"})", 1));
}

INSTANTIATE_TEST_SUITE_P(Stores, Metrics, ::testing::Values("embedded", "valkey", "cluster"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ff::testing
