#include "sdk/grant_claim.h"

#include <gtest/gtest.h>

#include "engine/due_execution.h"
#include "engine/grant.h"
#include "engine/pause_execution.h"
#include "sched/world.h"

namespace ff::testing {
namespace {

class Ch06Capacity : public ::testing::TestWithParam<std::string> {
  protected:
    World& world = world_of(GetParam());

    sdk::HeldGrant grant_to(const char* worker, const model::ExecutionId& id,
                            const model::LaneId& lane) {
        const auto grant = world.must(engine::IssueClaimGrant{
            .request = {.execution_id = id,
                        .worker_id = *model::WorkerId::parse(worker),
                        .worker_instance_id = *model::WorkerInstanceId::parse("first"),
                        .lane = lane}});
        return {.execution_id = id, .lane = lane, .kind = grant.kind};
    }
    static sdk::WorkerIdentity worker(const char* id, const char* instance) {
        return {.worker_id = *model::WorkerId::parse(id),
                .worker_instance_id = *model::WorkerInstanceId::parse(instance)};
    }
    Result<sdk::GrantedLease> claim(sdk::Capacity& capacity, sdk::WorkerIdentity who,
                                    sdk::HeldGrant grant) {
        return run(world.loop(), sdk::claim_from_grant(world.store(), world.random(), capacity,
                                                       std::move(who), std::move(grant)));
    }
};

TEST_P(Ch06Capacity, S60_AWorkerAtCapacityLeavesTheGrantToAnotherInstance) {
    const auto lane = world.lane("hands");
    sdk::Capacity one(1);
    const auto first_task = world.create(lane);
    auto busy = claim(one, worker("pool", "first"), grant_to("pool", first_task, lane));
    ASSERT_TRUE(busy.has_value()) << busy.error().text();
    const auto second_task = world.create(lane);
    const auto grant = grant_to("pool", second_task, lane);
    const auto refused = claim(one, worker("pool", "first"), grant);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, "worker_at_capacity");
    EXPECT_EQ(world.core_field(second_task, "lifecycle_phase"), "runnable");
    sdk::Capacity other(1);
    const auto taken = claim(other, worker("pool", "second"), grant);
    ASSERT_TRUE(taken.has_value()) << taken.error().text();
    EXPECT_EQ(taken->lease.attempt_type, "initial");
}

TEST_P(Ch06Capacity, S35_AnInterruptedAttemptGoesOnThroughAPlainGrant) {
    const auto lane = world.lane("again");
    sdk::Capacity two(2);
    const auto id = world.create(lane);
    auto held = claim(two, worker("pool", "first"), grant_to("pool", id, lane));
    ASSERT_TRUE(held.has_value());
    auto claimer = world.claimer();
    world.must(engine::DelayExecution{.execution_id = id, .fence = held->lease.fence});
    world.must(engine::PromoteDelayed{.execution_id = id});
    sdk::HeldGrant grant = grant_to("pool", id, lane);
    EXPECT_EQ(grant.kind, engine::GrantKind::Resume);
    grant.kind = engine::GrantKind::Claim;  // as if it had been interrupted after the grant
    const auto resumed = claim(two, worker("pool", "first"), grant);
    ASSERT_TRUE(resumed.has_value()) << resumed.error().text();
    EXPECT_EQ(resumed->lease.attempt_type, "resumed");
    EXPECT_EQ(resumed->lease.attempt_index.value, 0U);
}

TEST(Capacity, GivesItsPlaceBackWithThePermit) {
    sdk::Capacity two(2);
    auto a = two.try_take();
    auto b = two.try_take();
    ASSERT_TRUE(a && b);
    EXPECT_FALSE(two.try_take());
    EXPECT_EQ(two.free(), 0U);
    b.reset();
    EXPECT_EQ(two.free(), 1U);
    sdk::Capacity::Permit moved = *std::move(a);
    EXPECT_EQ(two.free(), 1U);
    EXPECT_EQ(sdk::Capacity(0).free(), 1U);
}

INSTANTIATE_TEST_SUITE_P(Hosts, Ch06Capacity, ::testing::Values("embedded", "valkey", "cluster"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ff::testing
