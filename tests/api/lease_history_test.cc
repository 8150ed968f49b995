// The lease history of an execution is whole, whether its stream has begun or not.
#include "api/exec_world.h"
#include "model/exec_keys.h"

namespace ff::testing {
namespace {

class Ch04LeaseHistoryHttp : public ExecApi {
  protected:
    JsonReply history(std::string_view id, std::string_view query = "") {
        return world().get("/v1/executions/" + encode(id) + "/lease-history" + std::string(query));
    }
    /// The entries as JSON texts.
    std::vector<std::string> entries(std::string_view id, std::string_view query = "") {
        const JsonReply reply = history(id, query);
        EXPECT_EQ(reply.status, 200) << reply.body;
        const auto events = reply.json().find("events");
        std::vector<std::string> texts;
        for (std::size_t i = 0; i < (events ? events->size() : 0); ++i) {
            texts.push_back(events->element(i).to_text());
        }
        return texts;
    }
    /// `event` or `event/reason` of each entry.
    std::vector<std::string> story(std::string_view id) {
        const JsonReply reply = history(id);
        const auto events = reply.json().find("events");
        std::vector<std::string> words;
        for (std::size_t i = 0; i < (events ? events->size() : 0); ++i) {
            const json::Value entry = events->element(i);
            std::string word(entry.find("event")->as_string().value());
            const auto reason = entry.find("reason");
            if (reason) word += "/" + std::string(reason->as_string().value());
            words.push_back(std::move(word));
        }
        return words;
    }
    /// How the entry of this task's first lease reads; `at` is a time, `more` follows it.
    static std::string entry(const HeldTask& task, std::string_view id, std::string_view event,
                             std::string_view at, std::string_view more = "") {
        return R"({"id":")" + std::string(id) + R"(","event":")" + std::string(event) +
               R"(","execution_id":")" + task.execution_id + R"(","ts":)" + std::string(at) +
               std::string(more) + R"(,"lease_id":")" + task.lease_id +
               R"(","lease_epoch":1,"attempt_index":0,"attempt_id":")" + task.attempt_id +
               R"(","worker_id":"w1","worker_instance_id":")" + own_name("-w1") + R"("})";
    }
    std::string stored(const HeldTask& task, std::string_view field) {
        return text_of_core(task.execution_id, field);
    }
    std::string text_of_core(const std::string& id, std::string_view field) {
        const std::string key = model::ExecKeys(model::ExecutionId::parse(id).value()).core();
        const store::Reply value = world().command({"HGET", key, field});
        return std::string(value.text().value_or(""));
    }
};

TEST_P(Ch04LeaseHistoryHttp, OfARunningTaskIsItsOneLease) {
    const std::string id = created_id();
    EXPECT_TRUE(entries(id).empty());
    const HeldTask task = claim_one();
    const std::string at = stored(task, "lease_acquired_at");
    const std::vector<std::string> told = entries(id);
    EXPECT_EQ(told, std::vector{entry(task, at + "-1", "acquired", at)});
    // The stream begins with the very same entry.
    ASSERT_EQ(act(id, "revoke-lease", "{}").status, 200);
    EXPECT_EQ(stored(task, "has_lease_history"), "1");
    const std::vector<std::string> stream = entries(id);
    ASSERT_EQ(stream.size(), 2U);
    EXPECT_EQ(stream.front(), told.front());
    EXPECT_EQ(entries(id, "?cursor=" + at + "-1"), std::vector{stream.back()});
}

TEST_P(Ch04LeaseHistoryHttp, OfAFinishedTaskIsItsLeaseAndHowItEnded) {
    const std::string done = created_id();
    ASSERT_EQ(act(claim_one(), "complete").status, 200);
    EXPECT_EQ(story(done), (std::vector<std::string>{"acquired", "released/completed"}));
    const std::string failed = created_id();
    ASSERT_EQ(act(claim_one(), "fail", R"(,"reason":"no","category":"x")").status, 200);
    EXPECT_EQ(story(failed), (std::vector<std::string>{"acquired", "released/failed_terminal"}));
    const std::string cancelled = created_id();
    claim_one();
    ASSERT_EQ(act(cancelled, "cancel", "{}").status, 200);
    EXPECT_EQ(story(cancelled), (std::vector<std::string>{"acquired", "released/cancelled"}));
    const std::string never = created_id();
    ASSERT_EQ(act(never, "cancel", "{}").status, 200);
    EXPECT_TRUE(story(never).empty());
    for (const std::string& id : {done, failed, cancelled, never}) {
        EXPECT_EQ(text_of_core(id, "has_lease_history"), "") << id;
    }
}

TEST_P(Ch04LeaseHistoryHttp, OfAReplayedTaskBeginsWithWhatWasToldBefore) {
    const std::string id = created_id();
    const HeldTask task = claim_one();
    const std::string taken = stored(task, "lease_acquired_at");
    ASSERT_EQ(act(task, "complete").status, 200);
    const std::string released = stored(task, "last_release_at");
    std::vector<std::string> told = entries(id);
    EXPECT_EQ(told, (std::vector{entry(task, taken + "-1", "acquired", taken),
                                 entry(task, released + "-2", "released", released,
                                       R"(,"reason":"completed")")}));
    ASSERT_EQ(act(id, "replay", "{}").status, 200);
    ASSERT_EQ(act(claim_one(), "complete").status, 200);
    std::vector<std::string> stream = entries(id);
    ASSERT_EQ(stream.size(), 5U);
    stream.resize(2);
    EXPECT_EQ(stream, told);
    EXPECT_EQ(story(id),
              (std::vector<std::string>{"acquired", "released/completed", "replay_initiated",
                                        "acquired/claim_batch", "released/completed"}));
}

TEST_P(Ch04LeaseHistoryHttp, OfATaskThatPausedIsTheWholeStory) {
    const std::string id = created_id();
    ASSERT_EQ(act(claim_one(), "delay", R"(,"delay_ms":0)").status, 200);
    ASSERT_EQ(act(claim_one(), "complete").status, 200);
    EXPECT_EQ(story(id), (std::vector<std::string>{"acquired", "released/worker_delay",
                                                   "acquired/claim_batch", "released/completed"}));
}

TEST_P(Ch04LeaseHistoryHttp, PagesAndCursorsAreThoseOfAStream) {
    const std::string id = created_id();
    ASSERT_EQ(act(claim_one(), "complete").status, 200);
    const std::vector<std::string> all = entries(id);
    ASSERT_EQ(all.size(), 2U);
    const JsonReply first = history(id, "?limit=1");
    const std::string cursor = first.text("next_cursor");
    EXPECT_EQ(entries(id, "?limit=1"), std::vector{all[0]});
    EXPECT_EQ(entries(id, "?limit=1&cursor=" + cursor), std::vector{all[1]});
    EXPECT_FALSE(history(id, "?limit=1&cursor=" + cursor).has("next_cursor"));
    EXPECT_FALSE(history(id, "?limit=2").has("next_cursor"));
    EXPECT_EQ(entries(id, "?cursor=9000000000000"), std::vector<std::string>{});
    EXPECT_EQ(entries(id, "?cursor=5"), all);
    for (const char* cursor_text : {"nonsense", "1-", "-", "1-2-3"}) {
        const JsonReply refused = history(id, std::string("?cursor=") + cursor_text);
        EXPECT_EQ(refused.status, 400) << cursor_text;
        EXPECT_EQ(refused.code(), "invalid_cursor") << cursor_text;
    }
    EXPECT_EQ(history("{fp:1}:11111111-2222-4333-8444-555555555555").status, 404);
}

INSTANTIATE_TEST_SUITE_P(Stores, Ch04LeaseHistoryHttp,
                         ::testing::Values("embedded", "valkey", "cluster"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ff::testing
