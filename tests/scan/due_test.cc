#include "engine/budget.h"
#include "engine/end_execution.h"
#include "engine/grant.h"
#include "engine/suspend_execution.h"
#include "engine/waitpoint.h"
#include "model/budget_keys.h"
#include "model/global_keys.h"
#include "scan/scan_world.h"

namespace ff::testing {
namespace {

using scan::Kind;

class Ch07Due : public ScanTest {
  protected:
    model::ExecutionId create_delayed(const model::LaneId& lane, Millis delay) {
        auto task = world.task(lane);
        task.delay_until = model::DueTime::after(delay);
        return world.create(std::move(task));
    }
    /// How long after its time something happened to an execution, by the store's clock.
    Millis lateness(std::int64_t due_ms, const model::ExecutionId& id,
                    const std::function<bool()>& done) {
        EXPECT_TRUE(until(done));
        return Millis(std::stoll(field(id, "last_transition_at")) - due_ms);
    }
    std::int64_t ms_field(const model::ExecutionId& id, std::string_view name) {
        return std::stoll(field(id, name));
    }
    struct Lateness {
        Millis promotion{};
        Millis marking{};
        Millis expiry{};
        Millis most() const { return std::max({promotion, marking, expiry}); }
    };
    /// Of a promotion, the end of a lease and a deadline, each announced and then waited for.
    Lateness lateness_of_all(const model::LaneId& lane) {
        Lateness out;
        const auto delayed = create_delayed(lane, Millis(150));
        const std::int64_t due = ms_field(delayed, "delay_until");
        const auto promoted = [&] { return field(delayed, "eligibility_state") == "eligible_now"; };
        out.promotion = lateness(due, delayed, promoted);
        claim_one(lane, delayed, Millis(150));
        const std::int64_t lease_end = ms_field(delayed, "lease_expires_at");
        const auto marked = [&] {
            return field(delayed, "ownership_state") == "lease_expired_reclaimable";
        };
        out.marking = lateness(lease_end, delayed, marked);
        auto limited = world.task(lane);
        limited.execution_deadline = model::DueTime::after(Millis(150));
        const auto ended = world.create(std::move(limited));
        const std::int64_t deadline = ms_field(ended, "execution_deadline_at");
        const auto expired = [&] { return field(ended, "public_state") == "expired"; };
        out.expiry = lateness(deadline, ended, expired);
        return out;
    }
    model::BudgetId periodic_budget(Millis period) {
        const auto id = model::BudgetId::mint(world.random());
        world.must(engine::CreateBudget{.budget = {.id = id},
                                        .scope_type = "execution",
                                        .reset_interval = period,
                                        .limits = {{.dimension = "tokens", .hard = 10}}});
        return id;
    }
    std::int64_t resets_of(const model::BudgetId& id) {
        const std::string key = model::BudgetKeys(id, world.partitions()).definition();
        return world.command({"HGET", key, "reset_count"}).to_integer().value_or(0);
    }
    /// So that later tests do not meet it.
    void forget(const model::BudgetId& id) {
        const model::BudgetIndexKeys keys(model::partition_of(id, world.partitions()));
        world.command({"ZREM", keys.resets(), id.to_string()});
    }
    void install_secret(std::uint16_t partition) {
        world.must(engine::InitWaitpointSecret{.partition = model::PartitionKey::flow(partition),
                                               .kid = "k1",
                                               .secret_hex = std::string(64, 'a')});
    }
};

TEST_P(Ch07Due, S36_ExpiredLeasesThatStayDoNotHideTheNext) {
    const auto lane = world.lane("leases");
    for (int i = 0; i < 61; ++i) world.create(lane);
    const auto partition = model::PartitionKey::flow(solo(lane));
    const auto first = claim(lane, partition, 60, Millis(1));
    ASSERT_EQ(first.size(), 60U);
    wait_for_time(store_now_ms() + 2);
    cycle(Kind::LeaseExpiry);
    const std::uint64_t marked = probe.of[Kind::LeaseExpiry].items;
    EXPECT_GE(marked, 60U);
    for (const auto& task : first) {
        ASSERT_EQ(field(task.execution_id, "ownership_state"), "lease_expired_reclaimable");
    }
    const auto last = claim(lane, partition, 1, Millis(1));
    wait_for_time(store_now_ms() + 2);
    cycle(Kind::LeaseExpiry);
    EXPECT_EQ(field(last[0].execution_id, "ownership_state"), "lease_expired_reclaimable");
    // Those that stayed were not asked about again.
    EXPECT_EQ(probe.of[Kind::LeaseExpiry].items, marked + 1);
}

TEST_P(Ch07Due, ManyExpiredLeasesAreMarkedInOneCycle) {
    const auto lane = world.lane("many");
    for (int i = 0; i < 230; ++i) world.create(lane);
    // All with the same end: one page after the other begins with the same score.
    const auto tasks = claim(lane, model::PartitionKey::flow(solo(lane)), 230, Millis(1));
    ASSERT_EQ(tasks.size(), 230U);
    wait_for_time(store_now_ms() + 2);
    cycle(Kind::LeaseExpiry);
    for (const auto& task : tasks) {
        ASSERT_EQ(field(task.execution_id, "ownership_state"), "lease_expired_reclaimable");
    }
}

TEST_P(Ch07Due, S38_WhatAlwaysFailsStandsBackAndHoldsUpNobody) {
    const auto broken = periodic_budget(Millis(1));
    const auto sound = periodic_budget(Millis(1));
    const std::string usage = model::BudgetKeys(broken, world.partitions()).usage();
    world.command({"SET", usage, "no hash"});
    std::vector<std::uint64_t> errors;
    std::int64_t resets = 0;
    for (int i = 0; i < 15; ++i) {
        wait_for_time(store_now_ms() + 2);
        const std::uint64_t before = probe.of[Kind::BudgetReset].errors;
        cycle(Kind::BudgetReset);
        errors.push_back(probe.of[Kind::BudgetReset].errors - before);
        EXPECT_GT(resets_of(sound), resets) << "cycle " << i;
        resets = resets_of(sound);
    }
    const std::vector<std::uint64_t> expected{1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1};
    EXPECT_EQ(errors, expected);
    EXPECT_EQ(resets_of(broken), 0);
    world.command({"DEL", usage});
    cycle(Kind::BudgetReset);
    EXPECT_EQ(resets_of(broken), 1);
    forget(broken);
    forget(sound);
}

TEST_P(Ch07Due, AnEntryWithoutARecordIsCleanedUp) {
    const auto lane = world.lane("gone");
    lanes = {lane};
    world.create(lane);  // so that the partition is not empty
    const auto gone = world.task(lane).execution_id;
    const std::string index = model::IndexKeys(solo(lane)).lane(lane).delayed();
    world.command({"ZADD", index, "1", gone.to_string()});
    world.command({"ZADD", index, "1", "no id"});
    cycle(Kind::DelayedPromoter);
    EXPECT_FALSE(has(index, gone.to_string()));
    EXPECT_EQ(probe.of[Kind::DelayedPromoter].errors, 1U);
    world.command({"DEL", index});
}

TEST_P(Ch07Due, S12_ALaneThatNobodyConfiguredIsServed) {
    const auto lane = world.lane("unknown");
    world.command({"SADD", model::kLanesKey, lane.text()});
    const auto id = create_delayed(lane, Millis(1));
    wait_for_time(store_now_ms() + 2);
    cycle(Kind::DelayedPromoter);
    EXPECT_EQ(field(id, "eligibility_state"), "eligible_now");
    world.command({"SREM", model::kLanesKey, lane.text()});
}

/// Nothing but the announcement can be what made it happen: the next cycle is an hour away. On an
/// idle machine it is late by 1 or 2 ms; on one that runs all tests at once a single try may be
/// later than promised, so the best of a few is held to the promise. Each must come in its time.
TEST_P(Ch07Due, WhatIsAnnouncedHappensWhenItIsDue) {
    const Millis late_most(GetParam() == "embedded" ? 50 : 250);
    const auto lane = world.lane("near");
    lanes = {lane};
    start_patient();
    Lateness best{.promotion = Millis(60'000), .marking = Millis(60'000), .expiry = Millis(60'000)};
    for (int i = 0; i < 6 && best.most() >= late_most; ++i) {
        const Lateness now = lateness_of_all(lane);
        EXPECT_GE(std::min({now.promotion, now.marking, now.expiry}), Millis(0));
        best.promotion = std::min(best.promotion, now.promotion);
        best.marking = std::min(best.marking, now.marking);
        best.expiry = std::min(best.expiry, now.expiry);
    }
    EXPECT_LT(best.promotion, late_most);
    EXPECT_LT(best.marking, late_most);
    EXPECT_LT(best.expiry, late_most);
}

TEST_P(Ch07Due, AttemptTimeoutsAndSuspensionsEndWhenTheyAreDue) {
    const auto lane = world.lane("timeouts");
    lanes = {lane};
    install_secret(solo(lane));
    start_patient();
    auto limited = world.task(lane);
    limited.policy_json = R"({"timeout_policy":{"attempt_timeout_ms":150}})";
    const auto timed = world.create(std::move(limited));
    const auto task = claim_one(lane, timed);
    const auto waiting = world.create(lane);
    const auto held = claim_one(lane, waiting);
    const auto waitpoint = model::WaitpointId::mint(world.random());
    world.must(engine::SuspendExecution{
        .execution_id = waiting,
        .attempt_index = held.attempt_index,
        .fence = held.fence,
        .suspension_id = model::SuspensionId::mint(world.random()),
        .waitpoint = {.id = waitpoint, .key = *model::WaitpointKey::parse("wpk:x")},
        .reason_code = "waiting_for_signal",
        .requested_by = "worker",
        .timeout_at = model::DueTime::after(Millis(150)),
        .timeout_behavior = "fail",
        .resume_condition_json = R"({"condition_type":"signal_set","required_signal_names":["go"],)"
                                 R"("signal_match_mode":"any","minimum_signal_count":1})",
        .resume_policy_json = "{}"});
    EXPECT_TRUE(until([&] { return field(waiting, "public_state") == "failed"; }));
    EXPECT_TRUE(until([&] { return field(task.execution_id, "public_state") == "expired"; }));
}

TEST_P(Ch07Due, PendingWaitpointsAndBudgetPeriodsEndWhenTheyAreDue) {
    const auto lane = world.lane("waitpoint");
    lanes = {lane};
    install_secret(solo(lane));
    start_patient();
    const auto id = world.create(lane);
    const auto task = claim_one(lane, id);
    const auto waitpoint = model::WaitpointId::mint(world.random());
    world.must(engine::CreatePendingWaitpoint{.execution_id = id,
                                              .attempt_index = task.attempt_index,
                                              .waitpoint_id = waitpoint,
                                              .waitpoint_key = *model::WaitpointKey::parse("wpk:y"),
                                              .expires_at = model::DueTime::after(Millis(150)),
                                              .fence = task.fence});
    const std::string record = model::ExecKeys(id).waitpoint(waitpoint);
    EXPECT_TRUE(until(
        [&] { return world.command({"HGET", record, "state"}).text().value_or("") == "expired"; }));

    const auto budget = periodic_budget(Millis(200));
    // The second reset is known from the first, not from a message.
    EXPECT_TRUE(until([&] { return resets_of(budget) >= 2; }));
    forget(budget);
}

/// What was announced before this server listened is known from the scores that a cycle reads.
TEST_P(Ch07Due, WhatACycleHasSeenHappensWhenItIsDue) {
    const auto lane = world.lane("seen");
    lanes = {lane};
    const auto id = create_delayed(lane, Millis(1'500));
    start_patient();
    ASSERT_EQ(field(id, "eligibility_state"), "not_eligible_until_time");
    EXPECT_TRUE(until([&] { return field(id, "eligibility_state") == "eligible_now"; }));
}

/// Ruling 29 of spec 00: nobody changes anything in the store when a grant runs out.
TEST_P(Ch07Due, AnUnusedGrantWakesAWaitingClaimWhenItRunsOut) {
    const auto lane = world.lane("grant");
    lanes = {lane};
    auto claimer = world.claimer();
    scan::Options options;
    options.on_wake = [&](const std::string& name, std::uint16_t partition) {
        claimer->on_wake(name, partition);
    };
    start_patient(std::move(options));
    const auto id = world.create(lane);
    world.must(engine::IssueClaimGrant{
        .request = {.execution_id = id,
                    .worker_id = *model::WorkerId::parse("absent"),
                    .worker_instance_id = *model::WorkerInstanceId::parse("absent-1"),
                    .lane = lane,
                    .grant_ttl = Millis(300)}});
    auto request = world.request({lane});
    request.wait = Millis(8'000);
    const std::int64_t asked = store_now_ms();
    const auto tasks = run(world.loop(), claimer->claim(std::move(request)));
    ASSERT_TRUE(tasks.has_value());
    ASSERT_EQ(tasks->size(), 1U);
    EXPECT_EQ(tasks->front().task.execution_id, id);
    EXPECT_LT(store_now_ms() - asked, 5'000);
    claimer->stop();
}

TEST_P(Ch07Due, AStopLetsScannersLeaveAtOnce) {
    start_patient();
    const std::int64_t asked = store_now_ms();
    stop();
    EXPECT_LT(store_now_ms() - asked, 3'000);
}

INSTANTIATE_TEST_SUITE_P(Hosts, Ch07Due, ::testing::Values("embedded", "valkey", "cluster"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ff::testing
