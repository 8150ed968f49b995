#include <boost/asio/bind_cancellation_slot.hpp>

#include "store_fixture.h"

namespace ff::host {
namespace {

using namespace std::chrono_literals;

class Waiting : public StoreTest {
  protected:
    /// Starts the work; `shown` of its reply is appended to `answers_` when it ends.
    void start(Task<store::Reply> work) {
        host::start(loop_, std::move(work), [this](const Result<store::Reply>& reply) {
            answers_.push_back(shown(reply));
        });
    }
    store::Call read(const std::vector<std::string>& args, std::chrono::milliseconds patience) {
        store::Call call = words(args);
        call.deadline = Deadline::after(patience);
        return call;
    }
    std::uint64_t waiting() const {
        std::uint64_t sum = 0;
        for (const ShardFacts& facts : store_->facts()) sum += facts.waiting_reads;
        return sum;
    }
    /// Runs the loop until the condition holds.
    template <class Condition>
    bool turn_until(Condition condition) {
        loop_.restart();
        return testing::wait_until([&] {
            loop_.poll();
            return condition();
        });
    }

    std::vector<std::string> answers_{};
};

TEST_F(Waiting, AReadWithoutBlockAnswersAtOnce) {
    open({.shards = 1});
    EXPECT_EQ(call({"XREAD", "STREAMS", "s", "0"}), "null");
    call({"XADD", "s", "MAXLEN", "~", "10", "1-1", "f", "v"});
    EXPECT_EQ(call({"XREAD", "COUNT", "1", "STREAMS", "s", "0"}),
              R"({"s": [["1-1", ["f", "v"]]]})");
}

TEST_F(Waiting, ABlockingReadWakesOnTheFirstEntry) {
    open({.shards = 2});
    start(store_->blocking_read(read({"XREAD", "BLOCK", "20000", "STREAMS", "s", "1-1"}, 30s)));
    ASSERT_TRUE(turn_until([&] { return waiting() == 1; }));
    call({"XADD", "s", "1-1", "f", "old"});
    EXPECT_TRUE(answers_.empty());
    EXPECT_EQ(waiting(), 1U);
    call({"XADD", "s", "1-2", "f", "new"});
    ASSERT_TRUE(turn_until([&] { return !answers_.empty(); }));
    EXPECT_EQ(answers_[0], R"({"s": [["1-2", ["f", "new"]]]})");
    EXPECT_TRUE(turn_until([&] { return waiting() == 0; }));
}

TEST_F(Waiting, AFunctionWakesReadersAfterItWasApplied) {
    open({.shards = 1,
          .library = library("register('twice', function(keys) "
                             "redis.call('XADD', keys[1], '1-1', 'f', '1') "
                             "redis.call('XADD', keys[1], '1-2', 'f', '2') return 'ok' end)")});
    start(store_->blocking_read(read({"XREAD", "BLOCK", "20000", "STREAMS", "s", "0"}, 30s)));
    ASSERT_TRUE(turn_until([&] { return waiting() == 1; }));
    call({"FCALL", "twice", "1", "s"});
    ASSERT_TRUE(turn_until([&] { return !answers_.empty(); }));
    EXPECT_EQ(answers_[0], R"({"s": [["1-1", ["f", "1"]], ["1-2", ["f", "2"]]]})");
}

TEST_F(Waiting, AReadWithNothingToReadEndsWithItsBlockTime) {
    open({.shards = 1});
    const auto begin = std::chrono::steady_clock::now();
    start(store_->blocking_read(read({"XREAD", "BLOCK", "30", "STREAMS", "s", "0"}, 30s)));
    start(store_->blocking_read(read({"XREAD", "BLOCK", "30", "STREAMS", "t", "0"}, 30s)));
    start(store_->blocking_read(read({"XREAD", "BLOCK", "0", "STREAMS", "t", "0"}, 40ms)));
    ASSERT_TRUE(turn_until([&] { return answers_.size() == 3; }));
    EXPECT_EQ(answers_, std::vector<std::string>(3, "null"));
    EXPECT_GE(std::chrono::steady_clock::now() - begin, 40ms);
}

TEST_F(Waiting, TheEndOfAStreamIsWhereItWasWhenTheReadBegan) {
    open({.shards = 1});
    call({"XADD", "s{x}", "1-1", "f", "old"});
    start(store_->blocking_read(
        read({"XREAD", "BLOCK", "20000", "STREAMS", "s{x}", "t{x}", "$", "$"}, 30s)));
    ASSERT_TRUE(turn_until([&] { return waiting() == 1; }));
    call({"XADD", "s{x}", "1-2", "f", "new"});
    ASSERT_TRUE(turn_until([&] { return !answers_.empty(); }));
    EXPECT_EQ(answers_[0], R"({"s{x}": [["1-2", ["f", "new"]]]})");
}

TEST_F(Waiting, BadBlockTimesAreRefused) {
    open({.shards = 1});
    EXPECT_EQ(call({"XREAD", "BLOCK", "x", "STREAMS", "s", "0"}),
              "! ERR timeout is not an integer or out of range");
    EXPECT_EQ(call({"XREAD", "BLOCK", "-1", "STREAMS", "s", "0"}), "! ERR timeout is negative");
    EXPECT_EQ(call({"XREAD", "BLOCK", "10", "STREAMS", "s", "x"}),
              "! ERR Invalid stream ID specified as stream command argument");
}

TEST_F(Waiting, ManyReadersOfOneStreamAllWake) {
    open({.shards = 1});
    constexpr std::size_t kReaders = 300;
    for (std::size_t i = 0; i < kReaders; ++i)
        start(store_->blocking_read(read({"XREAD", "BLOCK", "0", "STREAMS", "s", "0"}, 30s)));
    ASSERT_TRUE(turn_until([&] { return waiting() == kReaders; }));
    call({"XADD", "s", "1-1", "f", "v"});
    ASSERT_TRUE(turn_until([&] { return answers_.size() == kReaders; }));
    EXPECT_EQ(answers_, std::vector<std::string>(kReaders, R"({"s": [["1-1", ["f", "v"]]]})"));
}

TEST(Ch01, S40_TailsHoldUpNobody) {
    boost::asio::io_context loop(1);
    auto store = std::move(*EmbeddedStore::open({.shards = 1}));
    std::size_t ended = 0;
    for (int i = 0; i < 64; ++i) {
        store::Call tail = words({"XREAD", "BLOCK", "30000", "STREAMS", "s", "0"});
        tail.deadline = Deadline::after(31s);
        host::start(loop, store->blocking_read(std::move(tail)),
                    [&ended](const Result<store::Reply>&) { ++ended; });
    }
    loop.poll();
    for (int i = 0; i < 1000; ++i) {
        const auto reply = testing::run(loop, store->call(words({"SET", "k", std::to_string(i)})));
        ASSERT_EQ(shown(reply), "OK");
    }
    EXPECT_EQ(ended, 0U);
    testing::run(loop, store->stop());
    loop.run();
    EXPECT_EQ(ended, 64U);
}

TEST(Ch01, S41_TwoTailsEndTogether) {
    boost::asio::io_context loop(1);
    auto store = std::move(*EmbeddedStore::open({.shards = 1}));
    const auto begin = std::chrono::steady_clock::now();
    constexpr auto kBlock = 500ms;
    for (const char* stream : {"s", "t"}) {
        store::Call tail = words({"XREAD", "BLOCK", "500", "STREAMS", stream, "0"});
        host::start(loop, store->blocking_read(std::move(tail)),
                    [](const Result<store::Reply>& reply) { EXPECT_EQ(shown(reply), "null"); });
    }
    loop.run();
    EXPECT_GE(std::chrono::steady_clock::now() - begin, kBlock);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 2 * kBlock);
}

TEST_F(Waiting, StopEndsReads) {
    open({.shards = 1});
    Result<store::Reply> ended = store::Reply();
    store::Call tail = read({"XREAD", "BLOCK", "0", "STREAMS", "s", "0"}, 30s);
    host::start(loop_, store_->blocking_read(std::move(tail)),
                [&ended](Result<store::Reply> reply) { ended = std::move(reply); });
    ASSERT_TRUE(turn_until([&] { return waiting() == 1; }));
    testing::run(loop_, store_->stop());
    ASSERT_TRUE(turn_until([&] { return !ended.has_value(); }));
    EXPECT_EQ(ended.error().code, "shutting_down");
}

TEST_F(Waiting, ACancelledReadEnds) {
    open({.shards = 1});
    boost::asio::cancellation_signal cancel;
    bool ended = false;
    store::Call tail = read({"XREAD", "BLOCK", "0", "STREAMS", "s", "0"}, 30s);
    std::function<void(Result<store::Reply>)> then = [](const Result<store::Reply>&) {};
    boost::asio::co_spawn(
        loop_, deliver<store::Reply>(store_->blocking_read(std::move(tail)), std::move(then)),
        boost::asio::bind_cancellation_slot(cancel.slot(),
                                            [&ended](const std::exception_ptr&) { ended = true; }));
    ASSERT_TRUE(turn_until([&] { return waiting() == 1; }));
    cancel.emit(boost::asio::cancellation_type::terminal);
    ASSERT_TRUE(turn_until([&] { return ended; }));
    EXPECT_TRUE(turn_until([&] { return waiting() == 0; }));
}

std::string told(const Result<std::optional<store::Notice>>& notice) {
    if (!notice.has_value()) return notice.error().code;
    if (!notice->has_value()) return "nothing";
    if ((*notice)->kind == store::Notice::Kind::Gap) return "gap";
    return (*notice)->channel + "=" + (*notice)->message;
}

class Subscribing : public Waiting {
  protected:
    std::unique_ptr<store::Subscription> subscribe(store::Channels channels) {
        return std::move(*testing::run(loop_, store_->subscribe(std::move(channels))));
    }
    std::string next(store::Subscription& subscription, std::chrono::milliseconds patience = 20s) {
        return told(testing::run(loop_, subscription.next(Deadline::after(patience))));
    }
};

TEST_F(Subscribing, YieldsWhatIsPublishedAfterwards) {
    open({.shards = 2});
    EXPECT_EQ(call({"PUBLISH", "c", "before"}), "0");
    auto subscription = subscribe({.names = {"c"}, .patterns = {"ff:wake:*"}});
    EXPECT_EQ(call({"PUBLISH", "c", "one"}), "1");
    EXPECT_EQ(call({"PUBLISH", "other", "x"}), "0");
    EXPECT_EQ(call({"PUBLISH", "ff:wake:lane", "two"}), "1");
    EXPECT_EQ(next(*subscription), "c=one");
    EXPECT_EQ(next(*subscription), "ff:wake:lane=two");
    EXPECT_EQ(next(*subscription, 20ms), "nothing");
    EXPECT_EQ(next(*subscription, 0ms), "nothing");
    subscription.reset();
    EXPECT_EQ(call({"PUBLISH", "c", "after"}), "0");
}

TEST_F(Subscribing, AWaitingReaderIsWokenByAFunction) {
    open(
        {.shards = 1,
         .library = library("register('tell', function(keys) redis.call('SET', keys[1], 'v') "
                            "return redis.call('PUBLISH', 'c', redis.call('GET', keys[1])) end)")});
    auto subscription = subscribe({.names = {"c"}});
    std::string heard;
    host::start(
        loop_, subscription->next(Deadline::after(20s)),
        [&heard](const Result<std::optional<store::Notice>>& notice) { heard = told(notice); });
    loop_.poll();
    EXPECT_EQ(call({"FCALL", "tell", "1", "k"}), "1");
    ASSERT_TRUE(turn_until([&] { return !heard.empty(); }));
    EXPECT_EQ(heard, "c=v");
}

TEST_F(Subscribing, AnEarlierDeadlineIsKeptThoughALaterOneCameFirst) {
    open({.shards = 1});
    auto subscription = subscribe({.names = {"c"}});
    std::string heard;
    host::start(
        loop_, subscription->next(Deadline::after(20s)),
        [&heard](const Result<std::optional<store::Notice>>& notice) { heard = told(notice); });
    loop_.poll();
    call({"PUBLISH", "c", "x"});
    ASSERT_TRUE(turn_until([&] { return heard == "c=x"; }));
    EXPECT_EQ(next(*subscription, 20ms), "nothing");
    EXPECT_EQ(next(*subscription, 40ms), "nothing");
}

TEST_F(Subscribing, AReaderThatFallsBehindFindsAGap) {
    open({.shards = 1});
    auto subscription = subscribe({.names = {"c"}});
    std::vector<store::Call> calls;
    for (int i = 0; i < 1500; ++i) calls.push_back(words({"PUBLISH", "c", std::to_string(i)}));
    testing::run(loop_, store_->pipeline(std::move(calls)));
    EXPECT_EQ(next(*subscription), "gap");
    EXPECT_EQ(next(*subscription), "c=1024");
}

TEST_F(Subscribing, StopEndsIt) {
    open({.shards = 1});
    auto subscription = subscribe({.names = {"c"}});
    call({"PUBLISH", "c", "last"});
    testing::run(loop_, store_->stop());
    EXPECT_EQ(next(*subscription), "c=last");
    EXPECT_EQ(next(*subscription), "shutting_down");
}

TEST(Glob, MatchesAsPsubscribeDoes) {
    EXPECT_TRUE(matches_glob("ff:wake:*", "ff:wake:lane"));
    EXPECT_TRUE(matches_glob("*", ""));
    EXPECT_TRUE(matches_glob("a*c*e", "abcde"));
    EXPECT_FALSE(matches_glob("a*c*e", "abcd"));
    EXPECT_TRUE(matches_glob("h?llo", "hello"));
    EXPECT_FALSE(matches_glob("h?llo", "hllo"));
    EXPECT_TRUE(matches_glob("h[ae]llo", "hallo"));
    EXPECT_FALSE(matches_glob("h[^ae]llo", "hallo"));
    EXPECT_TRUE(matches_glob("h[a-c]llo", "hbllo"));
    EXPECT_TRUE(matches_glob("a\\*b", "a*b"));
    EXPECT_FALSE(matches_glob("a\\*b", "axb"));
    EXPECT_FALSE(matches_glob("", "x"));
    EXPECT_TRUE(matches_glob("", ""));
    EXPECT_FALSE(matches_glob("[", "x"));
}

}  // namespace
}  // namespace ff::host
