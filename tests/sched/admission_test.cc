#include <set>

#include <gtest/gtest.h>

#include "engine/budget.h"
#include "engine/claim_batch.h"
#include "engine/end_execution.h"
#include "engine/grant.h"
#include "engine/quota.h"
#include "engine/suspend_execution.h"
#include "engine/waitpoint.h"
#include "engine/worker_registry.h"
#include "model/budget_keys.h"
#include "model/index_keys.h"
#include "model/quota_keys.h"
#include "sched/granter.h"
#include "sched/quota_drain.h"
#include "sched/unblocker.h"
#include "sched/world.h"

namespace ff::testing {
namespace {

using sched::LaneTask;

class Ch06Admission : public ::testing::TestWithParam<std::string> {
  protected:
    World& world = world_of(GetParam());
    std::unique_ptr<sched::Claimer> claimer = world.claimer();
    sched::Unblocker unblocker{world.store(), world.partitions(), claimer->lanes(),
                               claimer->admission()};

    std::vector<LaneTask> claim(sched::ClaimRequest request) {
        auto tasks = run(world.loop(), claimer->claim(std::move(request)));
        EXPECT_TRUE(tasks.has_value()) << tasks.error().text();
        return tasks.has_value() ? *std::move(tasks) : std::vector<LaneTask>();
    }
    model::BudgetId budget(std::int64_t hard) {
        const auto id = model::BudgetId::mint(world.random());
        world.must(engine::CreateBudget{.budget = {.id = id},
                                        .scope_type = "execution",
                                        .limits = {{.dimension = "tokens", .hard = hard}}});
        return id;
    }
    model::QuotaPolicyId quota(std::int64_t concurrent, std::int64_t rate = 0) {
        const auto id = model::QuotaPolicyId::mint(world.random());
        world.must(engine::CreateQuotaPolicy{.quota = {.id = id},
                                             .window_seconds = 60,
                                             .requests_per_window_max = rate,
                                             .concurrent_max = concurrent});
        return id;
    }
    void spend(const model::BudgetId& id, std::int64_t tokens) {
        world.must(engine::ReportUsage{.budget = {.id = id}, .amounts = {{"tokens", tokens}}});
    }
    model::ExecutionId create_with(const model::LaneId& lane, std::string policy) {
        auto task = world.task(lane);
        task.policy_json = std::move(policy);
        return world.create(std::move(task));
    }
    static std::string names_budget(const model::BudgetId& id) {
        return R"({"budget_ids":[")" + id.to_string() + R"("]})";
    }
    static std::string names_quota(const model::QuotaPolicyId& id) {
        return R"({"quota_policy_id":")" + id.to_string() + R"("})";
    }
    std::size_t unblock(const model::LaneId& lane) {
        const auto partition = world.partitioner().partition(lane, world.partitions());
        unblocker.begin_round();
        auto done = run(world.loop(), unblocker.pass(partition, lane));
        EXPECT_TRUE(done.has_value()) << done.error().text();
        claimer->on_gap();  // in place of the wake message, which nobody forwards here
        return done.has_value() ? *done : 0;
    }
    std::int64_t held_places(const model::QuotaPolicyId& id) {
        const model::QuotaKeys keys(id, world.partitions());
        return world.command({"GET", keys.concurrency()}).to_integer().value_or(0);
    }
};

TEST_P(Ch06Admission, S03_ABudgetFilledExactlyBlocksTheNextClaim) {
    const auto lane = world.lane("exact");
    const auto id = budget(10);
    spend(id, 8);
    spend(id, 2);
    const auto execution = create_with(lane, names_budget(id));
    EXPECT_TRUE(claim(world.request({lane})).empty());
    EXPECT_EQ(world.core_field(execution, "blocking_reason"), "waiting_for_budget");
    EXPECT_EQ(world.core_field(execution, "public_state"), "rate_limited");
    EXPECT_EQ(world.core_field(execution, "blocking_ref"), "budget:" + id.to_string());
    EXPECT_EQ(world.core_field(execution, "blocking_detail"),
              "budget " + id.to_string() + ": tokens 10/10");
}

TEST_P(Ch06Admission, S16_ABudgetThatCannotBeReadGrantsNothing) {
    const auto lane = world.lane("broken");
    const auto id = budget(10);
    const model::BudgetKeys keys(id, world.partitions());
    world.command({"DEL", keys.limits()});
    world.command({"SET", keys.limits(), "no hash"});
    const auto execution = create_with(lane, names_budget(id));
    const auto refused = run(world.loop(), claimer->claim(world.request({lane})));
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(world.core_field(execution, "eligibility_state"), "eligible_now");
    EXPECT_EQ(world.core_field(execution, "grant_until"), "");
    world.command({"DEL", keys.limits()});
    world.must(engine::CancelExecution{.execution_id = execution, .source = "operator_override"});
}

TEST_P(Ch06Admission, S17_RaisingALimitFreesWorkAtOnce) {
    const auto lane = world.lane("raised");
    const auto id = budget(10);
    spend(id, 10);
    const auto execution = create_with(lane, names_budget(id));
    EXPECT_TRUE(claim(world.request({lane})).empty());

    store::Channels channels{.names = {"ff:admission:freed"}};
    auto subscribed = run(world.loop(), world.store().subscribe(std::move(channels)));
    ASSERT_TRUE(subscribed.has_value());
    world.must(engine::UpdateBudget{.budget = {.id = id},
                                    .actor = "operator",
                                    .changes = {{.dimension = "tokens", .hard = 20}}});
    auto notice = run(world.loop(), (*subscribed)->next(Deadline::after(kPatience)));
    ASSERT_TRUE(notice.has_value() && notice->has_value());
    EXPECT_EQ((*notice)->message, "budget:" + id.to_string());
    const auto partition = world.partitioner().partition(lane, world.partitions());
    const auto freed = run(world.loop(), unblocker.freed((*notice)->message, {partition}, {lane}));
    ASSERT_TRUE(freed.has_value());
    EXPECT_EQ(*freed, 1U);
    EXPECT_EQ(world.core_field(execution, "eligibility_state"), "eligible_now");
    EXPECT_EQ(claim(world.request({lane})).size(), 1U);
}

TEST_P(Ch06Admission, S22_AnotherServerGivesBackThePlacesOfARunThatEnded) {
    const auto lane = world.lane("outbox");
    const auto id = quota(1);
    const auto one = create_with(lane, names_quota(id));
    const auto other = create_with(lane, names_quota(id));
    auto tasks = claim(world.request({lane}));
    ASSERT_EQ(tasks.size(), 1U);
    const auto waiting = tasks[0].task.execution_id == one ? other : one;
    EXPECT_EQ(held_places(id), 1);
    world.must(engine::CompleteExecution{.execution_id = tasks[0].task.execution_id,
                                         .fence = tasks[0].task.fence});
    // The server that served the completion is gone; nothing but the outbox remembers.
    EXPECT_EQ(held_places(id), 1);
    EXPECT_TRUE(claim(world.request({lane})).empty());
    const auto partition = world.partitioner().partition(lane, world.partitions());
    const auto freed = run(
        world.loop(), sched::drain_quota_releases(world.store(), partition, world.partitions()));
    ASSERT_TRUE(freed.has_value());
    EXPECT_EQ(*freed, 1U);
    EXPECT_EQ(held_places(id), 0);
    EXPECT_EQ(unblock(lane), 1U);
    tasks = claim(world.request({lane}));
    ASSERT_EQ(tasks.size(), 1U);
    EXPECT_EQ(tasks[0].task.execution_id, waiting);
    EXPECT_EQ(world.core_field(waiting, "admitted_quota_ids"), id.to_string());
}

TEST_P(Ch06Admission, S23_WhenOneQuotaRefusesTheOtherGivesItsPlaceBack) {
    const auto lane = world.lane("two");
    auto first = quota(5);
    auto second = quota(1);
    // Quotas are asked in the order of their ids; the one with room must come first.
    if (second.to_string() < first.to_string()) {
        std::swap(first, second);
        world.must(engine::ReleaseAdmission{.quota = {.id = first},
                                            .execution_id = world.task(lane).execution_id});
    }
    const model::QuotaKeys first_keys(first, world.partitions());
    const model::QuotaKeys second_keys(second, world.partitions());
    world.command({"HSET", first_keys.definition(), "active_concurrency_cap", "5"});
    world.command({"HSET", second_keys.definition(), "active_concurrency_cap", "1"});
    const auto attach = [&](const model::QuotaPolicyId& id) {
        const auto attached =
            run(world.loop(),
                claimer->attachments().attach(sched::PolicyFamily::Quota,
                                              {.type = "lane", .id = lane.text()}, id.to_string()));
        ASSERT_TRUE(attached.has_value());
    };
    attach(first);
    attach(second);
    const auto one = world.create(lane);
    const auto other = world.create(lane);
    const auto tasks = claim(world.request({lane}, 2));
    ASSERT_EQ(tasks.size(), 1U);
    const auto refused = tasks[0].task.execution_id == one ? other : one;
    EXPECT_EQ(held_places(first), 1);
    EXPECT_EQ(held_places(second), 1);
    EXPECT_EQ(world.core_field(refused, "blocking_ref"), "quota:" + second.to_string());
    EXPECT_EQ(world.core_field(refused, "blocking_detail"),
              "quota " + second.to_string() + ": concurrency 1/1");
    for (const auto& id : {first, second}) {
        const auto removed =
            run(world.loop(),
                claimer->attachments().detach(sched::PolicyFamily::Quota,
                                              {.type = "lane", .id = lane.text()}, id.to_string()));
        ASSERT_TRUE(removed.has_value());
    }
}

/// What a scheduler does for one lane, step by step, so that a test can let another one come
/// between.
struct Steps {
    World& world;
    model::LaneId lane;
    sched::Admission& admission;

    engine::ClaimBatch batch() const {
        const auto partition = world.partitioner().partition(lane, world.partitions());
        engine::ClaimBatch made{.partition = model::PartitionKey::flow(partition),
                                .worker_id = *model::WorkerId::parse("w"),
                                .worker_instance_id = *model::WorkerInstanceId::parse("w-1"),
                                .lane = lane};
        made.leases.push_back({.lease_id = model::LeaseId::mint(world.random()),
                               .attempt_id = model::AttemptId::mint(world.random())});
        return made;
    }
    std::vector<sched::Admission::Admitted> admit() const {
        auto claimed = world.must(batch());
        auto subjects = run(world.loop(), admission.subjects(lane, std::move(claimed.deferred)));
        auto admitted = run(world.loop(), admission.admit(*std::move(subjects)));
        return *std::move(admitted);
    }
    engine::ClaimedBatch claim(const sched::Admission::Admitted& one) const {
        engine::ClaimBatch made = batch();
        made.gated_namespaces = {"*"};
        made.admitted.push_back({.execution_id = one.execution_id,
                                 .quota_ids_csv = one.quota_ids.front(),
                                 .admission_epoch = one.admission_epoch});
        return world.must(made);
    }
    void roll_back(std::vector<sched::Admission::Admitted> admitted) const {
        EXPECT_TRUE(run(world.loop(), admission.roll_back(std::move(admitted))).has_value());
    }
};

TEST_P(Ch06Admission, S67_TheLoserOfARaceLeavesThePlaceOnWhichTheOtherRuns) {
    const auto lane = world.lane("raced");
    const auto id = quota(1);
    const auto execution = create_with(lane, names_quota(id));
    const Steps steps{world, lane, claimer->admission()};
    auto first = steps.admit();
    auto second = steps.admit();
    ASSERT_EQ(first.size(), 1U);
    ASSERT_EQ(second.size(), 1U);
    const auto won = steps.claim(second.front());
    ASSERT_EQ(won.claimed.size(), 1U);
    steps.roll_back(std::move(first));
    EXPECT_EQ(held_places(id), 1) << "its run is not over";
    world.must(
        engine::CompleteExecution{.execution_id = execution, .fence = won.claimed.front().fence});
    const auto partition = world.partitioner().partition(lane, world.partitions());
    const auto freed = run(
        world.loop(), sched::drain_quota_releases(world.store(), partition, world.partitions()));
    ASSERT_TRUE(freed.has_value());
    EXPECT_EQ(held_places(id), 0);
}

TEST_P(Ch06Admission, S67_WhoIsFasterThanARollBackRunsOnlyWithAPlace) {
    const auto lane = world.lane("slower");
    const auto id = quota(1);
    create_with(lane, names_quota(id));
    const Steps steps{world, lane, claimer->admission()};
    auto first = steps.admit();
    auto second = steps.admit();
    ASSERT_EQ(second.size(), 1U);
    const auto late = second.front();
    steps.roll_back(std::move(first));
    EXPECT_EQ(held_places(id), 0);
    const auto refused = steps.claim(late);
    EXPECT_TRUE(refused.claimed.empty());
    EXPECT_EQ(refused.not_claimed.at(0).second, "stale_admission");
    EXPECT_EQ(claim(world.request({lane})).size(), 1U) << "the next cycle takes it";
    EXPECT_EQ(held_places(id), 1);
    steps.roll_back(std::move(second));
    EXPECT_EQ(held_places(id), 1);
}

/// The claim was done, but its answer was lost: nobody knows.
TEST_P(Ch06Admission, S67_ARollBackAfterALostAnswerLeavesThePlaceOfWhatRuns) {
    const auto lane = world.lane("lost");
    const auto id = quota(1);
    create_with(lane, names_quota(id));
    const Steps steps{world, lane, claimer->admission()};
    auto admitted = steps.admit();
    ASSERT_EQ(admitted.size(), 1U);
    steps.claim(admitted.front());
    steps.roll_back(std::move(admitted));
    EXPECT_EQ(held_places(id), 1);
}

TEST_P(Ch06Admission, S27_OnlyOneWorkerThatCoversEverythingUnblocks) {
    const auto lane = world.lane("route");
    const auto execution =
        create_with(lane, R"({"routing_requirements":{"required_capabilities":["eu","gpu"]}})");
    EXPECT_TRUE(claim(world.request({lane})).empty());
    EXPECT_EQ(world.core_field(execution, "eligibility_state"), "blocked_by_route");
    const auto ns = *model::Namespace::parse("acme");
    const auto advertise = [&](const char* instance, const char* capabilities) {
        world.must(engine::RegisterWorker{.ns = ns,
                                          .instance_id = *model::WorkerInstanceId::parse(instance),
                                          .worker_id = *model::WorkerId::parse("pool"),
                                          .lanes_csv = lane.text(),
                                          .capabilities_csv = capabilities});
    };
    advertise("half-1", "gpu");
    advertise("half-2", "eu");
    EXPECT_EQ(unblock(lane), 0U);
    EXPECT_EQ(world.core_field(execution, "eligibility_state"), "blocked_by_route");
    sched::ClaimRequest request = world.request({lane});
    request.capabilities = *model::CapabilitySet::parse_csv("eu,gpu");
    const auto tasks = claim(std::move(request));
    ASSERT_EQ(tasks.size(), 1U);
    EXPECT_EQ(tasks[0].task.execution_id, execution);
}

TEST_P(Ch06Admission, S31_AGrantedExecutionIsPassedOverForTheNext) {
    const auto lane = world.lane("granted");
    auto urgent = world.task(lane);
    urgent.priority = 1;  // two of one millisecond and priority have no order a test may expect
    const auto taken = world.create(std::move(urgent));
    const auto next = world.create(lane);
    sched::Granter granter(world.store(), world.partitioner(), world.partitions(), claimer->lanes(),
                           claimer->admission());
    const auto search = [&](const char* instance) {
        return sched::GrantSearch{.lane = lane,
                                  .worker_id = *model::WorkerId::parse(instance),
                                  .worker_instance_id = *model::WorkerInstanceId::parse(instance)};
    };
    const auto first = run(world.loop(), granter.find(search("a")));
    ASSERT_TRUE(first.has_value() && first->has_value());
    EXPECT_EQ((*first)->execution_id, taken);
    EXPECT_EQ((*first)->grant.kind, engine::GrantKind::Claim);
    const auto second = run(world.loop(), granter.find(search("b")));
    ASSERT_TRUE(second.has_value() && second->has_value());
    EXPECT_EQ((*second)->execution_id, next);
    const auto third = run(world.loop(), granter.find(search("c")));
    ASSERT_TRUE(third.has_value());
    EXPECT_FALSE(third->has_value());
}

TEST_P(Ch06Admission, S63_WorkSuspendedForItsBudgetResumesWhenThereIsRoom) {
    const auto lane = world.lane("paused");
    const auto id = budget(10);
    const auto execution = create_with(lane, names_budget(id));
    world.must(engine::InitWaitpointSecret{.partition = execution.partition(),
                                           .kid = "k1",
                                           .secret_hex = "00112233445566778899aabbccddeeff"});
    const auto tasks = claim(world.request({lane}));
    ASSERT_EQ(tasks.size(), 1U);
    spend(id, 10);
    const auto waitpoint = model::WaitpointId::mint(world.random());
    world.must(engine::SuspendExecution{
        .execution_id = execution,
        .attempt_index = tasks[0].task.attempt_index,
        .fence = tasks[0].task.fence,
        .suspension_id = model::SuspensionId::mint(world.random()),
        .waitpoint = {.id = waitpoint, .key = model::default_waitpoint_key(waitpoint)},
        .reason_code = "paused_by_budget",
        .resume_condition_json = R"({"condition_type":"signal_set","required_signal_names":[]})"});
    EXPECT_EQ(world.core_field(execution, "blocking_reason"), "waiting_for_budget");
    EXPECT_EQ(unblock(lane), 0U);
    EXPECT_EQ(world.core_field(execution, "lifecycle_phase"), "suspended");
    world.must(engine::ResetBudget{.budget = {.id = id}});
    EXPECT_EQ(unblock(lane), 1U);
    EXPECT_EQ(world.core_field(execution, "lifecycle_phase"), "runnable");
}

INSTANTIATE_TEST_SUITE_P(Hosts, Ch06Admission, ::testing::Values("embedded", "valkey", "cluster"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ff::testing
