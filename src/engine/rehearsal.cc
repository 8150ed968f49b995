#include "engine/rehearsal.h"

#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "engine/claim_batch.h"
#include "engine/complete_and_claim.h"
#include "engine/create_batch.h"
#include "engine/create_execution.h"
#include "engine/end_execution.h"
#include "engine/operation.h"

namespace ff::engine {
namespace {

constexpr std::uint16_t kPartition = 0;
/// Long enough to be handed on as it is, as payloads of that length are.
constexpr std::size_t kPayloadBytes = 1024;
/// Enough for a compiler that takes up what has run some twenty times, and other ways through it
/// after a few more; and for tables to grow as they do when there is much to do.
constexpr std::size_t kBatch = 96;
constexpr int kBatches = 8;
constexpr int kSingles = 40;
/// Every so many claims look for lost leases first, and at everybody who waits.
constexpr int kLooksEvery = 3;
constexpr std::string_view kName = "rehearsal";

class Rehearsal {
  public:
    explicit Rehearsal(const Stage& stage) : stage_(stage) {}

    Result<Done> in_batches() {
        std::vector<CompleteExecution> completions;
        for (int i = 0; i < kBatches; ++i) {
            CreateBatch tasks{.partition = model::PartitionKey::flow(kPartition)};
            for (std::size_t j = 0; j < kBatch; ++j) tasks.executions.push_back(new_task());
            FF_CHECK(run(tasks));
            // The second one finds less than it asks for.
            for (int j = 0; j < 2; ++j) {
                FF_TRY(CompleteAndClaim::Outcome outcome,
                       run(CompleteAndClaim{.claim = new_large_claim(),
                                            .completions = std::move(completions)}));
                FF_TRY(const ClaimedBatch claimed, *std::move(outcome.claimed));
                completions = completions_of(claimed.claimed);
            }
        }
        return Done{};
    }

    Result<Done> one_by_one() {
        for (int i = 0; i < kSingles; ++i) {
            FF_CHECK(run(new_task()));
            FF_TRY(const ClaimedBatch claimed, run(new_claim(1)));
            for (const CompleteExecution& completion : completions_of(claimed.claimed))
                FF_CHECK(run(completion));
        }
        return Done{};
    }

  private:
    template <class Op>
    Result<typename Op::Outcome> run(const Op& operation) {
        const store::Call call = to_call(operation, Deadline::never());
        return operation.read(stage_(call.command.args()));
    }

    CreateExecution new_task() {
        const std::string id =
            "{fp:" + std::to_string(kPartition) + "}:" + model::Uuid::mint_v4(random_).to_string();
        return {.execution_id = *model::ExecutionId::parse(id),
                .ns = namespace_,
                .lane = lane_,
                .execution_kind = std::string(kName),
                .payload = std::string(kPayloadBytes, 'x')};
    }

    ClaimBatch new_claim(std::size_t tasks) {
        ClaimBatch claim{.partition = model::PartitionKey::flow(kPartition),
                         .worker_id = *model::WorkerId::parse(kName),
                         .worker_instance_id = *model::WorkerInstanceId::parse(kName),
                         .lane = lane_,
                         .arm_wake = Millis(1000),
                         .reclaim_first = false};
        for (std::size_t i = 0; i < tasks; ++i)
            claim.leases.push_back({.lease_id = model::LeaseId::mint(random_),
                                    .attempt_id = model::AttemptId::mint(random_)});
        return claim;
    }

    /// As a busy worker asks for them.
    ClaimBatch new_large_claim() {
        ClaimBatch claim = new_claim(kBatch * 3 / 4);
        claim.request_id = std::to_string(++claims_);
        claim.scan_depth = static_cast<std::int64_t>(4 * kBatch);
        claim.only_namespace = namespace_;
        if (claims_ % kLooksEvery == 0) {
            claim.reclaim_first = true;
            claim.fair_priority_floor = 0;
        }
        return claim;
    }

    static std::vector<CompleteExecution> completions_of(const std::vector<ClaimedTask>& tasks) {
        std::vector<CompleteExecution> completions;
        for (const ClaimedTask& task : tasks)
            completions.push_back({.execution_id = task.execution_id, .fence = task.fence});
        return completions;
    }

    const Stage& stage_;
    const model::LaneId lane_ = *model::LaneId::parse(kName);
    const model::Namespace namespace_ = *model::Namespace::parse(kName);
    SeededRandom random_{1};
    int claims_ = 0;
};

}  // namespace

Result<Done> rehearse(const Stage& stage) {
    Rehearsal rehearsal(stage);
    FF_CHECK(rehearsal.in_batches());
    return rehearsal.one_by_one();
}

}  // namespace ff::engine
