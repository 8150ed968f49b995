#include <algorithm>
#include <chrono>
#include <fstream>
#include <future>

#include <unistd.h>

#include "api/stream_world.h"
#include "engine/end_execution.h"
#include "engine/stream.h"

namespace ff::testing {
namespace {

class Ch04Http : public StreamApi {};

/// A request that waits, on a thread of its own.
std::future<JsonReply> later(ServerWorld& world, std::string target) {
    return std::async(std::launch::async,
                      [&world, target = std::move(target)] { return world.get(target); });
}

TEST_P(Ch04Http, S02_BytesComeBackAsTheyWere) {
    const Held held = start();
    const JsonReply appended = world().post(
        held.stream(), "{" + held.lease() +
                           R"(,"frames":[{"frame_type":"blob","payload_base64":"AP+ACg=="},)" +
                           R"({"frame_type":"text","payload":"grün"}]})");
    ASSERT_EQ(appended.status, 200) << appended.body;
    EXPECT_EQ(appended.integer("frame_count"), 2);
    EXPECT_EQ(appended.integer("duplicates"), 0);
    const JsonReply read = world().get(held.stream());
    ASSERT_EQ(frame_ids(read).size(), 2U) << read.body;
    EXPECT_NE(read.body.find(R"("payload_base64":"AP+ACg==")"), std::string::npos) << read.body;
    EXPECT_NE(read.body.find(R"("payload":"grün")"), std::string::npos);
    EXPECT_NE(read.body.find(R"("encoding":"binary")"), std::string::npos);
    const JsonReply forced = world().get(held.stream("?payload=base64"));
    EXPECT_EQ(forced.body.find(R"("payload":)"), std::string::npos);
}

TEST_P(Ch04Http, S11_ARepeatedBatchCountsOnce) {
    const Held held = start();
    const std::string body = "{" + held.lease() +
                             R"(,"frames":[{"frame_type":"t","payload":"a","seq":1},)" +
                             R"({"frame_type":"t","payload":"b","seq":2}]})";
    EXPECT_EQ(world().post(held.stream(), body).integer("frame_count"), 2);
    const JsonReply again = world().post(held.stream(), body);
    EXPECT_EQ(again.status, 200) << again.body;
    EXPECT_EQ(again.integer("duplicates"), 2);
    EXPECT_EQ(again.integer("frame_count"), 2);
}

TEST_P(Ch04Http, S27_LargeAnswersAreCutAndNothingIsSkipped) {
    constexpr int kFrames = 1000;
    constexpr std::size_t kSize = 65536;
    const Held held = start();
    for (int i = 0; i < kFrames; i += 16) append(held, i, std::min(16, kFrames - i), kSize);
    std::int64_t seen = 0;
    std::string from = "-";
    bool more = true;
    int pages = 0;
    while (more) {
        const JsonReply page = world().get(held.stream("?limit=1000&from=" + from));
        ASSERT_EQ(page.status, 200) << page.body.substr(0, 300);
        ++pages;
        for (const std::string& id : frame_ids(page)) ASSERT_EQ(ordinal(id), ++seen);
        EXPECT_LE(page.body.size(), (std::size_t{8} << 20) + (std::size_t{1} << 20));
        more = page.flag("more");
        const std::string next = page.text("next");
        from = next.substr(0, next.find('-') + 1) + std::to_string(ordinal(next) + 1);
    }
    EXPECT_EQ(seen, kFrames);
    EXPECT_GE(pages, 8);
}

TEST_P(Ch04Http, S36_OneReadServesTwoHundredClients) {
    const Held held = start();
    append(held, 0, 1);
    const auto pages = [&] {
        return on_server<std::uint64_t>([&] { return world().services().stream_hub.pages_read(); });
    };
    std::vector<std::unique_ptr<SseClient>> clients;
    for (int i = 0; i < 200; ++i) {
        clients.push_back(std::make_unique<SseClient>(world(), held.stream("/sse")));
        ASSERT_TRUE(clients.back()->ok()) << clients.back()->head();
        EXPECT_EQ(ordinal(clients.back()->next().id), 1);
    }
    const std::uint64_t before = pages();
    append(held, 1, 1);
    for (const auto& client : clients) {
        const SseEvent event = client->next();
        EXPECT_EQ(event.event, "frame");
        EXPECT_EQ(ordinal(event.id), 2);
    }
    EXPECT_LE(pages() - before, 1U);
    EXPECT_EQ(on_server<std::size_t>([&] { return world().instance().pools().sse.used(); }), 200U);
    clients.clear();
    // At once, not with the next heartbeat.
    const auto none_left = [&] {
        return on_server<std::size_t>([&] { return world().instance().pools().sse.used(); }) == 0;
    };
    EXPECT_TRUE(wait_until(none_left, Millis(5'000)));
}

TEST_P(Ch04Http, S37_WhatIsOutOfRangeIsRefused) {
    const Held held = start();
    for (const char* query : {"/tail?block_ms=30001", "?limit=0", "?limit=1001", "/tail?limit=1001",
                              "/tail?after=-", "/tail?after=start", "?from=abc", "?to=1-x",
                              "?visibility=some", "?payload=hex", "/tail?block_ms=x"}) {
        const JsonReply reply = world().get(held.stream(query));
        EXPECT_EQ(reply.status, 400) << query << reply.body;
        EXPECT_EQ(reply.code(), "invalid_input") << query;
    }
    EXPECT_EQ(world().get(held.path("/attempts/5/stream")).status, 404);
    EXPECT_EQ(world().get(held.path("/attempts/5/stream/tail")).status, 404);
    EXPECT_EQ(world().get(held.path("/attempts/5/stream/tail?block_ms=100")).status, 404);
    EXPECT_EQ(world().get(held.path("/attempts/x/stream")).status, 400);
    const std::string unknown =
        "/v1/executions/" + encode("{fp:7}:11111111-2222-4333-8444-555555555555");
    EXPECT_EQ(world().get(unknown + "/attempts/0/stream").code(), "execution_not_found");
    EXPECT_EQ(world().get(unknown + "/attempts/0/stream/tail").status, 404);
    EXPECT_EQ(world().get(unknown + "/attempts/0/summary").status, 404);
    EXPECT_EQ(world().get(unknown + "/stream").status, 404);
    EXPECT_EQ(world().get(held.stream("?from=9-1&to=1-1")).status, 200);
    EXPECT_EQ(world().get(held.stream("/info")).code(), "stream_not_found");
    append(held, 0, 2);
    const JsonReply info = world().get(held.stream("/info"));
    EXPECT_EQ(info.integer("frame_count"), 2) << info.body;
    EXPECT_TRUE(info.flag("has_durable_frame"));
}

TEST_P(Ch04Http, S38_AFullPoolRefusesAtOnce) {
    WorldOptions options;
    options.settings.pools.stream_ops = 2;
    world(options);
    const Held held = start();
    auto first = later(world(), held.stream("/tail?block_ms=30000"));
    auto second = later(world(), held.stream("/tail?block_ms=30000"));
    ASSERT_TRUE(wait_until([&] {
        return on_server<std::size_t>(
                   [&] { return world().instance().pools().stream_ops.used(); }) == 2;
    }));
    const JsonReply refused = world().get(held.stream());
    EXPECT_EQ(refused.status, 429);
    EXPECT_EQ(refused.code(), "too_many_requests");
    EXPECT_NE(refused.text("error").find("stream_ops"), std::string::npos);
    EXPECT_NE(refused.text("error").find('2'), std::string::npos);
    EXPECT_TRUE(refused.flag("retryable"));
    EXPECT_EQ(refused.header("Retry-After"), "1");
    append(held, 0, 1);
    EXPECT_EQ(frame_ids(first.get()).size(), 1U);
    EXPECT_EQ(frame_ids(second.get()).size(), 1U);
    EXPECT_EQ(world().get(held.stream()).status, 200);
}

/// A client that hangs up gives its permit back long before its wait would end.
TEST_P(Ch04Http, S38_AClientThatHasGoneHoldsNoPermit) {
    const Held held = start();
    const auto used = [&] {
        return on_server<std::size_t>([&] { return world().instance().pools().stream_ops.used(); });
    };
    {
        HttpConnection gone = world().connect();
        ASSERT_TRUE(
            gone.send_raw(HttpConnection::encode("GET", held.stream("/tail?block_ms=30000")))
                .has_value());
        ASSERT_TRUE(wait_until([&] { return used() == 1; }));
    }
    EXPECT_TRUE(wait_until([&] { return used() == 0; }, Millis(3'000)));
}

TEST_P(Ch04Http, S39_AStopEndsWhatWaits) {
    const Held held = start();
    append(held, 0, 1);
    SseClient events(world(), held.stream("/sse"));
    EXPECT_EQ(events.next().event, "frame");
    auto tail = later(world(), held.stream("/tail?block_ms=30000&after=latest"));
    auto end = later(world(), held.path("/wait?block_ms=30000"));
    ASSERT_TRUE(wait_until([&] {
        return on_server<std::size_t>(
                   [&] { return world().instance().pools().stream_ops.used(); }) == 2;
    }));
    const auto began = std::chrono::steady_clock::now();
    world().on_loop([&] {
        api::Pools& pools = world().instance().pools();
        pools.stream_ops.close();
        pools.sse.close();
        world().services().stop_waiting();
    });
    EXPECT_EQ(tail.get().status, 200);
    EXPECT_TRUE(end.get().flag("timed_out"));
    EXPECT_EQ(events.next().event, "shutdown");
    EXPECT_TRUE(events.ends());
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(1));
    const JsonReply refused = world().get(held.stream());
    EXPECT_EQ(refused.status, 503);
    EXPECT_EQ(refused.code(), "shutting_down");
    EXPECT_TRUE(refused.flag("retryable"));
}

/// For two seconds no connection to the store lasts; what is appended meanwhile arrives.
TEST_P(Ch04Http, S40_ALostConnectionCostsAClientNothing) {
    constexpr int kFrames = 20;
    const Held held = start();
    append(held, 0, 1);
    SseClient events(world(), held.stream("/sse"));
    const std::string first = events.next().id;
    EXPECT_EQ(ordinal(first), 1);
    // Not `latest`: a slow machine may read which frame that is after the next one was appended.
    auto tail = later(world(), held.stream("/tail?block_ms=30000&after=" + first));
    ASSERT_TRUE(wait_until([&] {
        return on_server<std::size_t>(
                   [&] { return world().instance().pools().stream_ops.used(); }) == 1;
    }));
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    for (int i = 2; i <= kFrames; ++i) {
        world().cut_store_connections();
        const std::string body = "{" + held.lease() + R"(,"frames":[{"frame_type":"t","seq":)" +
                                 std::to_string(i) + "}]}";
        // The producer resends under the same number until it hears of it.
        ASSERT_TRUE(wait_until([&] { return world().post(held.stream(), body).status == 200; }));
        if (i == kFrames / 2) {
            while (std::chrono::steady_clock::now() < until) world().cut_store_connections();
        }
    }
    for (int i = 2; i <= kFrames; ++i) {
        const SseEvent event = events.next();
        ASSERT_EQ(event.event, "frame") << event.data;
        EXPECT_EQ(ordinal(event.id), i);
    }
    const JsonReply waited = tail.get();
    EXPECT_EQ(waited.status, 200) << waited.body;
    ASSERT_FALSE(frame_ids(waited).empty()) << waited.body;
    EXPECT_EQ(ordinal(frame_ids(waited).front()), 2);
}

TEST_P(Ch04Http, S41_AClientThatComesBackGoesOnWhereItWas) {
    const Held held = start(R"({"stream_policy":{"retention_maxlen":5}})");
    const auto add = [&](int count) {
        for (int i = 0; i < count; ++i) {
            const JsonReply reply = world().post(
                held.stream(), "{" + held.lease() + R"(,"frames":[{"frame_type":"t"}]})");
            ASSERT_EQ(reply.status, 200) << reply.body;
        }
    };
    add(5);
    std::string last;
    {
        SseClient events(world(), held.stream("/sse"));
        for (int i = 1; i <= 5; ++i) {
            last = events.next().id;
            EXPECT_EQ(ordinal(last), i);
        }
    }
    add(2);
    {
        SseClient events(world(), held.stream("/sse"), {{"Last-Event-ID", last}});
        EXPECT_EQ(ordinal(events.next().id), 6);
        EXPECT_EQ(ordinal(events.next().id), 7);
    }
    add(7);
    SseClient events(world(), held.stream("/sse"), {{"Last-Event-ID", last}});
    const SseEvent gap = events.next();
    EXPECT_EQ(gap.event, "gap");
    EXPECT_EQ(gap.id, "");
    EXPECT_NE(gap.data.find(R"("lost":4)"), std::string::npos) << gap.data;
    for (int i = 10; i <= 14; ++i) EXPECT_EQ(ordinal(events.next().id), i);
    const SseClient broken(world(), held.stream("/sse"), {{"Last-Event-ID", "nonsense"}});
    EXPECT_TRUE(broken.head().starts_with("HTTP/1.1 400"));
}

TEST_P(Ch04Http, S42_TheEndIsToldOnce) {
    const Held held = start();
    append(held, 0, 2);
    SseClient events(world(), held.stream("/tail"));
    EXPECT_NE(events.head().find("no-transform"), std::string::npos);
    EXPECT_EQ(events.next().event, "frame");
    EXPECT_EQ(events.next().event, "frame");
    complete(held);
    const SseEvent closed = events.next();
    EXPECT_EQ(closed.event, "closed");
    EXPECT_TRUE(closed.id.starts_with("closed@")) << closed.id;
    EXPECT_NE(closed.data.find(R"("closed_reason":"attempt_success","frame_count":2)"),
              std::string::npos)
        << closed.data;
    EXPECT_TRUE(events.ends());
    const SseClient again(world(), held.stream("/sse"), {{"Last-Event-ID", closed.id}});
    EXPECT_TRUE(again.head().starts_with("HTTP/1.1 204")) << again.head();
}

/// What this process has resident now.
std::int64_t memory_mib() {
    std::ifstream pages("/proc/self/statm");
    std::int64_t all = 0;
    std::int64_t resident = 0;
    pages >> all >> resident;
    return resident * ::sysconf(_SC_PAGESIZE) / (1 << 20);
}

/// Three deaf clients, for each of whom 30 MiB are on the way: 90 MiB if they were kept for them,
/// besides the 30 MiB of a store in this process.
TEST_P(Ch04Http, S43_SilenceIsBrokenAndADeafClientIsCutOff) {
    constexpr std::size_t kDeaf = 3;
    WorldOptions options;
    options.settings.sse_heartbeat = Millis(100);
    options.settings.sse_piece_max = Millis(500);
    world(options);
    const Held held = start();
    SseClient idle(world(), held.stream("/sse"));
    EXPECT_TRUE(idle.next_line().comment());
    EXPECT_TRUE(idle.next_line().comment());
    std::vector<std::unique_ptr<SseClient>> deaf;
    for (std::size_t i = 0; i < kDeaf; ++i)
        deaf.push_back(std::make_unique<SseClient>(world(), held.stream("/sse")));
    const auto used = [&] {
        return on_server<std::size_t>([&] { return world().instance().pools().sse.used(); });
    };
    EXPECT_EQ(used(), 1 + kDeaf);
    const std::int64_t before = memory_mib();
    std::int64_t most = before;
    // The one reads as it goes: appending everything first may take longer than a piece may wait.
    std::int64_t seen = 0;
    for (int i = 0; i < 480; i += 16) {
        append(held, i, 16, 65536);
        while (seen < i + 16) EXPECT_EQ(ordinal(idle.next().id), ++seen);
        most = std::max(most, memory_mib());
    }
    EXPECT_LT(most - before, 90) << "MiB";
    EXPECT_TRUE(wait_until([&] { return used() == 1; }));
}

TEST_P(Ch04Http, S44_TheFramesOfAllAttemptsAreOneSequence) {
    const Held first =
        start(R"({"retry_policy":{"max_retries":1,"backoff":{"type":"fixed","delay_ms":1}}})");
    SseClient events(world(), first.path("/stream"));
    ASSERT_TRUE(events.ok()) << events.head();
    append(first, 0, 2);
    const SseEvent attempt = events.next();
    EXPECT_EQ(attempt.event, "attempt");
    EXPECT_EQ(attempt.data, R"({"attempt_index":0,"attempt_type":"initial"})");
    EXPECT_TRUE(events.next().id.starts_with("0:"));
    EXPECT_TRUE(events.next().id.starts_with("0:"));
    must(engine::FailExecution{.execution_id = first.task.execution_id,
                               .fence = first.task.fence,
                               .reason = "broken",
                               .category = "test"});
    ASSERT_TRUE(wait_until(
        [&] { return world().get(first.path("/state")).text("public_state") == "waiting"; }));
    const Held second = claim(first.lane, first.task.execution_id);
    append(second, 0, 1);
    const SseEvent next_attempt = events.next();
    EXPECT_EQ(next_attempt.event, "attempt");
    EXPECT_EQ(next_attempt.data, R"({"attempt_index":1,"attempt_type":"retry"})");
    const SseEvent frame = events.next();
    EXPECT_TRUE(frame.id.starts_with("1:")) << frame.id;
    EXPECT_NE(frame.data.find(R"("attempt_index":1)"), std::string::npos);
    complete(second);
    const SseEvent end = events.next();
    EXPECT_EQ(end.event, "end");
    EXPECT_NE(end.data.find(R"("terminal_outcome":"success")"), std::string::npos) << end.data;
    EXPECT_TRUE(events.ends());
    const SseClient again(world(), first.path("/stream"), {{"Last-Event-ID", end.id}});
    EXPECT_TRUE(again.head().starts_with("HTTP/1.1 204")) << end.id << again.head();

    const JsonReply page = world().get(first.path("/stream?limit=2"));
    EXPECT_EQ(frame_ids(page).size(), 2U);
    EXPECT_TRUE(page.flag("more"));
    const JsonReply rest = world().get(first.path("/stream?cursor=" + page.text("next")));
    EXPECT_EQ(frame_ids(rest).size(), 1U) << rest.body;
    EXPECT_FALSE(rest.flag("more"));
    const JsonReply latest = world().get(first.path("/stream?mode=latest_attempt_only"));
    EXPECT_EQ(frame_ids(latest).size(), 1U) << latest.body;
}

TEST_P(Ch04Http, S18_ASummaryIsReadWithItsVersion) {
    const Held held = start();
    const auto patch = [&](std::string text) {
        return world().post(held.stream(),
                            "{" + held.lease() +
                                R"(,"mode":"summary","frames":[{"frame_type":"s","payload":")" +
                                text + R"("}]})");
    };
    EXPECT_EQ(patch(R"({\"n\":9007199254740993})").integer("summary_version"), 1);
    const std::string path = held.path("/attempts/0/summary");
    const JsonReply summary = world().get(path);
    EXPECT_EQ(summary.header("ETag"), "\"1\"");
    EXPECT_NE(summary.body.find(R"("document":{"n":9007199254740993})"), std::string::npos)
        << summary.body;
    EXPECT_EQ(world().request("GET", path, {}, {{"If-None-Match", "\"1\""}}).status, 304);
    auto waiting = later(world(), path + "?after_version=1&block_ms=20000");
    EXPECT_EQ(patch(R"({\"m\":1})").integer("summary_version"), 2);
    EXPECT_EQ(waiting.get().integer("version"), 2);
}

TEST_P(Ch04Http, S55_WaitingForTheEndOfAnExecution) {
    const Held held = start();
    const JsonReply early = world().get(held.path("/wait?block_ms=50"));
    EXPECT_TRUE(early.flag("timed_out"));
    EXPECT_EQ(early.text("public_state"), "active");
    // A busy machine may make one of them late. If it were not the completion that wakes, all were.
    auto soonest = std::chrono::steady_clock::duration::max();
    for (int i = 0; i < 5; ++i) {
        const Held next = i == 0 ? held : start();
        auto waiting = later(world(), next.path("/wait"));
        ASSERT_TRUE(wait_until([&] {
            return on_server<std::size_t>(
                       [&] { return world().instance().pools().stream_ops.used(); }) == 1;
        }));
        const auto completing = std::chrono::steady_clock::now();
        complete(next);
        const JsonReply reply = waiting.get();
        soonest = std::min(soonest, std::chrono::steady_clock::now() - completing);
        EXPECT_FALSE(reply.flag("timed_out"));
        EXPECT_EQ(reply.text("terminal_outcome"), "success");
        EXPECT_GT(reply.integer("completed_at"), 0);
    }
    EXPECT_LT(soonest, Millis(200));
    EXPECT_FALSE(world().get(held.path("/wait")).flag("timed_out"));
}

TEST_P(Ch04Http, S13_AnAnnotationNeedsNoLease) {
    const Held held = start();
    const std::string path =
        "/v1/admin/executions/" + encode(held.id()) + "/attempts/0/annotations";
    EXPECT_EQ(world().post(path, R"({"frame_type":"log","payload":"seen"})").status, 200);
    EXPECT_EQ(world().post(path, R"({"frame_type":"log","source":"worker"})").status, 403);
    EXPECT_NE(world().get(held.stream()).body.find(R"("source":"operator")"), std::string::npos);
    complete(held);
    EXPECT_EQ(world().post(path, R"({"frame_type":"log"})").code(), "stream_closed");
}

INSTANTIATE_TEST_SUITE_P(Stores, Ch04Http, ::testing::Values("embedded", "valkey", "cluster"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ff::testing
