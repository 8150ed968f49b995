// The operations of room engine understand what the functions of chapter 06 really answer.

#include <gtest/gtest.h>

#include "base/random.h"
#include "engine/admission_block.h"
#include "engine/budget.h"
#include "engine/complete_and_claim.h"
#include "engine/create_batch.h"
#include "engine/grant.h"
#include "engine/operation.h"
#include "engine/quota.h"
#include "engine/worker_registry.h"
#include "host/embedded_store.h"
#include "model/library.h"
#include "support/run.h"

namespace ff::engine {
namespace {

const model::LaneId kLane = *model::LaneId::parse("default");
const model::Namespace kNamespace = *model::Namespace::parse("acme");
const model::WorkerId kWorker = *model::WorkerId::parse("w");
const model::WorkerInstanceId kInstance = *model::WorkerInstanceId::parse("w-1");

class EngineAdmission : public ::testing::Test {
  protected:
    EngineAdmission() {
        host::EmbeddedOptions options;
        options.library = model::library_text();
        auto opened = host::EmbeddedStore::open(std::move(options));
        if (!opened) throw std::runtime_error(opened.error().message);
        store_ = std::move(*opened);
    }

    template <Operation Op>
    Result<typename Op::Outcome> call(Op operation) {
        return testing::run(run(*store_, std::move(operation)));
    }
    template <Operation Op>
    typename Op::Outcome must(Op operation) {
        auto outcome = call(std::move(operation));
        if (!outcome) throw std::runtime_error(outcome.error().text());
        return std::move(*outcome);
    }
    template <Operation Op>
    std::string refusal(Op operation) {
        const auto outcome = call(std::move(operation));
        return outcome ? "granted" : outcome.error().code;
    }

    template <class Id>
    Id fresh() {
        return Id::mint(random_);
    }
    model::ExecutionId new_id() {
        return *model::ExecutionId::parse("{fp:7}:" + model::Uuid::mint_v4(random_).to_string());
    }
    CreateExecution creation(std::string policy = "") {
        return {.execution_id = new_id(),
                .ns = kNamespace,
                .lane = kLane,
                .policy_json = std::move(policy),
                .payload = Bytes("in")};
    }
    model::ExecutionId created(std::string policy = "") {
        return must(creation(std::move(policy))).execution_id;
    }
    ClaimBatch claim(std::size_t tasks = 1) {
        ClaimBatch batch{.partition = kPartition,
                         .worker_id = kWorker,
                         .worker_instance_id = kInstance,
                         .lane = kLane};
        for (std::size_t i = 0; i < tasks; ++i) {
            batch.leases.push_back(
                {.lease_id = fresh<model::LeaseId>(), .attempt_id = fresh<model::AttemptId>()});
        }
        return batch;
    }
    GrantRequest grant(const model::ExecutionId& id) const {
        return {.execution_id = id,
                .worker_id = kWorker,
                .worker_instance_id = kInstance,
                .lane = kLane};
    }

    static inline const model::PartitionKey kPartition = model::PartitionKey::flow(7);
    SeededRandom random_{7};

  private:
    std::unique_ptr<host::EmbeddedStore> store_;
};

TEST_F(EngineAdmission, Budgets) {
    const BudgetAddress budget{.id = fresh<model::BudgetId>()};
    const model::ExecutionId e = new_id();
    EXPECT_EQ(refusal(ReportUsage{.budget = budget, .amounts = {{"t", 1}}}), "budget_not_found");
    const CreateBudget creation{.budget = budget,
                                .scope_type = "lane",
                                .scope_id = "default",
                                .reset_interval = Millis{60'000},
                                .limits = {{.dimension = "t", .hard = 100, .soft = 80}},
                                .meta_json = R"({"name":"n"})"};
    EXPECT_FALSE(must(creation).already_satisfied);
    EXPECT_TRUE(must(creation).already_satisfied);
    const auto dedup = *model::DedupId::parse("d");
    const ReportUsage report{.budget = budget, .amounts = {{"t", 60}}, .dedup_id = dedup};
    EXPECT_EQ(must(report).kind, UsageVerdict::Kind::Ok);
    EXPECT_EQ(must(report).kind, UsageVerdict::Kind::AlreadyApplied);
    const RecordSpend spend{.budget = budget, .execution_id = e, .amounts = {{"t", 25}}};
    const UsageVerdict soft = must(spend);
    EXPECT_EQ(soft.kind, UsageVerdict::Kind::SoftBreach);
    EXPECT_EQ(soft.usage, 85);
    EXPECT_EQ(soft.limit, 80);
    const UsageVerdict hard = must(spend);
    EXPECT_EQ(hard.kind, UsageVerdict::Kind::HardBreach);
    EXPECT_EQ(hard.dimension, "t");
    EXPECT_EQ(hard.usage, 85);
    EXPECT_EQ(hard.limit, 100);
    EXPECT_EQ(hard.action, "fail");
    const auto released = must(ReleaseBudget{.budget = budget, .execution_id = e});
    EXPECT_TRUE(released.released);
    EXPECT_EQ(released.amounts, (Amounts{{"t", 25}}));
    EXPECT_FALSE(must(ReleaseBudget{.budget = budget, .execution_id = e}).released);
    EXPECT_EQ(
        must(UpdateBudget{.budget = budget, .changes = {{.dimension = "t", .hard = 200}}}).revision,
        1);
    EXPECT_TRUE(must(ResetBudget{.budget = budget}).next_reset_at.has_value());
    const auto snapshot = must(GetBudget{.budget = budget});
    EXPECT_EQ(snapshot.usage, (Fields{{"t", "0"}, {"_period", "1"}}));
}

TEST_F(EngineAdmission, Quotas) {
    const QuotaAddress quota{.id = fresh<model::QuotaPolicyId>()};
    const model::ExecutionId a = new_id();
    const model::ExecutionId b = new_id();
    const auto of = [](const model::ExecutionId& id) {
        return EpochOf{.execution_id = id.to_string(), .epoch = 1};
    };
    EXPECT_EQ(refusal(AdmitBatch{.quota = quota, .executions = {of(a)}}), "quota_policy_not_found");
    const CreateQuotaPolicy creation{
        .quota = quota, .window_seconds = 60, .requests_per_window_max = 2, .concurrent_max = 1};
    EXPECT_FALSE(must(creation).already_satisfied);
    EXPECT_TRUE(must(creation).already_satisfied);
    const auto verdicts = must(AdmitBatch{.quota = quota, .executions = {of(a), of(b), of(a)}});
    ASSERT_EQ(verdicts.size(), 3U);
    EXPECT_EQ(verdicts[0].kind, AdmissionVerdict::Kind::Admitted);
    EXPECT_EQ(verdicts[1].kind, AdmissionVerdict::Kind::ConcurrencyExceeded);
    EXPECT_EQ(verdicts[2].kind, AdmissionVerdict::Kind::AlreadyAdmitted);
    EXPECT_TRUE(must(ReleaseAdmission{.quota = quota, .execution_id = a}));
    CheckAdmission check{.quota = quota,
                         .execution_id = b,
                         .window_seconds = 60,
                         .rate_limit = 2,
                         .concurrency_cap = 1};
    EXPECT_EQ(must(check).kind, AdmissionVerdict::Kind::Admitted);
    check.execution_id = new_id();
    const AdmissionVerdict refused = must(check);
    EXPECT_EQ(refused.kind, AdmissionVerdict::Kind::RateExceeded);
    EXPECT_GT(refused.retry_after, Millis{0});
    EXPECT_EQ(refused.used, 2);
    EXPECT_EQ(must(ReconcileQuota{.quota = quota}).after, 1);
    EXPECT_EQ(must(ReleaseAdmissionBatch{.quota = quota, .executions = {of(b)}}), 1);
}

TEST_F(EngineAdmission, BlocksAndGrants) {
    const model::ExecutionId e = created();
    const BlockExecution block{.execution_id = e,
                               .block = AdmissionBlock::Budget,
                               .detail = "d",
                               .blocking_ref = "budget:b"};
    must(block);
    must(UnblockExecution{.execution_id = e, .block = AdmissionBlock::Budget, .expected_ref = ""});
    must(block);
    const auto unblocked = must(UnblockBatch{
        .partition = kPartition, .lane = kLane, .expected_ref = "budget:b", .limit = 5});
    EXPECT_EQ(unblocked.unblocked, 1);
    EXPECT_EQ(unblocked.next_score, "");
    EXPECT_EQ(must(IssueClaimGrant{.request = grant(e)}).kind, GrantKind::Claim);
    EXPECT_EQ(refusal(IssueClaimGrant{.request = grant(e)}), "grant_already_exists");
    EXPECT_EQ(refusal(IssueReclaimGrant{.request = grant(e)}), "execution_not_reclaimable");
    const IssueGrantAndClaim take{.execution_id = created(),
                                  .claimant = {.worker_id = kWorker,
                                               .worker_instance_id = kInstance,
                                               .lane = kLane,
                                               .lease_id = fresh<model::LeaseId>(),
                                               .attempt_id = fresh<model::AttemptId>()}};
    const TakenLease taken = must(take);
    EXPECT_FALSE(taken.duplicate);
    EXPECT_EQ(taken.fence.lease_id, take.claimant.lease_id);
    EXPECT_EQ(taken.fence.attempt_id, take.claimant.attempt_id);
    EXPECT_EQ(taken.attempt_type, "initial");
    EXPECT_TRUE(must(take).duplicate);
}

TEST_F(EngineAdmission, Batches) {
    const CreateExecution one = creation();
    const auto made = must(CreateBatch{
        .partition = kPartition,
        .executions = {one, creation("{"), creation(R"({"quota_policy_id":"q"})"), one}});
    ASSERT_EQ(made.size(), 4U);
    EXPECT_EQ(made[0]->execution_id, one.execution_id);
    EXPECT_EQ(made[1].error().code, "invalid_policy_json");
    EXPECT_TRUE(made[3]->duplicate);

    ClaimBatch asked = claim(4);
    asked.request_id = "r";
    asked.arm_wake = Millis{1000};
    asked.fair_priority_floor = 9000;
    const ClaimedBatch claimed = must(asked);
    ASSERT_EQ(claimed.claimed.size(), 1U);
    const ClaimedTask& task = claimed.claimed[0];
    EXPECT_EQ(task.execution_id, one.execution_id);
    EXPECT_EQ(task.fence.lease_id, asked.leases[0].lease_id);
    EXPECT_EQ(task.payload_state, ClaimedTask::PayloadState::Inline);
    EXPECT_EQ(task.payload, Bytes("in"));
    ASSERT_EQ(claimed.deferred.size(), 1U);
    EXPECT_EQ(claimed.deferred[0].quota_policy_id, "q");
    EXPECT_EQ(claimed.eligible_left, 1);
    EXPECT_TRUE(claimed.armed);
    EXPECT_EQ(claimed.waiting_namespaces, std::vector<std::string>{"acme"});
    EXPECT_TRUE(must(asked).duplicate);

    ClaimBatch next = claim(1);
    next.admitted.push_back(
        {.execution_id = claimed.deferred[0].execution_id, .quota_ids_csv = "q"});
    next.admitted.push_back({.execution_id = new_id()});
    CompleteAndClaim both{.claim = next};
    both.completions.push_back({.execution_id = task.execution_id, .fence = task.fence});
    both.completions.push_back({.execution_id = new_id(), .fence = task.fence});
    const auto done = must(both);
    ASSERT_EQ(done.completed.size(), 2U);
    EXPECT_FALSE(done.completed[0]->replayed);
    EXPECT_EQ(done.completed[1].error().code, "execution_not_found");
    ASSERT_TRUE(done.claimed && *done.claimed);
    EXPECT_EQ((*done.claimed)->claimed.size(), 1U);
    ASSERT_EQ((*done.claimed)->not_claimed.size(), 1U);
    EXPECT_EQ((*done.claimed)->not_claimed[0].second, "not_reached");
    both.complete_only = true;
    EXPECT_TRUE(must(both).completed[0]->replayed);
}

TEST_F(EngineAdmission, Workers) {
    const RegisterWorker enrol{.ns = kNamespace,
                               .instance_id = kInstance,
                               .worker_id = kWorker,
                               .lanes_csv = "default",
                               .capabilities_csv = "cpu",
                               .boot_id = "b1"};
    EXPECT_TRUE(must(enrol).registered);
    EXPECT_FALSE(must(enrol).registered);
    RegisterWorker other = enrol;
    other.boot_id = "b2";
    EXPECT_EQ(refusal(other), "duplicate_worker_instance");
    HeartbeatWorker beat{.ns = kNamespace, .instance_id = kInstance, .boot_id = "b1"};
    EXPECT_EQ(must(beat).ttl, Millis{60'000});
    beat.boot_id = "b2";
    EXPECT_EQ(must(beat).state, HeartbeatWorker::State::Superseded);
    const auto page = must(ListWorkers{.ns = kNamespace});
    ASSERT_EQ(page.workers.size(), 1U);
    EXPECT_EQ(page.workers[0].instance_id, "w-1");
    EXPECT_EQ(page.workers[0].capabilities_csv, "cpu");
    const MarkWorkerDead dead{.ns = kNamespace, .instance_id = kInstance, .reason = "bye"};
    EXPECT_TRUE(must(dead));
    EXPECT_FALSE(must(dead));
}

}  // namespace
}  // namespace ff::engine
