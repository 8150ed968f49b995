// What every store promises (store/store.h), one body on each of them.

#include <chrono>
#include <map>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <gtest/gtest.h>

#include "base/task_group.h"
#include "store_suite/hosts.h"
#include "support/run.h"

namespace ff::testing {
namespace {

using std::chrono::milliseconds;
using store::Call;
using store::Notice;
using store::Reply;

Call words(const std::vector<std::string>& args) {
    Call call;
    for (const std::string& arg : args) call.command.arg(arg);
    return call;
}

Call function(std::string_view name, std::vector<std::string_view> keys,
              std::vector<std::string_view> args) {
    Call call;
    call.command = store::function_command(name, keys, args);
    return call;
}

/// A text for comparing: scores and statuses differ in type, not in what they say.
std::string shown(const Result<Reply>& reply) {
    if (!reply.has_value()) return reply.error().kind;
    if (reply->type() == resp::Type::SimpleString) return std::string(*reply->text());
    return reply->to_debug_text();
}

/// One host of each kind serves all tests; each test uses keys of its own.
class StoreSuite : public ::testing::TestWithParam<std::string> {
  protected:
    static void TearDownTestSuite() { hosts().clear(); }
    void SetUp() override {
        std::unique_ptr<StoreHost>& host = hosts()[GetParam()];
        if (!host) host = start_host(GetParam());
        host_ = host.get();
        prefix_ = ::testing::UnitTest::GetInstance()->current_test_info()->name();
        prefix_ = prefix_.substr(0, prefix_.find('/'));
    }

    store::Store& store() { return host_->store(); }
    boost::asio::io_context& loop() { return host_->loop(); }
    /// A key of this test with a hash tag.
    std::string key(const std::string& tag, const std::string& name = "k") const {
        return prefix_ + ":{" + tag + "}:" + name;
    }
    Result<Reply> call(const std::vector<std::string>& args) {
        return run(loop(), store().call(words(args)));
    }
    Result<Reply> fcall(Call one) { return run(loop(), store().fcall(std::move(one))); }

    StoreHost* host_ = nullptr;
    std::string prefix_{};

  private:
    static std::map<std::string, std::unique_ptr<StoreHost>>& hosts() {
        static std::map<std::string, std::unique_ptr<StoreHost>> all;
        return all;
    }
};

INSTANTIATE_TEST_SUITE_P(Hosts, StoreSuite, ::testing::ValuesIn(host_names()),
                         [](const auto& tested) { return tested.param; });

TEST_P(StoreSuite, AnswersPlainCommandsWithTheSameValues) {
    const std::string k = key("a");
    EXPECT_EQ(shown(call({"SET", k, "v"})), "OK");
    EXPECT_EQ(shown(call({"GET", k})), "\"v\"");
    EXPECT_EQ(shown(call({"GET", key("a", "none")})), "null");
    EXPECT_EQ(shown(call({"DEL", k, key("a", "none")})), "1");
    EXPECT_EQ(shown(call({"HSET", k, "f", "1", "g", "2"})), "2");
    EXPECT_EQ(shown(call({"HGETALL", k})), R"({"f": "1", "g": "2"})");
    EXPECT_EQ(shown(call({"PING"})), "PONG");
}

TEST_P(StoreSuite, CarriesEveryByte) {
    std::string bytes;
    for (int i = 0; i < (1 << 20); ++i) bytes.push_back(static_cast<char>(i * 7 + i / 256));
    ASSERT_EQ(shown(call({"SET", key("a"), bytes})), "OK");
    const Result<Reply> back = call({"GET", key("a")});
    ASSERT_TRUE(back.has_value());
    EXPECT_TRUE(back->text() == bytes);
}

TEST_P(StoreSuite, ReportsRefusalsByTheirKind) {
    ASSERT_TRUE(call({"SET", key("a"), "v"}).has_value());
    const Result<Reply> wrong = call({"HGET", key("a"), "f"});
    ASSERT_FALSE(wrong.has_value());
    EXPECT_EQ(wrong.error().code, "storage_error");
    EXPECT_EQ(wrong.error().kind, "type_error");
    EXPECT_EQ(wrong.error().cls, ErrorClass::Terminal);
    EXPECT_EQ(shown(call({"NOSUCHCOMMAND"})), "response_error");
}

TEST_P(StoreSuite, RefusesKeysOfSeveralSlots) {
    EXPECT_EQ(shown(call({"DEL", key("a"), key("b")})), "cross_slot");
    const std::string a = key("a");
    const std::string b = key("b");
    EXPECT_EQ(shown(fcall(function("t_echo", {a, b}, {}))), "cross_slot");
}

TEST_P(StoreSuite, CallsFunctions) {
    const std::string k = key("a");
    EXPECT_EQ(shown(fcall(function("t_incr", {k}, {}))), R"([1, "OK", "1"])");
    EXPECT_EQ(shown(fcall(function("t_incr", {k}, {}))), R"([1, "OK", "2"])");
    EXPECT_EQ(shown(fcall(function("t_echo", {k}, {"x", std::string_view("\0y", 2)}))),
              R"(["x", "\x00y"])");
    EXPECT_EQ(shown(fcall(function("t_nowhere", {k}, {}))), "no_script");
    const Result<Reply> many = fcall(function("t_many", {k}, {"2000"}));
    ASSERT_TRUE(many.has_value());
    EXPECT_EQ(many->items()[2].items().size(), 2000U);
}

TEST_P(StoreSuite, AFunctionThatFailsLeavesWhatItWroteOnValkeyOnly) {
    const std::string k = key("a");
    EXPECT_EQ(shown(fcall(function("t_fail", {k}, {}))), "response_error");
    const bool is_atomic = GetParam() == std::string_view("embedded");
    EXPECT_EQ(shown(call({"GET", k})), is_atomic ? "null" : "\"written\"");
}

TEST_P(StoreSuite, APipelineAnswersInItsOrderAcrossSlots) {
    std::vector<Call> calls;
    for (int i = 0; i < 200; ++i) {
        const std::string k = key("t" + std::to_string(i % 17));
        calls.push_back(words({"SADD", k, std::to_string(i)}));
        calls.push_back(words({"SCARD", k}));
    }
    calls.push_back(words({"DEL", key("a"), key("b")}));
    calls.push_back(words({"HGET", key("t0"), "f"}));
    calls.push_back(words({"PING"}));
    const auto replies = run(loop(), store().pipeline(std::move(calls)));
    ASSERT_EQ(replies.size(), 403U);
    for (int i = 0; i < 200; ++i) {
        const std::string count = std::to_string(i / 17 + 1);
        EXPECT_EQ(shown(replies[static_cast<std::size_t>(i) * 2]), "1");
        EXPECT_EQ(shown(replies[static_cast<std::size_t>(i) * 2 + 1]), count);
    }
    EXPECT_EQ(shown(replies[400]), "cross_slot");
    EXPECT_EQ(shown(replies[401]), "type_error");
    EXPECT_EQ(shown(replies[402]), "PONG");
    EXPECT_TRUE(run(loop(), store().pipeline({})).empty());
}

boost::asio::awaitable<void> count_up(store::Store& store, std::string k, int times) {
    const std::vector<std::string_view> keys = {k};
    for (int i = 0; i < times; ++i) {
        Call one;
        one.command = store::function_command("t_incr", keys, {});
        const Result<Reply> reply = co_await store.fcall(std::move(one));
        EXPECT_TRUE(reply.has_value());
    }
}

boost::asio::awaitable<void> count_together(store::Store& store, std::vector<std::string> keys,
                                            int times) {
    const auto executor = co_await boost::asio::this_coro::executor;
    TaskGroup group(executor, "counters");
    for (const std::string& k : keys) group.spawn(count_up(store, k, times));
    co_await group.join();
}

TEST_P(StoreSuite, ManyCoroutinesShareIt) {
    std::vector<std::string> keys;
    for (int i = 0; i < 64; ++i) keys.push_back(key("t" + std::to_string(i % 16)));
    run(loop(), count_together(store(), keys, 20));
    for (int i = 0; i < 16; ++i)
        EXPECT_EQ(shown(call({"GET", key("t" + std::to_string(i))})), "\"80\"");
}

TEST_P(StoreSuite, IsUsedFromOtherLoops) {
    // The store's own loop must turn meanwhile: a network store lives there.
    auto guard = boost::asio::make_work_guard(loop());
    loop().restart();
    std::thread home([this] { loop().run(); });
    std::vector<std::thread> others;
    for (int t = 0; t < 3; ++t) {
        others.emplace_back([this, t] {
            boost::asio::io_context elsewhere(1);
            const std::vector<std::string> keys(8, key("t" + std::to_string(t)));
            run(elsewhere, count_together(store(), keys, 20));
        });
    }
    for (std::thread& other : others) other.join();
    guard.reset();
    loop().stop();
    home.join();
    for (int t = 0; t < 3; ++t)
        EXPECT_EQ(shown(call({"GET", key("t" + std::to_string(t))})), "\"160\"");
}

TEST_P(StoreSuite, ABlockingReadWakesWithTheEntry) {
    const std::string k = key("a");
    Call read = words({"XREAD", "BLOCK", "10000", "STREAMS", k, "0-0"});
    read.deadline = Deadline::after(milliseconds(15'000));
    std::optional<Result<Reply>> got;
    TaskGroup group(loop().get_executor(), "reader");
    group.spawn([](store::Store& from, Call one,
                   std::optional<Result<Reply>>& out) -> boost::asio::awaitable<void> {
        Result<Reply> reply = co_await from.blocking_read(std::move(one));
        out.emplace(std::move(reply));
    }(store(), std::move(read), got));
    EXPECT_TRUE(call({"XADD", k, "5-1", "f", "v"}).has_value());
    run(loop(), group.join());
    ASSERT_TRUE(got.has_value());
    EXPECT_EQ(shown(*got), R"({")" + k + R"(": [["5-1", ["f", "v"]]]})");
}

TEST_P(StoreSuite, ABlockingReadEndsEmptyAtItsTimeOrItsDeadline) {
    const auto start = std::chrono::steady_clock::now();
    Call block = words({"XREAD", "BLOCK", "150", "STREAMS", key("a"), "0-0"});
    EXPECT_EQ(shown(run(loop(), store().blocking_read(std::move(block)))), "null");
    Call deadline = words({"XREAD", "BLOCK", "0", "STREAMS", key("a"), "0-0"});
    deadline.deadline = Deadline::after(milliseconds(150));
    EXPECT_EQ(shown(run(loop(), store().blocking_read(std::move(deadline)))), "null");
    Call at_once = words({"XREAD", "STREAMS", key("a"), "0-0"});
    EXPECT_EQ(shown(run(loop(), store().blocking_read(std::move(at_once)))), "null");
    const auto elapsed = std::chrono::steady_clock::now() - start;
    EXPECT_GE(elapsed, milliseconds(295));
    EXPECT_LT(elapsed, milliseconds(3'000));
}

TEST_P(StoreSuite, ASubscriptionYieldsWhatIsPublishedAfterIt) {
    const std::string channel = key("c");
    auto subscribed =
        run(loop(), store().subscribe({.names = {channel}, .patterns = {prefix_ + ":w:*"}}));
    ASSERT_TRUE(subscribed.has_value()) << subscribed.error().text();
    EXPECT_TRUE(fcall(function("t_publish", {channel}, {channel, "one"})).has_value());
    EXPECT_TRUE(call({"PUBLISH", prefix_ + ":w:7", "two"}).has_value());
    EXPECT_TRUE(call({"PUBLISH", prefix_ + ":other", "three"}).has_value());
    EXPECT_TRUE(call({"PUBLISH", channel, "four"}).has_value());
    std::map<std::string, std::string> seen;
    for (int i = 0; i < 3; ++i) {
        const auto notice = run(loop(), (*subscribed)->next(Deadline::after(milliseconds(5'000))));
        ASSERT_TRUE(notice.has_value());
        ASSERT_TRUE(notice->has_value());
        EXPECT_EQ((*notice)->kind, Notice::Kind::Message);
        seen[(*notice)->channel] += (*notice)->message + " ";
    }
    EXPECT_EQ(seen[channel], "one four ");
    EXPECT_EQ(seen[prefix_ + ":w:7"], "two ");
    const auto none = run(loop(), (*subscribed)->next(Deadline::after(milliseconds(50))));
    ASSERT_TRUE(none.has_value());
    EXPECT_FALSE(none->has_value());
}

}  // namespace
}  // namespace ff::testing
