#include <atomic>
#include <thread>

#include <boost/asio/co_spawn.hpp>

#include "model/slot.h"
#include "store_fixture.h"

namespace ff::host {
namespace {

using boost::asio::awaitable;

class Embedded : public StoreTest {};

TEST_F(Embedded, AnswersCommands) {
    open({.shards = 1});
    EXPECT_EQ(call({"PING"}), "PONG");
    EXPECT_EQ(call({"SET", "k", "v"}), "OK");
    EXPECT_EQ(call({"GET", "k"}), "\"v\"");
    EXPECT_EQ(call({"GET", "none"}), "null");
    EXPECT_EQ(call({"HSET", "k", "f", "v"}),
              "! WRONGTYPE Operation against a key holding the wrong kind of value");
}

TEST_F(Embedded, RefusesKeysOfTwoSlots) {
    open({.shards = 4});
    const auto refused = testing::run(loop_, store_->call(words({"DEL", "a{1}", "b{2}"})));
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().kind, "cross_slot");
}

awaitable<Done> add_and_count(EmbeddedStore& store, std::string key, int times) {
    for (int i = 0; i < times; ++i) {
        store::Call add = words({"SADD", key, std::to_string(i)});
        auto added = co_await store.call(std::move(add));
        EXPECT_EQ(added->as_integer(), 1);
        store::Call count = words({"SCARD", key});
        auto counted = co_await store.call(std::move(count));
        EXPECT_EQ(counted->as_integer(), i + 1);
    }
    co_return Done{};
}

TEST_F(Embedded, ServesManyCallersOnManyShards) {
    open({.shards = 3});
    constexpr int kCallers = 64;
    constexpr int kTimes = 50;
    int running = kCallers;
    for (int i = 0; i < kCallers; ++i) {
        boost::asio::co_spawn(loop_, add_and_count(*store_, "key" + std::to_string(i), kTimes),
                              [&running](const std::exception_ptr&, Done) { --running; });
    }
    loop_.run();
    EXPECT_EQ(running, 0);
    std::uint64_t commands = 0;
    for (const ShardFacts& facts : store_->facts()) {
        EXPECT_GT(facts.commands, 0U);
        commands += facts.commands;
    }
    EXPECT_EQ(commands, static_cast<std::uint64_t>(2 * kCallers * kTimes));
}

awaitable<Done> add_by_pipelines(EmbeddedStore& store, std::string key, int times) {
    for (int i = 0; i < times; ++i) {
        std::vector<store::Call> calls;
        for (int part = 0; part < 4; ++part)
            calls.push_back(words({"SADD", key + std::to_string(part), std::to_string(i)}));
        auto replies = co_await store.pipeline(std::move(calls));
        for (const auto& reply : replies) EXPECT_EQ(shown(reply), "1");
    }
    co_return Done{};
}

TEST_F(Embedded, ServesCallersOnManyThreads) {
    open({.shards = 3});
    constexpr int kCallers = 16;
    constexpr int kTimes = 40;
    boost::asio::io_context pool;
    std::atomic<int> running{2 * kCallers};
    for (int i = 0; i < kCallers; ++i) {
        const std::string key = "key" + std::to_string(i);
        const auto ended = [&running](const std::exception_ptr&, Done) { --running; };
        boost::asio::co_spawn(pool, add_and_count(*store_, key, kTimes), ended);
        boost::asio::co_spawn(pool, add_by_pipelines(*store_, key + ":", kTimes), ended);
    }
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) threads.emplace_back([&pool] { pool.run(); });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(running, 0);
    store_.reset();
}

TEST_F(Embedded, AnswersAPipelineInItsOrderWhateverTheShards) {
    open({.shards = 4});
    std::vector<store::Call> calls;
    constexpr int kKeys = 100;
    for (int i = 0; i < kKeys; ++i) {
        const std::string key = "key" + std::to_string(i);
        calls.push_back(words({"SET", key, std::to_string(i)}));
        calls.push_back(words({"GET", key}));
    }
    calls.push_back(words({"DEL", "a{1}", "b{2}"}));
    calls.push_back(words({"LPOP", "x"}));
    const auto replies = testing::run(loop_, store_->pipeline(std::move(calls)));
    ASSERT_EQ(replies.size(), static_cast<std::size_t>(2 * kKeys + 2));
    for (int i = 0; i < kKeys; ++i)
        EXPECT_EQ(shown(replies[static_cast<std::size_t>(2 * i + 1)]),
                  "\"" + std::to_string(i) + "\"");
    EXPECT_EQ(replies[2 * kKeys].error().kind, "cross_slot");
    EXPECT_EQ(shown(replies[2 * kKeys + 1]),
              "! ERR unknown command 'LPOP', with args beginning with: 'x' ");
}

TEST_F(Embedded, AnEmptyPipelineAnswersNothing) {
    open({.shards = 2});
    EXPECT_TRUE(testing::run(loop_, store_->pipeline({})).empty());
}

TEST_F(Embedded, LoadsFunctionsOnEveryShard) {
    open({.shards = 3});
    EXPECT_EQ(call({"FUNCTION", "LOAD",
                    library("register('put', function(keys, args) "
                            "return redis.call('SET', keys[1], args[1]) end)")}),
              "\"test\"");
    for (int i = 0; i < 20; ++i)
        EXPECT_EQ(call({"FCALL", "put", "1", "key" + std::to_string(i), "v"}), "OK");
    EXPECT_EQ(call({"FCALL", "nosuch", "0"}), "! ERR Function not found");
}

TEST_F(Embedded, LoadsFunctionsOnEveryShardWhateverTheWay) {
    open({.shards = 3});
    const auto put = [](const std::string& name) {
        return "#!lua name=" + name + "\nredis.register_function('" + name +
               "', function() return 'here' end)";
    };
    EXPECT_EQ(shown(store_->call_and_wait(words({"FUNCTION", "LOAD", put("waited")}))),
              "\"waited\"");
    std::vector<store::Call> calls;
    calls.push_back(words({"FUNCTION", "LOAD", put("piped")}));
    calls.push_back(words({"FCALL", "piped", "0"}));
    const auto replies = testing::run(loop_, store_->pipeline(std::move(calls)));
    ASSERT_EQ(replies.size(), 2U);
    EXPECT_EQ(shown(replies[1]), "\"here\"");
    for (int i = 0; i < 20; ++i) {
        for (const char* name : {"waited", "piped"})
            EXPECT_EQ(call({"FCALL", name, "1", "key" + std::to_string(i)}), "\"here\"");
    }
}

TEST_F(Embedded, AFunctionMayNotLeaveItsSlot) {
    open({.shards = 4,
          .library = library("register('get', function(keys, args) "
                             "local reply = redis.call('GET', args[1]) return reply end)")});
    EXPECT_EQ(call({"FCALL", "get", "1", "a{x}", "b{x}"}), "null");
    EXPECT_EQ(call({"FCALL", "get", "1", "a{x}", "b{y}"}),
              "! ERR Script attempted to access keys that do not hash to the same slot script: "
              "get, on @user_function:3.");
    // Without keys a call runs on the first shard and reaches what lives there.
    std::string far;
    for (int i = 0; far.empty(); ++i) {
        const std::string key = "key" + std::to_string(i);
        if (store_->shard_of(model::slot_of(key)) != 0) far = key;
    }
    EXPECT_EQ(call({"FCALL", "get", "0", far}),
              "! ERR Script attempted to access a non local key in a cluster node script: get, on "
              "@user_function:3.");
}

TEST_F(Embedded, CountsStoreCallsOfFunctions) {
    open({.shards = 2,
          .library = library("register('three', function(keys) redis.call('TIME') "
                             "redis.pcall('nosuch') redis.call('GET', keys[1]) end)")});
    call({"FCALL", "three", "1", "a"});
    call({"FCALL", "three", "1", "b"});
    const std::vector<FunctionCount> counts = store_->function_counts();
    ASSERT_EQ(counts.size(), 1U);
    EXPECT_EQ(counts[0].name, "three");
    EXPECT_EQ(counts[0].calls, 2U);
    EXPECT_EQ(counts[0].store_calls, 6U);
    EXPECT_EQ(counts[0].last_store_calls, 3U);
}

TEST_F(Embedded, RefusesEverythingAfterStop) {
    open({.shards = 2});
    testing::run(loop_, store_->stop());
    const auto refused = testing::run(loop_, store_->call(words({"PING"})));
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, "shutting_down");
}

TEST_F(Embedded, AnswersAPlainThread) {
    open({.shards = 2});
    EXPECT_EQ(shown(store_->call_and_wait(words({"SET", "k", "v"}))), "OK");
    EXPECT_EQ(shown(store_->call_and_wait(words({"GET", "k"}))), "\"v\"");
}

TEST_F(Embedded, ACallWhoseTimeHasPassedIsNotRun) {
    open({.shards = 1});
    store::Call late = words({"SET", "k", "v"});
    late.deadline = Deadline::after(std::chrono::milliseconds(-1));
    const auto refused = testing::run(loop_, store_->call(std::move(late)));
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().kind, "fatal_send");
    EXPECT_EQ(call({"EXISTS", "k"}), "0");
}

}  // namespace
}  // namespace ff::host
