#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "base/task_group.h"
#include "engine/end_execution.h"
#include "hub/attempts.h"
#include "hub/stream_hub.h"

namespace ff::testing {
namespace {

using Steady = std::chrono::steady_clock;

struct Load {
    std::size_t streams = 50;
    std::size_t tails_each = 20;
    std::size_t producers = 20;
    int frames = 5'000;
    int batch = 10;
};

/// The load of the acceptance with FF_SOAK=1, else one that fits every test run.
Load chosen_load() {
    const char* soak = std::getenv("FF_SOAK");
    if (soak == nullptr || std::string_view(soak) != "1") return {};
    return {.producers = 200, .frames = 100'000};
}

struct Watched {
    Attempt attempt;
    Steady::time_point closed_at{};
};

struct TailRecord {
    const Watched* stream = nullptr;
    Millis pause{0};
    std::int64_t count_max = 100;
    std::uint64_t frames = 0;
    std::string fault{};
    Steady::time_point ended_at{};
};

boost::asio::awaitable<void> follow(hub::StreamHub& hub, World& world, TailRecord& record) {
    hub::TailRequest request{.stream = record.stream->attempt.stream(),
                             .count_max = record.count_max};
    while (record.fault.empty()) {
        request.until = Deadline::after(Millis(30'000));
        const Result<hub::TailPage> page = co_await hub.tail(request);
        if (!page.has_value()) {
            record.fault = page.error().text();
            break;
        }
        for (const engine::StreamEntry& frame : page->frames()) {
            ++record.frames;
            if (hub::EntryId::parse(frame.id)->n != record.frames) record.fault = frame.id;
        }
        if (page->ended()) break;
        request.after = page->next;
        if (record.pause > Millis(0)) {
            boost::asio::steady_timer timer(world.loop(), record.pause);
            co_await timer.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
        }
    }
    record.ended_at = Steady::now();
}

struct Production {
    std::vector<Watched>& streams;
    std::size_t first = 0;
    int batches = 0;
    int batch = 0;
    int failures = 0;
};

boost::asio::awaitable<void> produce(World& world, Production& work) {
    for (int i = 0; i < work.batches; ++i) {
        const std::size_t index = (work.first + static_cast<std::size_t>(i)) % work.streams.size();
        engine::AppendFrames frames =
            frames_of(work.streams[index].attempt, i * work.batch, work.batch);
        const auto outcome = co_await engine::run(world.store(), std::move(frames));
        if (!outcome.has_value()) ++work.failures;
    }
}

/// The most that this process has had resident.
std::int64_t peak_memory_mib() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss / 1024;
}

/// A thousand tails that kept every frame of theirs would hold 2,000,000 of them in the soak, each
/// of several hundred bytes; the store itself, where it is in this process, holds 100,000.
constexpr std::int64_t kMemoryGrowthMostMib = 256;

/// In order; without the slow one, which is the first.
std::vector<double> lags_after_close(const std::vector<TailRecord>& records) {
    std::vector<double> lags_ms;
    for (auto record = records.begin() + 1; record != records.end(); ++record) {
        const auto lag = record->ended_at - record->stream->closed_at;
        lags_ms.push_back(std::chrono::duration<double, std::milli>(lag).count());
    }
    std::ranges::sort(lags_ms);
    return lags_ms;
}

class ManyTails : public ::testing::TestWithParam<std::string> {};

/// Every tail sees every frame once and in order, and ends with its stream; slow tails too, and
/// they hold nobody up.
TEST_P(ManyTails, SeeEveryFrameOnceAndEndWithTheirStream) {
    const Load load = chosen_load();
    const std::int64_t memory_before = peak_memory_mib();
    World& world = world_of(GetParam());
    hub::StreamHub hub(world.loop().get_executor(), world.store(), {});
    TaskGroup tails(world.loop().get_executor(), "tails");
    TaskGroup producers(world.loop().get_executor(), "producers");
    std::vector<Watched> streams;
    for (std::size_t i = 0; i < load.streams; ++i) {
        streams.push_back({.attempt = start_attempt(world, std::to_string(i))});
    }
    std::vector<TailRecord> records(load.streams * load.tails_each);
    for (std::size_t i = 0; i < records.size(); ++i) {
        records[i].stream = &streams[i % load.streams];
        if (i == 0) records[i].pause = Millis(5);
        if (i == 0) records[i].count_max = 3;
        tails.spawn(follow(hub, world, records[i]));
    }
    const int batches = load.frames / load.batch / static_cast<int>(load.producers);
    std::vector<Production> works;
    for (std::size_t i = 0; i < load.producers; ++i) {
        works.push_back({.streams = streams,
                         .first = i * streams.size() / load.producers,
                         .batches = batches,
                         .batch = load.batch});
    }
    for (Production& work : works) producers.spawn(produce(world, work));
    run(world.loop(), producers.join(), Millis(300'000));
    for (const Production& work : works) EXPECT_EQ(work.failures, 0);
    // Nobody but the slow one may be behind when the streams end; it alone catches up later.
    const auto expected = static_cast<std::uint64_t>(load.frames) / load.streams;
    const auto caught_up = [&] {
        return std::all_of(records.begin() + 1, records.end(), [&](const TailRecord& record) {
            return record.frames == expected || !record.fault.empty();
        });
    };
    ASSERT_TRUE(run_until(world.loop(), caught_up, Millis(300'000)));
    for (Watched& stream : streams) {
        stream.closed_at = Steady::now();
        complete(world, stream.attempt);
    }
    run(world.loop(), tails.join(), Millis(300'000));

    for (const TailRecord& record : records) {
        EXPECT_EQ(record.fault, "");
        EXPECT_EQ(record.frames, expected);
    }
    const std::vector<double> lags_ms = lags_after_close(records);
    std::cout << GetParam() << ": end after close, p50 " << lags_ms[lags_ms.size() / 2]
              << " ms, max " << lags_ms.back() << " ms; " << hub.pages_read() << " pages read, "
              << hub.watch().reads_made() << " blocking reads; "
              << peak_memory_mib() - memory_before << " MiB more\n";
    // Another process may hold up a few of them; if waking took a turn or a block, all were late.
    EXPECT_LT(lags_ms[lags_ms.size() / 2], 100.0);
    EXPECT_LT(lags_ms.back(), 2'000.0);
    EXPECT_LT(peak_memory_mib() - memory_before, kMemoryGrowthMostMib);
    EXPECT_EQ(hub.watch().streams(), 0U);
    run(world.loop(), hub.stop());
}

INSTANTIATE_TEST_SUITE_P(Hosts, ManyTails, ::testing::Values("embedded", "valkey", "cluster"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ff::testing
