// What the functions of a task's life are called for before there is work.

#include "engine/rehearsal.h"

#include <atomic>
#include <mutex>
#include <vector>

#include <gtest/gtest.h>

#include "host/embedded_store.h"
#include "model/library.h"
#include "support/temp_dir.h"

namespace ff::host {
namespace {

struct Outcomes {
    std::mutex mutex{};
    std::vector<Result<Done>> results{};
    std::atomic<int> calls = 0;

    Rehearsal rehearsal() {
        return [this](const Stage& stage) {
            const Result<Done> done = engine::rehearse([&](std::span<const std::string_view> argv) {
                ++calls;
                return stage(argv);
            });
            const std::lock_guard lock(mutex);
            results.push_back(done);
            return done;
        };
    }
};

void expect_untouched(EmbeddedStore& store) {
    EXPECT_TRUE(store.keys().empty());
    for (const FunctionCount& count : store.function_counts())
        EXPECT_EQ(count.calls, 0U) << count.name;
    for (const ShardFacts& facts : store.facts()) EXPECT_EQ(facts.commands, 0U);
}

TEST(Rehearsal, EveryShardPerformsItOnAnotherKeyspace) {
    const testing::TempDir folders;
    for (int opening = 0; opening < 2; ++opening) {
        Outcomes outcomes;
        auto store = EmbeddedStore::open({.folder = folders.file("store"),
                                          .shards = 3,
                                          .library = model::library_text(),
                                          .rehearsal = outcomes.rehearsal()});
        ASSERT_TRUE(store.has_value()) << store.error().text();
        ASSERT_EQ(outcomes.results.size(), 3U);
        for (const Result<Done>& result : outcomes.results)
            EXPECT_TRUE(result.has_value()) << result.error().text();
        EXPECT_GT(outcomes.calls, 100);
        expect_untouched(**store);
    }
}

TEST(Rehearsal, MayFailWithoutHarm) {
    Outcomes outcomes;
    auto store = EmbeddedStore::open(
        {.library = "#!lua name=other\nredis.register_function('f', function() return 'f' end)",
         .rehearsal = outcomes.rehearsal()});
    ASSERT_TRUE(store.has_value()) << store.error().text();
    ASSERT_FALSE(outcomes.results.empty());
    EXPECT_FALSE(outcomes.results[0].has_value());
    expect_untouched(**store);
}

TEST(Rehearsal, IsOnlyForTheCompiler) {
    Outcomes outcomes;
    auto store = EmbeddedStore::open(
        {.library = model::library_text(), .rehearsal = outcomes.rehearsal(), .compile = false});
    ASSERT_TRUE(store.has_value()) << store.error().text();
    EXPECT_EQ(outcomes.calls, 0);
}

}  // namespace
}  // namespace ff::host
