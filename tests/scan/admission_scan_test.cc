#include "engine/budget.h"
#include "engine/change_execution.h"
#include "engine/quota.h"
#include "model/budget_keys.h"
#include "model/global_keys.h"
#include "model/quota_keys.h"
#include "scan/scan_world.h"

namespace ff::testing {
namespace {

using scan::Kind;

class Ch07Admission : public ScanTest {
  protected:
    model::BudgetId budget(std::int64_t hard) {
        const auto id = model::BudgetId::mint(world.random());
        world.must(engine::CreateBudget{.budget = {.id = id},
                                        .scope_type = "execution",
                                        .limits = {{.dimension = "tokens", .hard = hard}}});
        return id;
    }
    model::QuotaPolicyId quota(std::int64_t concurrent) {
        const auto id = model::QuotaPolicyId::mint(world.random());
        world.must(engine::CreateQuotaPolicy{
            .quota = {.id = id}, .window_seconds = 60, .concurrent_max = concurrent});
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
    std::vector<sched::LaneTask> ask(sched::ClaimRequest request) {
        claimer->on_gap();
        auto tasks = run(world.loop(), claimer->claim(std::move(request)));
        EXPECT_TRUE(tasks.has_value());
        return tasks.has_value() ? *std::move(tasks) : std::vector<sched::LaneTask>();
    }
    std::string state(const model::ExecutionId& id) { return field(id, "eligibility_state"); }

    std::unique_ptr<sched::Claimer> claimer = world.claimer();
};

TEST_P(Ch07Admission, S37_WorkBlockedForGoodDoesNotHideWhatIsFree) {
    const auto lane = world.lane("blocked");
    lanes = {lane};
    const auto spent = budget(1);
    const auto refilled = budget(1);
    spend(spent, 1);
    spend(refilled, 1);
    for (int i = 0; i < 150; ++i) create_with(lane, names_budget(spent));
    EXPECT_TRUE(ask(world.request({lane}, 200)).empty());
    const auto last = create_with(lane, names_budget(refilled));
    EXPECT_TRUE(ask(world.request({lane}, 10)).empty());
    ASSERT_EQ(state(last), "blocked_by_budget");
    world.must(engine::ResetBudget{.budget = {.id = refilled}});
    cycle(Kind::Unblock, 2);
    EXPECT_EQ(state(last), "eligible_now");
    const std::string index = model::IndexKeys(solo(lane)).lane(lane).blocked_budget();
    EXPECT_EQ(world.command({"ZCARD", index}).to_integer(), 150);
}

TEST_P(Ch07Admission, RoomInABudgetIsUsedAtOnce) {
    const auto lane = world.lane("freed");
    lanes = {lane};
    const auto id = budget(1);
    spend(id, 1);
    const auto execution = create_with(lane, names_budget(id));
    EXPECT_TRUE(ask(world.request({lane})).empty());
    start_patient();
    // The first cycle has seen it: only the message can free it now.
    ASSERT_EQ(state(execution), "blocked_by_budget");
    world.must(engine::ResetBudget{.budget = {.id = id}});
    EXPECT_TRUE(until([&] { return state(execution) == "eligible_now"; }));
}

/// A place of a quota goes from one run to the next without waiting for any interval.
/// A lane and a partition that nobody had looked at before the message came.
TEST_P(Ch07Admission, RoomInABudgetIsUsedAtOnceInALaneJustSeen) {
    start_patient();
    const auto lane = world.lane("young");
    world.command({"SADD", model::kLanesKey, lane.text()});
    const auto id = budget(1);
    spend(id, 1);
    for (int round = 0; round < 2; ++round) {
        const auto waiting = create_with(lane, names_budget(id));
        EXPECT_TRUE(ask(world.request({lane})).empty());
        ASSERT_EQ(state(waiting), "blocked_by_budget");
        world.must(engine::ResetBudget{.budget = {.id = id}});
        EXPECT_TRUE(until([&] { return state(waiting) == "eligible_now"; }));
        const auto taken = ask(world.request({lane}));
        ASSERT_EQ(taken.size(), 1U);
        complete(taken.front().task);
        spend(id, 1);
    }
    world.command({"SREM", model::kLanesKey, lane.text()});
}

TEST_P(Ch07Admission, AFreedQuotaPlaceIsUsedAtOnce) {
    const auto lane = world.lane("place");
    lanes = {lane};
    const auto id = quota(1);
    const auto first = create_with(lane, names_quota(id));
    const auto second = create_with(lane, names_quota(id));
    const auto held = ask(world.request({lane}, 2));
    ASSERT_EQ(held.size(), 1U);
    const auto& waiting = held[0].task.execution_id == first ? second : first;
    EXPECT_EQ(state(waiting), "blocked_by_quota");
    start_patient();
    ASSERT_EQ(state(waiting), "blocked_by_quota");
    complete(held[0].task);
    EXPECT_TRUE(until([&] { return state(waiting) == "eligible_now"; }));
    const std::string outbox = model::IndexKeys(solo(lane)).quota_release();
    EXPECT_EQ(world.command({"SCARD", outbox}).to_integer(), 0);
}

TEST_P(Ch07Admission, AQuotaLetsNoMoreThroughThanItHasPlaces) {
    const auto lane = world.lane("three");
    const auto other = world.lane("three-b");
    lanes = {lane, other};
    const auto id = quota(1);
    create_with(lane, names_quota(id));
    const auto held = ask(world.request({lane}));
    ASSERT_EQ(held.size(), 1U);
    std::vector<model::ExecutionId> all;
    for (int i = 0; i < 3; ++i) all.push_back(create_with(lane, names_quota(id)));
    for (int i = 0; i < 3; ++i) all.push_back(create_with(other, names_quota(id)));
    EXPECT_TRUE(ask(world.request({lane, other}, 10)).empty());
    complete(held[0].task);
    cycle(Kind::QuotaRelease, 41);
    cycle(Kind::Unblock);
    int free = 0;
    for (const auto& one : all) free += state(one) == "eligible_now" ? 1 : 0;
    EXPECT_EQ(free, 1);
}

/// That of the server may be any.
TEST_P(Ch07Admission, ARateIsCountedByTheTimeOfTheStore) {
    const auto lane = world.lane("rate");
    const ManualClock slow(world.clock().now() - Millis(3'600'000));
    scanners = std::make_unique<scan::Scanners>(
        world.loop().get_executor(), world.store(), slow, world.random(),
        scan::Options{.partitions = world.partitions(), .lanes = {lane}}, probe);
    const auto id = model::QuotaPolicyId::mint(world.random());
    world.must(engine::CreateQuotaPolicy{
        .quota = {.id = id}, .window_seconds = 1, .requests_per_window_max = 1});
    const auto first = create_with(lane, names_quota(id));
    const auto second = create_with(lane, names_quota(id));
    const auto held = ask(world.request({lane}, 2));
    ASSERT_EQ(held.size(), 1U);
    const auto& waiting = held[0].task.execution_id == first ? second : first;
    ASSERT_EQ(state(waiting), "blocked_by_quota");
    wait_for_time(store_now_ms() + 1'000);
    cycle(Kind::Unblock);
    EXPECT_EQ(state(waiting), "eligible_now");
}

TEST_P(Ch07Admission, TheQuotaReconcilerTakesAwayWhatDeadRunsHold) {
    const auto id = quota(5);
    const auto lane = world.lane("dead");
    lanes = {lane};
    const auto alive = create_with(lane, names_quota(id));
    ASSERT_EQ(ask(world.request({lane})).size(), 1U);
    const model::QuotaKeys keys(id, world.partitions());
    const auto dead = world.task(lane).execution_id;
    world.command({"SADD", keys.admitted_set(), dead.to_string()});
    world.command({"SET", keys.concurrency(), "4"});
    world.command({"SADD", model::quota_policies_key(model::partition_of(id, world.partitions())),
                   model::QuotaPolicyId::mint(world.random()).to_string()});
    cycle(Kind::QuotaReconciler);
    EXPECT_EQ(world.command({"GET", keys.concurrency()}).to_integer(), 1);
    EXPECT_EQ(world.command({"SISMEMBER", keys.admitted_set(), alive.to_string()}).to_integer(), 1);
    EXPECT_EQ(world.command({"SISMEMBER", keys.admitted_set(), dead.to_string()}).to_integer(), 0);
}

TEST_P(Ch07Admission, TheBudgetReconcilerCorrectsMarksAndForgetsWhatIsOver) {
    const auto id = budget(10);
    spend(id, 10);
    const auto lane = world.lane("over");
    const auto alive = world.create(lane);
    const auto gone = world.task(lane).execution_id;
    const model::BudgetKeys keys(id, world.partitions());
    world.command({"HSET", keys.definition(), "breached_at", ""});
    world.command({"SADD", keys.executions(), alive.to_string(), gone.to_string()});
    world.command({"SADD", keys.by_execution_index(), gone.to_string()});
    const model::BudgetIndexKeys index(model::partition_of(id, world.partitions()));
    const std::string absent = model::BudgetId::mint(world.random()).to_string();
    world.command({"SADD", index.policies(), absent});
    cycle(Kind::BudgetReconciler);
    const auto breached = [&] {
        return std::string(
            world.command({"HGET", keys.definition(), "breached_at"}).text().value_or(""));
    };
    EXPECT_NE(breached(), "");
    EXPECT_EQ(world.command({"SMEMBERS", keys.executions()}).items().size(), 1U);
    EXPECT_EQ(world.command({"EXISTS", keys.by_execution_index()}).to_integer(), 0);
    EXPECT_EQ(world.command({"SISMEMBER", index.policies(), absent}).to_integer(), 0);
    EXPECT_EQ(world.command({"HGET", keys.usage(), "tokens"}).to_integer(), 10);
    world.command({"HSET", keys.usage(), "tokens", "3"});
    cycle(Kind::BudgetReconciler);
    EXPECT_EQ(breached(), "");
}

INSTANTIATE_TEST_SUITE_P(Hosts, Ch07Admission, ::testing::Values("embedded", "valkey"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ff::testing
