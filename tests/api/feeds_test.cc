#include <future>

#include "api/stream_world.h"
#include "engine/end_execution.h"
#include "model/index_keys.h"

namespace ff::testing {
namespace {

class Ch04FeedHttp : public StreamApi {
  protected:
    std::size_t events_in(const JsonReply& reply) {
        const auto events = reply.json().find("events");
        return events ? events->size() : 0;
    }
    std::string base64url(std::string bytes) {
        std::string text = to_base64(bytes);
        text.erase(text.find_last_not_of('=') + 1);
        std::ranges::replace(text, '+', '-');
        std::ranges::replace(text, '/', '_');
        return text;
    }
};

TEST_P(Ch04FeedHttp, S45_ACompletionIsAnEventOfTwoFamilies) {
    const Held held = start();
    const std::string target =
        "/v1/streams/completion,lease_history?execution_id=" + encode(held.id());
    const std::string cursor = world().get(target).text("cursor");
    auto waiting = std::async(std::launch::async, [&] {
        return world().get(target + "&block_ms=20000&cursor=" + cursor);
    });
    complete(held);
    const JsonReply reply = waiting.get();
    ASSERT_EQ(events_in(reply), 2U) << reply.body;
    EXPECT_NE(reply.body.find(R"("family":"completion")"), std::string::npos);
    EXPECT_NE(reply.body.find(R"("outcome":"success")"), std::string::npos) << reply.body;
    EXPECT_NE(reply.body.find(R"("release_reason":"completed")"), std::string::npos);
    EXPECT_NE(reply.text("cursor"), cursor);
}

TEST_P(Ch04FeedHttp, S47_EventsComeWithCheckpointsToGoOnFrom) {
    const Held held = start();
    SseClient feed(world(), held.path("/feed"));
    EXPECT_EQ(feed.next().event, "lease_history");
    const SseEvent checkpoint = feed.next();
    ASSERT_EQ(checkpoint.event, "checkpoint");
    EXPECT_NE(checkpoint.data.find(checkpoint.id), std::string::npos);
    complete(held);
    const SseEvent completion = feed.next();
    EXPECT_EQ(completion.event, "completion");
    EXPECT_EQ(completion.id, "");
    SseClient again(world(), held.path("/feed"), {{"Last-Event-ID", checkpoint.id}});
    EXPECT_EQ(again.next().data, completion.data);
}

TEST_P(Ch04FeedHttp, S48_ALossIsToldFirst) {
    const Held held = start();
    const std::uint16_t partition = held.task.execution_id.partition_index();
    const std::string target =
        "/v1/streams/completion?partition=" + std::to_string(partition) + "&cursor=";
    const model::IndexKeys keys(partition);
    std::string start_cursor("\x11\x01\x01", 3);
    start_cursor += static_cast<char>(partition | 0x80U);
    if (partition >= 0x80) {
        start_cursor += static_cast<char>(partition >> 7U);
    } else {
        start_cursor.back() = static_cast<char>(partition);
    }
    start_cursor += std::string("\x00\x00", 2);
    world().command({"DEL", keys.events()});
    world().command({"XADD", keys.events(), "9000000000000-51", "family", "completion",
                     "execution_id", "", "ts", "1"});
    const JsonReply page = world().get(target + base64url(start_cursor));
    ASSERT_EQ(page.status, 200) << page.body;
    EXPECT_NE(page.body.find(R"("lost":50)"), std::string::npos) << page.body;
    EXPECT_EQ(events_in(page), 1U);
    world().command({"DEL", keys.events(), keys.feed_seq()});
    world().command({"XADD", keys.events(), "9000000000001-1", "family", "completion",
                     "execution_id", "", "ts", "1"});
    const JsonReply anew = world().get(target + page.text("cursor"));
    EXPECT_NE(anew.body.find(R"("lost":null)"), std::string::npos) << anew.body;
}

TEST_P(Ch04FeedHttp, S49_OtherNamespacesPassUnseen) {
    const std::string filter = "/v1/streams/completion?namespace=a";
    const std::string before = world().get(filter).text("cursor");
    const std::string both = world().get("/v1/streams/completion").text("cursor");
    for (const char* ns : {"b", "a", "b"}) {
        const model::ExecutionId id = create("lane-x", {}, ns, R"({"team":"red","site":"x:y"})");
        must(engine::CancelExecution{.execution_id = id, .reason = "test"});
    }
    const JsonReply seen = world().get(filter + "&cursor=" + before);
    EXPECT_EQ(events_in(seen), 1U) << seen.body;
    EXPECT_EQ(seen.body.find(R"("namespace":"b")"), std::string::npos);
    EXPECT_EQ(events_in(world().get(filter + "&cursor=" + seen.text("cursor"))), 0U);
    const std::string tagged = "/v1/streams/completion?cursor=" + both;
    EXPECT_EQ(events_in(world().get(tagged + "&tag=team:red&tag=site:x:y")), 3U);
    EXPECT_EQ(events_in(world().get(tagged + "&tag=team:red&tag=site:z")), 0U);
    EXPECT_EQ(world().get(tagged + "&tag=team").status, 400);
}

TEST_P(Ch04FeedHttp, S50_BrokenCursorsAndUnknownFamiliesAreRefused) {
    const std::string old_form = base64url(std::string("\x01", 1) + std::string(16, '\0'));
    for (const std::string& cursor : {std::string("nonsense!"), base64url("\x11\x05"), old_form}) {
        const JsonReply reply = world().get("/v1/streams/completion?cursor=" + encode(cursor));
        EXPECT_EQ(reply.status, 400) << cursor;
        EXPECT_EQ(reply.code(), "invalid_cursor") << cursor;
    }
    EXPECT_EQ(world().get("/v1/streams/completion?partition=3&cursor=" + old_form).status, 200);
    EXPECT_EQ(world().get("/v1/streams/nothing").status, 404);
    EXPECT_EQ(world().get("/v1/streams/completion,nothing").status, 404);
    EXPECT_EQ(world().get("/v1/streams/completion?limit=0").status, 400);
    EXPECT_EQ(world().get("/v1/streams/completion?block_ms=30001").status, 400);
    EXPECT_EQ(world().get("/v1/streams/completion?partition=256").status, 400);
    const SseClient events(world(), "/v1/streams/completion/subscribe?cursor=nonsense!");
    EXPECT_TRUE(events.head().starts_with("HTTP/1.1 400")) << events.head();
}

TEST_P(Ch04FeedHttp, S51_TheLeaseHistoryOfAnExecution) {
    const Held held = start();
    complete(held);
    const JsonReply history = world().get(held.path("/lease-history"));
    ASSERT_EQ(events_in(history), 2U) << history.body;
    EXPECT_NE(history.body.find(R"("event":"acquired")"), std::string::npos);
    EXPECT_NE(history.body.find(R"("reason":"completed")"), std::string::npos) << history.body;
    EXPECT_EQ(events_in(world().get(held.path("/lease-history?limit=1"))), 1U);
}

INSTANTIATE_TEST_SUITE_P(Stores, Ch04FeedHttp, ::testing::Values("embedded", "valkey", "cluster"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ff::testing
