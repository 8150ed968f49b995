#include "hub/stream_hub.h"

#include <chrono>
#include <cstdlib>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <gtest/gtest.h>

#include "base/task_group.h"
#include "engine/change_execution.h"
#include "engine/end_execution.h"
#include "hub/attempts.h"
#include "model/exec_keys.h"

namespace ff::testing {
namespace {

using hub::StreamHub;
using hub::TailPage;
using hub::TailRequest;
using Steady = std::chrono::steady_clock;

constexpr Millis kLong{30'000};
/// Far below any block time, far above what a wake-up takes on a busy machine.
constexpr Millis kSoon{5'000};

class HubTest : public ::testing::TestWithParam<std::string> {
  protected:
    void TearDown() override { run(world.loop(), hub->stop()); }

    TailRequest tail_of(const Attempt& attempt, std::string after = "0-0", Millis wait = kLong) {
        return {
            .stream = attempt.stream(), .after = std::move(after), .until = Deadline::after(wait)};
    }
    TailPage tail(TailRequest request) {
        auto page = run(world.loop(), hub->tail(std::move(request)), Millis(60'000));
        EXPECT_TRUE(page.has_value()) << page.error().text();
        return page.has_value() ? *std::move(page) : TailPage{};
    }

    /// A tail on its own.
    struct Running {
        std::optional<Result<TailPage>> page{};
        Steady::time_point at{};
    };
    boost::asio::awaitable<void> keep(std::shared_ptr<Running> running, TailRequest request) {
        Result<TailPage> page = co_await hub->tail(std::move(request));
        running->page.emplace(std::move(page));
        running->at = Steady::now();
    }
    std::shared_ptr<Running> start(TailRequest request) {
        auto running = std::make_shared<Running>();
        group.spawn(keep(running, std::move(request)));
        return running;
    }
    bool ends(const Running& running) {
        return run_until(world.loop(), [&] { return running.page.has_value(); }, kSoon);
    }
    /// Until so many tails wait in the hub for their streams.
    bool blocked() {
        return run_until(world.loop(), [&] { return hub->watch().reads_in_flight() > 0; });
    }

    World& world = world_of(GetParam());
    TaskGroup group{world.loop().get_executor(), "tails"};
    std::unique_ptr<StreamHub> hub = std::make_unique<StreamHub>(
        world.loop().get_executor(), world.store(), hub::StreamHubOptions{});
};

class Ch04Tail : public HubTest {};

/// Tails of so many attempts, one after the other. A busy machine may make one of them late; if it
/// were not the close that wakes a tail, all were.
constexpr int kTries = 5;
constexpr Millis kPromised{200};

TEST_P(Ch04Tail, S28_ATailAtTheTipEndsWithTheCompletion) {
    auto soonest = Steady::duration::max();
    for (int i = 0; i < kTries; ++i) {
        const Attempt attempt = start_attempt(world, std::to_string(i));
        append(world, attempt, 1, 3);
        const TailPage first = tail(tail_of(attempt));
        ASSERT_EQ(first.frames().size(), 3U);
        EXPECT_FALSE(first.ended());
        const auto waiting = start(tail_of(attempt, first.next));
        ASSERT_TRUE(blocked());

        const auto completing = Steady::now();
        complete(world, attempt);
        ASSERT_TRUE(ends(*waiting));
        soonest = std::min(soonest, waiting->at - completing);
        const TailPage& last = **waiting->page;
        EXPECT_TRUE(last.ended());
        EXPECT_TRUE(last.frames().empty());
        EXPECT_EQ(last.read->state.closed_reason, "attempt_success");
        const std::string data =
            model::ExecKeys(attempt.task.execution_id).stream(attempt.task.attempt_index);
        EXPECT_EQ(world.command({"XLEN", data}).as_integer(), 3);
    }
    EXPECT_LT(soonest, kPromised);
}

TEST_P(Ch04Tail, S30_ATailOfAStreamWithoutFramesEndsToo) {
    auto soonest = Steady::duration::max();
    for (int i = 0; i < kTries; ++i) {
        const Attempt attempt = start_attempt(world, std::to_string(i));
        const auto waiting = start(tail_of(attempt));
        ASSERT_TRUE(blocked());
        const auto completing = Steady::now();
        complete(world, attempt);
        ASSERT_TRUE(ends(*waiting));
        soonest = std::min(soonest, waiting->at - completing);
        EXPECT_TRUE((*waiting->page)->ended());
        EXPECT_EQ((*waiting->page)->read->state.closed_reason, "attempt_success");
    }
    EXPECT_LT(soonest, kPromised);
}

TEST_P(Ch04Tail, S31_ATailOfAnAttemptThatNeverStartsEndsWithTheCancellation) {
    const model::LaneId lane = world.lane("a");
    const model::ExecutionId id = world.create(lane);
    const auto waiting = start({.stream = {.execution_id = id}, .until = Deadline::after(kLong)});
    ASSERT_TRUE(blocked());
    world.must(engine::CancelExecution{.execution_id = id, .reason = "not needed"});
    ASSERT_TRUE(ends(*waiting));
    EXPECT_TRUE((*waiting->page)->ended());
    EXPECT_EQ((*waiting->page)->read->state.closed_reason, "attempt_never_started");
}

TEST_P(Ch04Tail, S34_OnlyTheLastPageOfAClosedStreamSaysThatItIsClosed) {
    const Attempt attempt = start_attempt(world, "a");
    for (int i = 0; i < 5; ++i) append(world, attempt, i * 100, 100);
    complete(world, attempt);
    std::string after = "0-0";
    for (int i = 1; i <= 5; ++i) {
        TailRequest request = tail_of(attempt, after);
        request.count_max = 100;
        const TailPage page = tail(std::move(request));
        EXPECT_EQ(page.frames().size(), 100U);
        EXPECT_EQ(page.ended(), i == 5) << i;
        after = page.next;
    }
    const auto start_time = Steady::now();
    const TailPage tip = tail(tail_of(attempt, after));
    EXPECT_TRUE(tip.ended());
    EXPECT_TRUE(tip.frames().empty());
    EXPECT_LT(Steady::now() - start_time, kSoon);
}

TEST_P(Ch04Tail, S35_ATailIsNotHeldUpByAnotherThatWaits) {
    const Attempt idle = start_attempt(world, "a");
    const Attempt busy = start_attempt(world, "b");
    const auto first = start(tail_of(idle));
    const auto second = start(tail_of(busy));
    ASSERT_TRUE(run_until(world.loop(), [&] { return hub->watch().reads_in_flight() == 2; }));
    append(world, busy, 1, 1);
    ASSERT_TRUE(ends(*second));
    EXPECT_EQ((*second->page)->frames().size(), 1U);
    EXPECT_FALSE(first->page.has_value());
    append(world, idle, 1, 1);
    ASSERT_TRUE(ends(*first));
}

TEST_P(Ch04Tail, S36_TwoHundredTailsOfAStreamCostOneRead) {
    const Attempt attempt = start_attempt(world, "a");
    append(world, attempt, 1, 1);
    const TailPage first = tail(tail_of(attempt));
    std::vector<std::shared_ptr<Running>> tails;
    for (int i = 0; i < 200; ++i) tails.push_back(start(tail_of(attempt, first.next)));
    ASSERT_TRUE(blocked());
    const std::uint64_t before = hub->pages_read();
    append(world, attempt, 2, 1);
    for (const auto& waiting : tails) {
        ASSERT_TRUE(ends(*waiting));
        ASSERT_EQ((*waiting->page)->frames().size(), 1U);
        EXPECT_EQ(payload_of((*waiting->page)->frames().front()), "2");
    }
    // The read that woke them brought the frame along.
    EXPECT_EQ(hub->pages_read() - before, 0U);
    EXPECT_EQ(hub->watch().streams(), 0U);
}

TEST_P(Ch04Tail, S39_AStopEndsWaitingTailsWithWhatTheyHave) {
    const Attempt attempt = start_attempt(world, "a");
    const auto waiting = start(tail_of(attempt));
    ASSERT_TRUE(blocked());
    const auto before = Steady::now();
    run(world.loop(), hub->stop());
    ASSERT_TRUE(ends(*waiting));
    ASSERT_TRUE(waiting->page->has_value());
    EXPECT_TRUE((*waiting->page)->stopped);
    EXPECT_TRUE((*waiting->page)->frames().empty());
    EXPECT_LT(Steady::now() - before, kSoon);
    const auto late = run(world.loop(), hub->tail(tail_of(attempt)));
    ASSERT_FALSE(late.has_value());
    EXPECT_EQ(late.error().code, "shutting_down");
}

class Ch04TailOverValkey : public HubTest {};

TEST_P(Ch04TailOverValkey, S40_ALostConnectionCostsATailNothing) {
    const Attempt attempt = start_attempt(world, "a");
    append(world, attempt, 1, 2);
    std::string after = tail(tail_of(attempt)).next;
    for (int i = 3; i < 8; ++i) {
        const auto waiting = start(tail_of(attempt, after));
        ASSERT_TRUE(blocked());
        ASSERT_TRUE(world.cut("normal"));
        append(world, attempt, i, 1);
        ASSERT_TRUE(ends(*waiting));
        ASSERT_TRUE(waiting->page->has_value()) << waiting->page->error().text();
        ASSERT_EQ((*waiting->page)->frames().size(), 1U);
        EXPECT_EQ(payload_of((*waiting->page)->frames().front()), std::to_string(i));
        after = (*waiting->page)->next;
    }
}

INSTANTIATE_TEST_SUITE_P(Hosts, Ch04TailOverValkey, ::testing::Values("valkey", "cluster"),
                         [](const auto& info) { return info.param; });

class TailHub : public HubTest {};

TEST_P(TailHub, RefusesWhatIsNoCursorAndNoLimit) {
    const Attempt attempt = start_attempt(world, "a");
    for (const char* after : {"-", "+", "start", "end", "", "12-", "x"}) {
        const auto page = run(world.loop(), hub->tail(tail_of(attempt, after)));
        ASSERT_FALSE(page.has_value()) << after;
        EXPECT_EQ(page.error().code, "invalid_input");
    }
    for (const std::int64_t count : {0, 10'001}) {
        TailRequest request = tail_of(attempt);
        request.count_max = count;
        EXPECT_FALSE(run(world.loop(), hub->tail(std::move(request))).has_value());
    }
    TailRequest impossible = tail_of(attempt);
    impossible.stream.attempt_index.value = 5;
    const auto page = run(world.loop(), hub->tail(std::move(impossible)));
    ASSERT_FALSE(page.has_value());
    EXPECT_EQ(page.error().code, "attempt_not_found");
}

TEST_P(TailHub, AnswersEmptyAtItsDeadlineAndPeeksWithoutOne) {
    const Attempt attempt = start_attempt(world, "a");
    const TailPage peek = tail(tail_of(attempt, "0-0", Millis(0)));
    EXPECT_TRUE(peek.frames().empty());
    EXPECT_FALSE(peek.ended());
    const TailPage waited = tail(tail_of(attempt, "0-0", Millis(50)));
    EXPECT_TRUE(waited.frames().empty());
    EXPECT_FALSE(waited.ended());
    EXPECT_FALSE(waited.stopped);
}

TEST_P(TailHub, StartsAtTheNewestFrameWhenAskedTo) {
    const Attempt attempt = start_attempt(world, "a");
    append(world, attempt, 1, 3);
    const auto waiting = start(tail_of(attempt, "latest"));
    ASSERT_TRUE(blocked());
    append(world, attempt, 4, 1);
    ASSERT_TRUE(ends(*waiting));
    ASSERT_EQ((*waiting->page)->frames().size(), 1U);
    EXPECT_EQ(payload_of((*waiting->page)->frames().front()), "4");
}

TEST_P(TailHub, FramesThatAreFilteredAwayDoNotEndAWait) {
    const Attempt attempt = start_attempt(world, "a");
    TailRequest request = tail_of(attempt);
    request.frame_types_csv = "log";
    const auto waiting = start(std::move(request));
    ASSERT_TRUE(blocked());
    append(world, attempt, 1, 5);
    engine::AppendFrames log = frames_of(attempt, 6, 1);
    log.frames.front().type = "log";
    world.must(std::move(log));
    ASSERT_TRUE(ends(*waiting));
    ASSERT_EQ((*waiting->page)->frames().size(), 1U);
    EXPECT_EQ(payload_of((*waiting->page)->frames().front()), "6");
}

/// One read examines 10,000 frames at most, and here none of them is wanted.
TEST_P(TailHub, GoesOnBehindAPageThatWasFilteredAwayCompletely) {
    const Attempt attempt = start_attempt(world, "a");
    for (int i = 0; i < 41; ++i) {
        engine::AppendFrames frames = frames_of(attempt, i * 256, 256);
        frames.limits.frames_max = 20'000;
        if (i == 40) frames.frames.back().type = "log";
        world.must(std::move(frames));
    }
    TailRequest request = tail_of(attempt, "0-0", kSoon);
    request.frame_types_csv = "log";
    EXPECT_EQ(tail(std::move(request)).frames().size(), 1U);
}

TEST_P(TailHub, TellsHowManyFramesWereLost) {
    const Attempt attempt = start_attempt(world, "a");
    engine::AppendFrames frames = frames_of(attempt, 1, 10);
    frames.limits.frames_max = 4;
    world.must(std::move(frames));
    const TailPage page = tail(tail_of(attempt));
    EXPECT_EQ(page.frames().size(), 4U);
    EXPECT_EQ(page.lost_after("0-0"), 6U);
    EXPECT_EQ(page.lost_after(page.frames().front().id), 0U);
}

/// A read that brings the first frames of one key and later ones of the other has a hole; it wakes,
/// but its frames are not handed on.
TEST_P(TailHub, FramesWithAHoleAreReadAgain) {
    const Attempt attempt = start_attempt(world, "a");
    append(world, attempt, 1, 20);
    world.must(engine::AppendFrame{.stream = attempt.stream(),
                                   .fence = attempt.task.fence,
                                   .frame = {.type = "token", .payload = "21"},
                                   .mode = engine::FrameMode::BestEffort,
                                   .limits = {.best_effort_ttl = Millis(60'000)}});
    hub::StreamWatch watch(world.loop().get_executor(), world.store(), {.read_count = 16});
    const model::ExecKeys keys(attempt.task.execution_id);
    const hub::StreamKeys watched{.partition = attempt.task.execution_id.partition_index(),
                                  .keys = {keys.stream(attempt.task.attempt_index),
                                           keys.stream_live(attempt.task.attempt_index)}};
    auto interest = watch.enter(watched);
    EXPECT_EQ(run(world.loop(), interest->wait({}, Deadline::after(kSoon))), hub::WatchEnd::Ready);
    EXPECT_EQ(interest->arrival(), nullptr);
    EXPECT_EQ(interest->position().n, 21U);
    interest.reset();
    run(world.loop(), watch.stop());
}

boost::asio::awaitable<void> wait_after_being_told(boost::asio::cancellation_signal& leave,
                                                   hub::StreamWatch::Interest& interest,
                                                   std::optional<hub::WatchEnd>& end) {
    co_await boost::asio::this_coro::throw_if_cancelled(false);
    // Nothing is under way that could be cancelled: only the state of the caller knows.
    leave.emit(boost::asio::cancellation_type::terminal);
    const Deadline until = Deadline::after(kLong);
    const hub::EntryId nothing;
    end = co_await interest.wait(nothing, until);
}

/// A client that hangs up while its tail reads must not be waited for until the next heartbeat.
TEST_P(TailHub, WhoeverWasToldToLeaveBeforeItWaitsDoesNotWait) {
    const Attempt attempt = start_attempt(world, "a");
    hub::StreamWatch watch(world.loop().get_executor(), world.store(), {});
    auto interest = watch.enter(
        {.partition = attempt.task.execution_id.partition_index(),
         .keys = {model::ExecKeys(attempt.task.execution_id).stream(attempt.task.attempt_index)}});
    boost::asio::cancellation_signal leave;
    std::optional<hub::WatchEnd> end;
    boost::asio::co_spawn(
        world.loop(), wait_after_being_told(leave, *interest, end),
        boost::asio::bind_cancellation_slot(leave.slot(), [](const std::exception_ptr&) {}));
    EXPECT_TRUE(run_until(world.loop(), [&] { return end.has_value(); }, kSoon));
    EXPECT_EQ(end, hub::WatchEnd::Timeout);
    interest.reset();
    run(world.loop(), watch.stop());
}

/// More streams than reads: they take turns, and no stream is forgotten.
TEST_P(TailHub, StreamsBeyondTheReadsTakeTurns) {
    hub::StreamHubOptions options;
    options.watch.reads_max = 3;
    std::vector<Attempt> attempts;
    std::vector<std::shared_ptr<Running>> tails;
    run(world.loop(), hub->stop());
    hub = std::make_unique<StreamHub>(world.loop().get_executor(), world.store(), options);
    for (int i = 0; i < 12; ++i) {
        attempts.push_back(start_attempt(world, std::to_string(i)));
        tails.push_back(start(tail_of(attempts.back())));
    }
    ASSERT_TRUE(blocked());
    for (std::size_t i = attempts.size(); i-- > 0;) {
        EXPECT_LE(hub->watch().reads_in_flight(), 3U);
        append(world, attempts[i], 1, 1);
        ASSERT_TRUE(ends(*tails[i])) << i;
        EXPECT_EQ((*tails[i]->page)->frames().size(), 1U);
    }
}

INSTANTIATE_TEST_SUITE_P(Hosts, Ch04Tail, ::testing::Values("embedded", "valkey", "cluster"),
                         [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(Hosts, TailHub, ::testing::Values("embedded", "valkey", "cluster"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ff::testing
