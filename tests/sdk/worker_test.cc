#include <algorithm>
#include <atomic>
#include <mutex>

#include <gtest/gtest.h>

#include "base/log.h"
#include "sdk/door_world.h"
#include "support/resp_connection.h"
#include "support/wait.h"

namespace ff::testing {
namespace {

using flowfabric::Grant;
using flowfabric::Millis;
using flowfabric::Task;
using flowfabric::Worker;

class Ch07Worker : public ::testing::TestWithParam<std::string> {
  protected:
    DoorWorld& world = door_world(GetParam());
    const flowfabric::AdminClient& client = world.client();
    std::string lane = DoorWorld::unique("lane");

    Task claim_one(Worker& worker) {
        auto tasks = worker.claim_tasks(1, kPatience).value();
        if (tasks.empty()) throw std::runtime_error("nothing to claim");
        return std::move(tasks.front());
    }
    Grant grant_for(const Worker& worker) {
        return client
            .request_grant({.worker_id = "tester",
                            .worker_instance_id = worker.config().worker_instance_id,
                            .lane = lane,
                            .ttl = Millis(30'000)})
            .value()
            .value_or(Grant{});
    }
};

TEST_P(Ch07Worker, S46_ASecondWorkerWithTheSameInstanceIdIsRefusedUntilTheFirstHasLeft) {
    flowfabric::WorkerConfig config = world.config(lane);
    Worker first = Worker::connect(config).value();
    const auto second = Worker::connect(config);
    ASSERT_FALSE(second.has_value());
    EXPECT_EQ(second.error().code, "config");
    EXPECT_NE(second.error().text().find(config.worker_instance_id), std::string::npos);
    EXPECT_TRUE(first.is_registered());
    ASSERT_TRUE(first.disconnect().has_value());
    EXPECT_FALSE(first.is_registered());
    EXPECT_TRUE(Worker::connect(config).has_value());
}

TEST_P(Ch07Worker, ManyAreCreatedAtOnceEachForItself) {
    const std::string bytes("\0\xff\x80 not text", 12);
    const std::string key = DoorWorld::unique("key");
    const auto plain =
        client
            .create_executions({{.kind = "work", .payload = bytes, .lane = lane},
                                {.kind = "work", .lane = lane, .priority = 7},
                                {.kind = "work", .lane = lane, .idempotency_key = key},
                                {.kind = "work", .lane = lane, .idempotency_key = key}})
            .value();
    ASSERT_EQ(plain.size(), 4U);
    EXPECT_EQ(client.get_payload(plain[0]->execution_id).value(), bytes);
    EXPECT_EQ(plain[0]->public_state, "waiting");
    EXPECT_EQ(client.describe_execution(plain[1]->execution_id).value().priority, 7);
    EXPECT_FALSE(plain[2]->duplicate);
    EXPECT_TRUE(plain[3]->duplicate);
    EXPECT_EQ(plain[3]->execution_id, plain[2]->execution_id);
    // Refused items leave the others alone.
    const auto mixed =
        client
            .create_executions({{.kind = "work", .lane = lane, .tags = {{"a.b", "c"}}},
                                {.kind = "work", .lane = "no lane"},
                                {.kind = "", .lane = lane}})
            .value();
    ASSERT_EQ(mixed.size(), 3U);
    EXPECT_EQ(client.get_tags(mixed[0]->execution_id).value().at("a.b"), "c");
    ASSERT_FALSE(mixed[1].has_value());
    EXPECT_EQ(mixed[1].error().code, "invalid_input");
    ASSERT_FALSE(mixed[2].has_value());
    EXPECT_EQ(mixed[2].error().code, "invalid_input");
    EXPECT_FALSE(client.create_executions({}).has_value());
}

TEST_P(Ch07Worker, AClosedLaneRefusesEachOfMany) {
    ASSERT_TRUE(client.set_lane(lane, {.state = "disabled"}).has_value());
    const auto refused =
        client.create_executions({{.kind = "work", .lane = lane}, {.kind = "work", .lane = lane}})
            .value();
    for (const auto& one : refused) {
        ASSERT_FALSE(one.has_value());
        EXPECT_EQ(one.error().code, "lane_not_accepting");
        EXPECT_EQ(one.error().detail, std::vector<std::string>{lane});
        EXPECT_NE(one.error().message.find(lane), std::string::npos) << one.error().message;
    }
}

TEST_P(Ch07Worker, S47_InvalidCapabilitiesAreRefusedBeforeAnythingIsWritten) {
    flowfabric::WorkerConfig config = world.config(lane);
    config.ns = DoorWorld::unique("ns");
    config.capabilities = {"fine", "two words"};
    const auto refused = Worker::connect(config);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, "invalid_capabilities");
    EXPECT_TRUE(client.list_workers(config.ns).value().workers.empty());
    if (GetParam() != "direct") return;
    RespConnection store = RespConnection::connect(world.valkey_port());
    const std::vector<std::string> search{"KEYS", "*" + config.worker_instance_id + "*"};
    EXPECT_TRUE(store.command(search).items.empty());
}

TEST_P(Ch07Worker, RefusesAConfigurationThatCannotBe) {
    for (const auto& spoil : std::vector<std::function<void(flowfabric::WorkerConfig&)>>{
             [](auto& config) { config.lanes.clear(); },
             [](auto& config) { config.worker_id = "a b"; }, [](auto& config) { config.ns = ""; },
             [](auto& config) { config.lease_ttl = Millis(10); },
             [](auto& config) { config.lanes = {"a,b"}; }}) {
        flowfabric::WorkerConfig config = world.config(lane);
        spoil(config);
        EXPECT_EQ(Worker::connect(config).error().code, "config");
    }
    EXPECT_EQ(
        Worker::connect({.worker_id = "w", .worker_instance_id = "i", .lanes = {"l"}}).error().code,
        "config");
}

TEST_P(Ch07Worker, S48_AtCapacityAGrantStaysAsItWas) {
    if (!world.has_store_access()) {
        Worker worker = world.worker(lane);
        EXPECT_EQ(worker.claim_from_grant({.execution_id = "x"}).error().code, "config");
        return;
    }
    world.submit(lane);
    Worker worker = world.worker(lane);
    Task first = claim_one(worker);
    const std::string second = world.submit(lane);
    const Grant grant = grant_for(worker);
    ASSERT_EQ(grant.execution_id, second);
    const auto refused = worker.claim_from_grant(grant);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, "worker_at_capacity");
    EXPECT_EQ(worker.claim_via_server(client, lane).error().code, "worker_at_capacity");
    ASSERT_TRUE(first.complete().has_value());
    auto taken = worker.claim_from_grant(grant);
    ASSERT_TRUE(taken.has_value()) << taken.error().text();
    EXPECT_EQ(taken->id(), second);
    EXPECT_EQ(taken->kind(), "work");
    EXPECT_EQ(taken->payload().value(), "{}");
    EXPECT_TRUE(taken->complete("done").has_value());
    EXPECT_EQ(client.get_result(second).value(), "done");
}

/// Over HTTP there are no grants to claim from.
class Ch07WorkerOfStore : public Ch07Worker {};

TEST_P(Ch07WorkerOfStore, S49_AGrantOfKindClaimContinuesAnInterruptedAttempt) {
    const std::string id = world.submit(lane);
    Worker worker = world.worker(lane);
    Task begun = claim_one(worker);
    const std::string attempt = begun.info().attempt_id;
    ASSERT_TRUE(begun.release().has_value());
    Grant grant;
    ASSERT_TRUE(wait_until([&] {
        grant = grant_for(worker);
        return grant.execution_id == id;
    }));
    grant.kind = "claim";  // as if it had been interrupted after the grant
    auto resumed = worker.claim_from_grant(grant);
    ASSERT_TRUE(resumed.has_value()) << resumed.error().text();
    EXPECT_EQ(resumed->info().attempt_type, "resumed");
    EXPECT_EQ(resumed->info().attempt_id, attempt);
    EXPECT_TRUE(resumed->complete().has_value());
}

TEST_P(Ch07Worker, ClaimsWithoutAdmissionOnlyWhenAllowed) {
    const std::string id = world.submit(lane);
    Worker shy = world.worker(lane);
    EXPECT_EQ(shy.claim_next().error().code, "config");
    if (!world.has_store_access()) return;
    flowfabric::WorkerConfig config = world.config(lane);
    config.direct_claim = true;
    Worker worker = Worker::connect(config).value();
    auto task = worker.claim_next().value();
    ASSERT_TRUE(task.has_value());
    EXPECT_EQ(task->id(), id);
    EXPECT_FALSE(worker.claim_next().value().has_value());  // no permit
    EXPECT_TRUE(task->complete().has_value());
    EXPECT_FALSE(worker.claim_next().value().has_value());  // no work
}

TEST_P(Ch07Worker, S50_AnAbandonedTaskGivesItsPermitBackAndIsReclaimed) {
    std::atomic<int> warnings = 0;
    log::Sink before = log::set_sink([&](std::string_view line) {
        if (line.find("task_abandoned") != std::string_view::npos) ++warnings;
    });
    flowfabric::WorkerConfig config = world.config(lane);
    config.lease_ttl = Millis(1000);
    Worker worker = Worker::connect(config).value();
    const std::string id = world.submit(lane);
    std::int64_t epoch = 0;
    {
        const Task dropped = claim_one(worker);
        epoch = dropped.info().lease_epoch;
        EXPECT_EQ(worker.free_permits(), 0U);
    }
    EXPECT_EQ(warnings, 1);
    EXPECT_EQ(worker.free_permits(), 1U);
    Task again = claim_one(worker);
    log::set_sink(std::move(before));
    EXPECT_EQ(again.id(), id);
    EXPECT_EQ(again.info().attempt_type, "reclaim");
    EXPECT_GT(again.info().lease_epoch, epoch);
    EXPECT_TRUE(again.complete().has_value());
}

TEST_P(Ch07Worker, AnAbandonedTaskIsReleasedAtOnceIfTheConfigurationSaysSo) {
    flowfabric::WorkerConfig config = world.config(lane);
    config.on_abandon = flowfabric::OnAbandon::Release;
    Worker worker = Worker::connect(config).value();
    world.submit(lane);
    {
        const Task dropped = claim_one(worker);
    }
    Task again = claim_one(worker);
    EXPECT_EQ(again.info().attempt_type, "resumed");
    EXPECT_TRUE(again.complete().has_value());
}

TEST_P(Ch07Worker, S51_ACompleteWhoseReplyWasLostIsRepeatedWithTheSameOutcome) {
    const auto lossy = std::make_shared<LossyDoor>(client.door());
    flowfabric::WorkerConfig config = world.config(lane);
    config.lease_ttl = Millis(1000);
    Worker worker = Worker::connect(flowfabric::AdminClient(lossy), config).value();
    const std::string id = world.submit(lane);
    Task task = claim_one(worker);
    lossy->lose_next("progress");
    EXPECT_FALSE(task.update_progress(5).has_value());
    lossy->lose_next("complete");
    const auto lost = task.complete("result");
    ASSERT_FALSE(lost.has_value());
    EXPECT_FALSE(lost.error().answered());
    EXPECT_FALSE(task.ended());
    EXPECT_EQ(worker.free_permits(), 0U);
    const auto repeated = task.complete("result");
    EXPECT_TRUE(repeated.has_value()) << repeated.error().text();
    EXPECT_TRUE(task.ended());
    EXPECT_EQ(worker.free_permits(), 1U);
    EXPECT_EQ(client.get_result(id).value(), "result");
    EXPECT_EQ(task.complete().error().code, "config");
}

TEST_P(Ch07Worker, S51_ACompleteThatNeverArrivedLeavesTheTaskOpenAndItsLeaseRenewed) {
    const auto lossy = std::make_shared<LossyDoor>(client.door());
    flowfabric::WorkerConfig config = world.config(lane);
    config.lease_ttl = Millis(2000);
    Worker worker = Worker::connect(flowfabric::AdminClient(lossy), config).value();
    const std::string id = world.submit(lane);
    Task task = claim_one(worker);
    lossy->drop_next("complete");
    EXPECT_FALSE(task.complete("result").has_value());
    EXPECT_FALSE(task.ended());
    const auto expiry = [&]() -> std::int64_t {
        const auto held = client.list_leases("tester", config.worker_instance_id).value();
        return held.empty() ? 0 : held[0].expires_at;
    };
    // When it is renewed so far, the lease it was claimed with has run out.
    const std::int64_t at_first = expiry();
    EXPECT_TRUE(wait_until([&] { return expiry() > at_first + 2000; }));
    EXPECT_TRUE(task.is_lease_healthy());
    EXPECT_EQ(world.state(id), "active");
    const auto repeated = task.complete("result");
    EXPECT_TRUE(repeated.has_value()) << repeated.error().text();
    EXPECT_EQ(client.get_result(id).value(), "result");
    EXPECT_EQ(client.list_attempts(id).value().size(), 1U);
}

TEST_P(Ch07Worker, S54_ABreakerAroundAWorkerFailsAtOnceAndClosesAfterATrial) {
    const auto lossy = std::make_shared<LossyDoor>(client.door());
    auto now = std::make_shared<std::chrono::steady_clock::time_point>();
    flowfabric::WorkerConfig config = world.config(lane);
    config.layers = {flowfabric::circuit_breaker_layer({.now = [now] { return *now; }})};
    Worker worker = Worker::connect(flowfabric::AdminClient(lossy), config).value();
    const std::string id = world.submit(lane);
    Task task = claim_one(worker);
    for (int i = 0; i < 5; ++i) {
        lossy->drop_next("progress");
        EXPECT_FALSE(task.update_progress(1).has_value());
    }
    const auto refused = task.update_progress(2);
    ASSERT_FALSE(refused.has_value());
    EXPECT_TRUE(refused.error().retryable());
    EXPECT_EQ(client.describe_execution(id).value().progress_pct, -1) << "it reached the store";
    *now += std::chrono::seconds(31);
    EXPECT_TRUE(task.update_progress(3).has_value()) << "the trial";
    EXPECT_TRUE(task.complete().has_value());
}

TEST_P(Ch07Worker, S55_ARateLimitAroundAWorkerIsRetryableAndReachesNobody) {
    flowfabric::WorkerConfig config = world.config(lane);
    config.layers = {flowfabric::rate_limit_layer(
        {.buckets = {{"progress", {.tokens = 1, .refill_per_second = 0}}},
         .classify = [](std::string_view method) { return std::string(method); }})};
    Worker worker = Worker::connect(config).value();
    const std::string id = world.submit(lane);
    Task task = claim_one(worker);
    EXPECT_TRUE(task.update_progress(10).has_value());
    const auto refused = task.update_progress(20);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, "too_many_requests");
    EXPECT_TRUE(refused.error().retryable());
    EXPECT_EQ(client.describe_execution(id).value().progress_pct, 10);
    EXPECT_TRUE(task.complete().has_value());
}

TEST_P(Ch07Worker, AFailWhoseReplyWasLostTellsTheRealRetry) {
    const auto lossy = std::make_shared<LossyDoor>(client.door());
    Worker worker = Worker::connect(flowfabric::AdminClient(lossy), world.config(lane)).value();
    world.submit(
        lane, "{}", "work",
        R"({"retry_policy":{"max_retries":3,"backoff":{"type":"fixed","delay_ms":60000}}})");
    Task task = claim_one(worker);
    lossy->lose_next("fail");
    EXPECT_FALSE(task.fail("broken", "test").has_value());
    EXPECT_FALSE(task.ended());
    const auto outcome = task.fail("broken", "test");
    ASSERT_TRUE(outcome.has_value()) << outcome.error().text();
    EXPECT_TRUE(outcome->retry_scheduled);
    EXPECT_GT(outcome->delay_until, 0);
    EXPECT_EQ(outcome->next_attempt_index, 1);
}

TEST_P(Ch07Worker, AClaimWhoseReplyWasLostGivesTheSameTaskAgain) {
    const auto lossy = std::make_shared<LossyDoor>(client.door());
    Worker worker = Worker::connect(flowfabric::AdminClient(lossy), world.config(lane)).value();
    const std::string id = world.submit(lane);
    lossy->lose_next("claim");
    EXPECT_FALSE(worker.claim_tasks(1, Millis(0)).has_value());
    Task task = claim_one(worker);
    EXPECT_EQ(task.id(), id);
    EXPECT_EQ(task.info().attempt_type, "initial");
    EXPECT_TRUE(task.complete().has_value());
}

TEST_P(Ch07Worker, LeasesAreRenewedWhileTheTaskIsHeldAndTheirLossIsTold) {
    flowfabric::WorkerConfig config = world.config(lane);
    config.lease_ttl = Millis(1000);
    Worker worker = Worker::connect(config).value();
    const std::string id = world.submit(lane);
    Task task = claim_one(worker);
    std::atomic<bool> lost = false;
    task.on_lease_lost([&](const flowfabric::Error&) { lost = true; });
    const auto claimed_at = std::chrono::steady_clock::now();
    ASSERT_TRUE(
        wait_until([&] { return std::chrono::steady_clock::now() - claimed_at > Millis(1800); }));
    EXPECT_TRUE(task.is_lease_healthy());
    EXPECT_TRUE(task.update_progress(50, "half").has_value());
    ASSERT_TRUE(client.revoke_lease(id, "test").has_value());
    EXPECT_TRUE(wait_until([&] { return lost.load(); }));
    EXPECT_FALSE(task.is_lease_healthy());
    EXPECT_TRUE(task.stop_token().stop_requested());
    EXPECT_TRUE(task.complete().error().answered());
    EXPECT_TRUE(task.ended());
}

TEST_P(Ch07Worker, SuspendsGetsItsSignalAndGoesOnWithTheSameAttempt) {
    Worker worker = world.worker(lane);
    const std::string id = world.submit(lane);
    Task task = claim_one(worker);
    const std::string attempt = task.info().attempt_id;
    const auto suspended = task.suspend(
        {.reason = "waiting_for_approval", .signals = {"approved"}, .continuation = "step-2"});
    ASSERT_TRUE(suspended.has_value()) << suspended.error().text();
    EXPECT_TRUE(task.ended());
    EXPECT_EQ(world.state(id), "suspended");
    const auto wrong = worker.verify_and_deliver(id, suspended->waitpoint.waitpoint_id, "forged",
                                                 {.name = "approved"});
    ASSERT_TRUE(wrong.has_value()) << wrong.error().text();
    EXPECT_EQ(wrong->kind, flowfabric::Verified::Kind::TokenMismatch);
    const auto right =
        worker.verify_and_deliver(id, suspended->waitpoint.waitpoint_id, suspended->waitpoint.token,
                                  {.name = "approved", .payload = std::string("\0\xff", 2)});
    ASSERT_TRUE(right.has_value()) << right.error().text();
    EXPECT_EQ(right->receipt.kind, flowfabric::SignalReceipt::Kind::TriggeredResume);
    Task resumed = claim_one(worker);
    EXPECT_EQ(resumed.info().attempt_type, "resumed");
    EXPECT_EQ(resumed.info().attempt_id, attempt);
    EXPECT_EQ(resumed.info().continuation, "step-2");
    const auto signals = resumed.resume_signals().value();
    ASSERT_EQ(signals.size(), 1U);
    EXPECT_EQ(signals[0].name, "approved");
    EXPECT_EQ(signals[0].payload, std::string("\0\xff", 2));
    EXPECT_TRUE(resumed.complete().has_value());
}

TEST_P(Ch07Worker, ASatisfiedPendingWaitpointGivesTheTaskBack) {
    Worker worker = world.worker(lane);
    const std::string id = world.submit(lane);
    Task task = claim_one(worker);
    const auto pending = task.create_pending_waitpoint("callback", Millis(60'000)).value();
    EXPECT_TRUE(worker
                    .deliver_signal(id, {.waitpoint_id = pending.waitpoint_id,
                                         .waitpoint_token = pending.token,
                                         .name = "called"})
                    .has_value());
    const auto now = task.try_suspend({.reason = "waiting_for_callback",
                                       .signals = {"called"},
                                       .use_pending = pending.waitpoint_id});
    ASSERT_TRUE(now.has_value()) << now.error().text();
    EXPECT_TRUE(now->already_satisfied);
    EXPECT_FALSE(task.ended());
    EXPECT_TRUE(task.renew_lease().has_value());
    EXPECT_TRUE(task.complete().has_value());
}

TEST_P(Ch07Worker, StreamsFramesOnceEvenWhenAReplyIsLost) {
    const auto lossy = std::make_shared<LossyDoor>(client.door());
    Worker worker = Worker::connect(flowfabric::AdminClient(lossy), world.config(lane)).value();
    const std::string id = world.submit(lane);
    Task task = claim_one(worker);
    EXPECT_TRUE(task.append_frame("token", "one").has_value());
    lossy->lose_next("append_frames");
    EXPECT_FALSE(task.append_frame("token", "two").has_value());
    EXPECT_TRUE(task.append_frame("token", "two").has_value());
    EXPECT_TRUE(task.append_frame("token", std::string("\xfe\xff")).has_value());
    const auto page = task.read_stream().value();
    ASSERT_EQ(page.frames.size(), 3U);
    EXPECT_EQ(page.frames[0].payload, "one");
    EXPECT_EQ(page.frames[1].payload, "two");
    EXPECT_EQ(page.frames[2].payload, "\xfe\xff");
    EXPECT_TRUE(task.complete().has_value());
    EXPECT_TRUE(client.tail_stream(id, 0, page.next, Millis(1000)).value().closed);
}

TEST_P(Ch07Worker, ReportsUsageToABudget) {
    const std::string budget = client
                                   .create_budget({.scope = {"lane", lane},
                                                   .hard_limits = {{"tokens", 100}},
                                                   .soft_limits = {{"tokens", 50}},
                                                   .enforcement_mode = "strict",
                                                   .on_hard_limit = "fail",
                                                   .on_soft_limit = "warn"})
                                   .value();
    world.submit(lane, "{}", "work", R"({"budget_ids":[")" + budget + R"("]})");
    Worker worker = world.worker(lane);
    Task task = claim_one(worker);
    const auto first = task.report_usage({{"tokens", 10}}, "", "a").value();
    ASSERT_EQ(first.size(), 1U);
    EXPECT_EQ(first[0].status, "ok");
    EXPECT_EQ(task.report_usage({{"tokens", 10}}, "", "a").value()[0].status, "already_applied");
    EXPECT_EQ(task.report_usage({{"tokens", 50}}, "", "b").value()[0].status, "soft_breach");
    const auto breach = task.report_usage({{"tokens", 50}}, "", "c").value();
    EXPECT_EQ(breach[0].status, "hard_breach");
    EXPECT_EQ(breach[0].action, "fail");
    EXPECT_TRUE(task.fail("over budget", "budget_exceeded").has_value());
}

TEST_P(Ch07Worker, DelaysCancelsAndReleases) {
    Worker worker = world.worker(lane);
    const std::string delayed = world.submit(lane);
    Task task = claim_one(worker);
    EXPECT_TRUE(task.delay_execution(flowfabric::Due::in(Millis(3'600'000))).has_value());
    EXPECT_EQ(world.state(delayed), "delayed");
    const std::string cancelled = world.submit(lane);
    Task other = claim_one(worker);
    EXPECT_TRUE(other.cancel("no longer needed").has_value());
    EXPECT_EQ(world.state(cancelled), "cancelled");
    const auto info = client.describe_execution(cancelled).value();
    EXPECT_EQ(info.terminal_outcome, "cancelled");
    EXPECT_FALSE(client.get_result(cancelled).has_value());
}

INSTANTIATE_TEST_SUITE_P(Doors, Ch07Worker, ::testing::Values("http", "direct", "inprocess"),
                         [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(Doors, Ch07WorkerOfStore, ::testing::Values("direct", "inprocess"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ff::testing
