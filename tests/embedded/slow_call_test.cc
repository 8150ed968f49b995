// What a slow call has waited for, told by a store that was made slow in one place.

#include <atomic>
#include <mutex>
#include <thread>

#include "host/store_works.h"
#include "journal/fault_file_system.h"
#include "store_fixture.h"
#include "support/wait.h"

namespace ff::host {
namespace {

using journal::FaultyFileSystem;
using journal::Operation;
using namespace std::chrono_literals;

class SlowCallTest : public StoreTest {
  protected:
    // The store goes before its disk.
    ~SlowCallTest() override { store_.reset(); }

    EmbeddedOptions options() {
        return {
            .folder = "data",
            .shards = 1,
            .library = library(
                "register('spin', function(keys, args) local n = 0 for i = 1, tonumber(args[1]) "
                "do n = n + i % 7 end return n end)"),
            .files = &files_,
            .compile = false,
            .slow_calls = {.after = 50ms, .tell = [this](const SlowCall& call) {
                               const std::lock_guard lock(mutex_);
                               told_.push_back(call);
                           }}};
    }
    std::vector<SlowCall> told() {
        const std::lock_guard lock(mutex_);
        return told_;
    }
    const SlowCall& only() {
        EXPECT_TRUE(testing::wait_until([this] { return !told().empty(); }));
        EXPECT_EQ(told().size(), 1U);
        return told_.front();
    }

    FaultyFileSystem files_{};
    std::mutex mutex_{};
    std::vector<SlowCall> told_{};
};

TEST_F(SlowCallTest, ALongFunctionIsTheCauseItself) {
    open(options());
    call({"FCALL", "spin", "1", "k", "20000000"});
    EXPECT_EQ(only().what, "spin");
    EXPECT_EQ(only().cause(), Delay::Functions);
    EXPECT_GE(only().took, 50ms);
}

TEST_F(SlowCallTest, ASlowDiskIsTheCauseOfACallThatChangesSomething) {
    files_.set_hook([](Operation operation, const std::string&) {
        if (operation == Operation::Sync) std::this_thread::sleep_for(80ms);
    });
    open(options());
    call({"SET", "k", "v"});
    EXPECT_EQ(only().what, "SET");
    EXPECT_EQ(only().cause(), Delay::Commit);
}

TEST_F(SlowCallTest, WhatCameBeforeIsTheCauseOfAShortCall) {
    open(options());
    std::atomic<bool> runs{false};
    WaitedWork before([&runs](Shard& shard) {
        runs = true;
        EXPECT_TRUE(testing::wait_until([&shard] { return shard.facts().queued > 0; }));
        // Whoever waits from now on has waited for longer than what is told.
        std::this_thread::sleep_for(60ms);
    });
    ASSERT_TRUE(store_->shard(0).submit(before).has_value());
    ASSERT_TRUE(testing::wait_until([&runs] { return runs.load(); }));
    call({"GET", "k"});
    ASSERT_TRUE(before.wait().has_value());
    EXPECT_TRUE(testing::wait_until([this] { return told().size() == 2; }));
    const std::vector<SlowCall> all = told();
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[1].what, "GET");
    EXPECT_EQ(all[1].cause(), Delay::Queue);
}

TEST_F(SlowCallTest, AQuickCallIsNotTold) {
    EmbeddedOptions quick = options();
    quick.slow_calls.after = 1min;
    open(std::move(quick));
    call({"FCALL", "spin", "1", "k", "1000"});
    EXPECT_TRUE(told().empty());
}

}  // namespace
}  // namespace ff::host
