#include <optional>

#include <gtest/gtest.h>

#include "base/task_group.h"
#include "hub/attempts.h"
#include "hub/feed_hub.h"
#include "hub/stream_hub.h"
#include "hub/waitpoint_secrets.h"
#include "service/audit.h"
#include "service/feeds.h"
#include "service/signals.h"
#include "service/streams.h"
#include "service/suspensions.h"

namespace ff::testing {
namespace {

/// What a server has above one store; each test has its own.
class Services : public ::testing::TestWithParam<std::string> {
  protected:
    Services() {
        must(hub::WaitpointSecrets(world.random(), world.store(), {}).install("k1", kSecret));
    }
    ~Services() override {
        run(world.loop(), streams_hub.stop());
        run(world.loop(), feed_hub.stop());
        run(world.loop(), audit.stop());
        claimer->stop();
    }

    template <class T>
    T must(Task<T> task) {
        Result<T> result = run(world.loop(), std::move(task), Millis(60'000));
        if (!result.has_value()) throw std::runtime_error(result.error().text());
        return *std::move(result);
    }
    template <class T>
    std::string refusal(Task<T> task) {
        const Result<T> result = run(world.loop(), std::move(task));
        return result.has_value() ? "nothing was refused" : result.error().code;
    }
    service::HeldAttempt held(const Attempt& attempt) const {
        return {.execution_id = attempt.task.execution_id,
                .attempt_index = attempt.task.attempt_index,
                .fence = attempt.task.fence};
    }
    engine::SuspendExecution::Outcome suspend(const Attempt& attempt) {
        return must(suspensions.suspend({.attempt = held(attempt), .signals = {"approved"}}));
    }

    static inline const std::string kSecret = std::string(64, 'c');
    World world{GetParam()};
    std::unique_ptr<sched::Claimer> claimer = world.claimer();
    service::Rules rules{};
    service::Context context{.loop = world.loop().get_executor(),
                             .store = world.store(),
                             .clock = world.clock(),
                             .random = world.random(),
                             .partitioner = world.partitioner(),
                             .claimer = *claimer,
                             .rules = rules};
    hub::StreamHub streams_hub{context.loop, world.store(), {}};
    hub::FeedHub feed_hub{context.loop, world.store(), {}};
    service::Signals signals{context};
    service::Suspensions suspensions{context};
    service::Streams streams{context, streams_hub, feed_hub};
    service::Feeds feeds{context, feed_hub};
    service::Audit audit{context};
};

TEST_P(Services, AResumedAttemptReadsTheSignalsThatResumedIt) {
    const Attempt attempt = start_attempt(world, "a");
    const model::ExecutionId id = attempt.task.execution_id;
    const auto suspended = suspend(attempt);
    EXPECT_FALSE(suspended.already_satisfied);
    const Bytes payload("\x00\xff\xc3\x28", 4);
    const auto receipt =
        must(signals.deliver({.execution_id = id,
                              .waitpoint_key = *model::WaitpointKey::parse(suspended.waitpoint.key),
                              .name = "approved",
                              .source_identity = "alice",
                              .payload = payload,
                              .token = suspended.waitpoint.token.reveal()}));
    EXPECT_EQ(receipt.effect, "resume_condition_satisfied");
    const auto read = must(suspensions.resume_signals(id, attempt.task.attempt_index));
    ASSERT_EQ(read.size(), 1U);
    EXPECT_EQ(read[0].signal_id, receipt.signal_id);
    EXPECT_EQ(read[0].name, "approved");
    EXPECT_EQ(read[0].payload, payload);
    EXPECT_TRUE(must(suspensions.resume_signals(id, model::AttemptIndex{1})).empty());
    const auto view = must(suspensions.current(id));
    EXPECT_EQ(service::field_of(view.fields, "close_reason"), "resumed");
    ASSERT_EQ(view.waitpoints.size(), 1U);
    EXPECT_EQ(service::field_of(view.waitpoints[0].fields, "waitpoint_token"), "");
    EXPECT_EQ(service::field_of(view.waitpoints[0].fields, "state"), "closed");
    EXPECT_EQ(refusal(signals.token(id, suspended.waitpoint.id)), "waitpoint_not_found");
}

TEST_P(Services, SignalsAreListedInTheirOrderPageByPage) {
    const Attempt attempt = start_attempt(world, "a");
    const model::ExecutionId id = attempt.task.execution_id;
    const auto suspended = suspend(attempt);
    std::vector<std::string> sent;
    for (int i = 0; i < 5; ++i) {
        sent.push_back(must(signals.deliver({.execution_id = id,
                                             .waitpoint_id = suspended.waitpoint.id,
                                             .name = "other",
                                             .token = suspended.waitpoint.token.reveal()}))
                           .signal_id);
    }
    std::vector<std::string> seen;
    std::optional<model::SignalId> after;
    for (int pages = 0; pages < 5; ++pages) {
        const auto page = must(signals.list({.execution_id = id, .after = after, .limit = 2}));
        EXPECT_LE(page.signals.size(), 2U);
        for (const auto& signal : page.signals) seen.push_back(signal.signal_id);
        if (!page.next) break;
        after = *model::SignalId::parse(*page.next);
    }
    std::ranges::sort(sent);
    EXPECT_EQ(seen.size(), 5U);
    std::ranges::sort(seen);
    EXPECT_EQ(seen, sent);
    EXPECT_EQ(
        refusal(signals.list({.execution_id = id, .after = model::SignalId::mint(world.random())})),
        "invalid_cursor");
}

TEST_P(Services, OnlyTheHolderOfTheLeaseClosesAWaitpoint) {
    const Attempt attempt = start_attempt(world, "a");
    const Attempt other = start_attempt(world, "b");
    const auto pending =
        must(suspensions.create_pending({.attempt = held(attempt), .expires_in = Millis(60'000)}));
    ASSERT_TRUE(pending.expires_at.has_value());
    EXPECT_GT(*pending.expires_at, world.clock().now() + Millis(50'000));
    const model::WaitpointId waitpoint = pending.waitpoint.id;
    service::HeldAttempt stale = held(attempt);
    stale.fence.lease_epoch.value += 1;
    EXPECT_EQ(refusal(suspensions.close_waitpoint({.attempt = stale, .waitpoint_id = waitpoint})),
              "stale_lease");
    EXPECT_NE(
        refusal(suspensions.close_waitpoint({.attempt = held(other), .waitpoint_id = waitpoint})),
        "nothing was refused");
    must(suspensions.close_waitpoint(
        {.attempt = held(attempt), .waitpoint_id = waitpoint, .reason = "no longer needed"}));
    const auto open = must(signals.pending_waitpoints({.execution_id = attempt.task.execution_id}));
    EXPECT_TRUE(open.waitpoints.empty());
}

TEST_P(Services, TheModeOfAFrameComesFromThePolicyUnlessTheCallSaysIt) {
    engine::CreateExecution task = world.task(world.lane("a"));
    task.policy_json =
        R"({"stream_policy":{"durability_mode":"durable_summary","retention_maxlen":3}})";
    const model::LaneId lane = task.lane;
    const model::ExecutionId id = world.create(std::move(task));
    const engine::ClaimedTask claimed = claim_one(world, lane, id);
    const engine::StreamAddress stream{.execution_id = id, .attempt_index = claimed.attempt_index};
    const auto summary = must(streams.append({.stream = stream,
                                              .fence = claimed.fence,
                                              .frames = {{.type = "t", .payload = R"({"a":1})"}}}));
    EXPECT_EQ(summary.summary_version, "1");
    service::FrameBatch several{.stream = stream, .fence = claimed.fence};
    for (int i = 0; i < 5; ++i) several.frames.push_back({.type = "t", .payload = "{}"});
    EXPECT_EQ(refusal(streams.append(several)), "invalid_input");
    several.mode = engine::FrameMode::Durable;
    must(streams.append(std::move(several)));
    const auto page = must(streams.read({.stream = stream, .exclude_best_effort = true}));
    EXPECT_EQ(page.entries.size(), 4U);  // the policy keeps three durable ones
    EXPECT_EQ(must(streams.summary({.stream = stream})).version, 1);
}

boost::asio::awaitable<void> await_summary(service::Streams& streams,
                                           service::SummaryRequest request,
                                           std::optional<engine::ReadSummary::Outcome>& out) {
    auto summary = co_await streams.summary(std::move(request));
    if (summary.has_value()) out = *std::move(summary);
}

TEST_P(Services, ASummaryIsAwaitedUntilItIsNewerOrTheStreamEnds) {
    const Attempt attempt = start_attempt(world, "a");
    const auto add = [&](std::string patch) {
        return must(streams.append({.stream = attempt.stream(),
                                    .fence = attempt.task.fence,
                                    .frames = {{.type = "s", .payload = std::move(patch)}},
                                    .mode = engine::FrameMode::Summary}));
    };
    add(R"({"a":1})");
    TaskGroup group(world.loop().get_executor(), "summaries");
    std::optional<engine::ReadSummary::Outcome> newer;
    std::optional<engine::ReadSummary::Outcome> last;
    const Deadline until = Deadline::after(Millis(20'000));
    group.spawn(await_summary(
        streams, {.stream = attempt.stream(), .after_version = 1, .until = until}, newer));
    group.spawn(await_summary(
        streams, {.stream = attempt.stream(), .after_version = 7, .until = until}, last));
    append(world, attempt, 0, 3);
    EXPECT_FALSE(newer.has_value());
    add(R"({"b":2})");
    ASSERT_TRUE(run_until(world.loop(), [&] { return newer.has_value(); }));
    EXPECT_EQ(newer->version, 2);
    EXPECT_FALSE(last.has_value());
    complete(world, attempt);
    ASSERT_TRUE(run_until(world.loop(), [&] { return last.has_value(); }));
    EXPECT_EQ(last->closed_reason, "attempt_success");
    run(world.loop(), group.join());
}

boost::asio::awaitable<void> await_end(service::Streams& streams, model::ExecutionId id,
                                       std::optional<service::Ending>& out) {
    auto ending = co_await streams.wait_for_terminal(id, Deadline::after(Millis(20'000)));
    if (ending.has_value()) out = *std::move(ending);
}

TEST_P(Services, WaitingForTheEndEndsWithIt) {
    const Attempt attempt = start_attempt(world, "a");
    const model::ExecutionId id = attempt.task.execution_id;
    EXPECT_TRUE(must(streams.wait_for_terminal(id, Deadline::after(Millis(50)))).timed_out);
    TaskGroup group(world.loop().get_executor(), "ends");
    std::optional<service::Ending> ending;
    group.spawn(await_end(streams, id, ending));
    complete(world, attempt);
    ASSERT_TRUE(run_until(world.loop(), [&] { return ending.has_value(); }));
    EXPECT_FALSE(ending->timed_out);
    EXPECT_EQ(ending->standing.terminal_outcome, "success");
    run(world.loop(), group.join());
    EXPECT_FALSE(must(streams.wait_for_terminal(id, Deadline::after(Millis(0)))).timed_out);
}

boost::asio::awaitable<void> await_audit(service::Audit& audit, std::string after,
                                         std::optional<service::AuditPage>& out) {
    auto page = co_await audit.read(std::move(after), 10, Deadline::after(Millis(20'000)));
    if (page.has_value()) out = *std::move(page);
}

TEST_P(Services, TheAuditTrailIsKeptReadAndAwaited) {
    run(world.loop(), audit.record({.event = "first", .actor = "anonymous", .outcome = "ok"}));
    run(world.loop(), audit.record({.event = "second", .actor = "anonymous", .outcome = "ok"}));
    const auto page = must(audit.read("0-0", 10, Deadline::after(Millis(0))));
    ASSERT_EQ(page.entries.size(), 2U);
    EXPECT_EQ(service::field_of(page.entries[1].fields, "event"), "second");
    TaskGroup group(world.loop().get_executor(), "audits");
    std::optional<service::AuditPage> awaited;
    group.spawn(await_audit(audit, page.next, awaited));
    run(world.loop(), audit.record({.event = "third"}));
    ASSERT_TRUE(run_until(world.loop(), [&] { return awaited.has_value(); }));
    ASSERT_EQ(awaited->entries.size(), 1U);
    EXPECT_EQ(service::field_of(awaited->entries[0].fields, "event"), "third");
    run(world.loop(), group.join());
}

INSTANTIATE_TEST_SUITE_P(Stores, Services, ::testing::Values("embedded", "valkey", "cluster"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ff::testing
