// What the life of a task costs one shard: its functions run in this thread on a keyspace without
// a journal, so the figures are CPU time and bytes and hardly depend on what else the machine does.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.h"
#include "base/random.h"
#include "engine/claim_batch.h"
#include "engine/complete_and_claim.h"
#include "engine/create_batch.h"
#include "engine/operation.h"
#include "host/shard_state.h"
#include "host/value_sink.h"
#include "model/library.h"
#include "report.h"

namespace ff::bench {
namespace {

constexpr std::size_t kPayloadBytes = 200;
constexpr std::size_t kBatchPayloadBytes = 4096;
/// As a busy worker of sixteen hands asks for them, and a submitter of many tasks sends them.
constexpr std::size_t kClaimedAtOnce = 48;
constexpr std::size_t kCreatedAtOnce = 240;
constexpr std::size_t kBacklog = 2400;
constexpr std::size_t kPartitions = 64;
constexpr std::size_t kWarmGroups = 5;
/// Rounds are measured in groups, and the fastest group counts: others only make one slower.
constexpr std::size_t kGroupRounds = 20;
constexpr std::size_t kGroups = 20;

const model::LaneId kLane = *model::LaneId::parse("bench");
const model::Namespace kNamespace = *model::Namespace::parse("bench");
const model::WorkerId kWorker = *model::WorkerId::parse("worker");
const model::WorkerInstanceId kInstance = *model::WorkerInstanceId::parse("worker-1");

double cpu_us() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

/// FF_LUA_JIT=off interprets the functions, as it does in the server.
bool is_compiled() {
    const char* value = std::getenv("FF_LUA_JIT");
    return value == nullptr || std::string_view(value) != "off";
}

/// One kind of call: how long it took in all, and how much it wrote.
struct Sum {
    double cpu_us = 0;
    std::size_t effect_bytes = 0;
};

struct World {
    host::ChannelHub hub{};
    host::ShardState shard{hub, {.compile = is_compiled()}};
    SeededRandom random{1};
    std::chrono::microseconds now{1'700'000'000'000'000};

    World() {
        host::ValueSink reply;
        const std::string text = model::library_text();
        const std::vector<std::string_view> load = {"FUNCTION", "LOAD", text};
        shard.execute(load, now, reply);
        FF_ASSERT(!reply.take().is_error());
    }

    template <class Op>
    typename Op::Outcome run(const Op& operation, Sum& sum) {
        const store::Call call = engine::to_call(operation, Deadline::never());
        now += std::chrono::microseconds(7);
        host::ValueSink sink;
        const double before = cpu_us();
        shard.execute(call.command.args(), now, sink);
        sum.cpu_us += cpu_us() - before;
        sum.effect_bytes += shard.keyspace().effects().size();
        shard.keyspace().clear_effects();
        auto outcome = operation.read(sink.take());
        if (!outcome) {
            std::fprintf(stderr, "bench: %s\n", outcome.error().text().c_str());
            std::abort();
        }
        return *std::move(outcome);
    }
};

struct Sums {
    Sum create{};
    Sum claim{};
    Sum complete{};

    double cpu_us() const { return create.cpu_us + claim.cpu_us + complete.cpu_us; }
};

engine::CreateExecution new_task(World& world, std::size_t partition, std::size_t bytes) {
    const std::string id =
        "{fp:" + std::to_string(partition) + "}:" + model::Uuid::mint_v4(world.random).to_string();
    return {.execution_id = *model::ExecutionId::parse(id),
            .ns = kNamespace,
            .lane = kLane,
            .execution_kind = "noop",
            .payload = std::string(bytes, 'x')};
}

engine::ClaimBatch new_claim(World& world, std::size_t partition, std::size_t tasks) {
    engine::ClaimBatch claim{
        .partition = model::PartitionKey::flow(static_cast<std::uint16_t>(partition)),
        .worker_id = kWorker,
        .worker_instance_id = kInstance,
        .lane = kLane,
        .reclaim_first = false};
    for (std::size_t i = 0; i < tasks; ++i)
        claim.leases.push_back({.lease_id = model::LeaseId::mint(world.random),
                                .attempt_id = model::AttemptId::mint(world.random)});
    return claim;
}

/// One task in every partition, each step for all of them, as callers that wait together cause it.
void round(World& world, Sums& sums) {
    for (std::size_t i = 0; i < kPartitions; ++i)
        world.run(new_task(world, i, kPayloadBytes), sums.create);
    std::vector<engine::CompleteExecution> completions;
    for (std::size_t i = 0; i < kPartitions; ++i) {
        const auto claimed = world.run(new_claim(world, i, 1), sums.claim);
        FF_ASSERT(claimed.claimed.size() == 1);
        completions.push_back({.execution_id = claimed.claimed[0].execution_id,
                               .fence = claimed.claimed[0].fence,
                               .result = "done"});
    }
    for (const auto& completion : completions) world.run(completion, sums.complete);
}

/// Many tasks in one partition, in batches: each call completes what the one before has claimed.
void batch_round(World& world, Sums& sums) {
    constexpr std::size_t kPartition = kPartitions;
    for (std::size_t i = 0; i < kBacklog; i += kCreatedAtOnce) {
        engine::CreateBatch tasks{.partition = model::PartitionKey::flow(kPartition)};
        for (std::size_t j = 0; j < kCreatedAtOnce; ++j)
            tasks.executions.push_back(new_task(world, kPartition, kBatchPayloadBytes));
        world.run(tasks, sums.create);
    }
    std::vector<engine::CompleteExecution> completions;
    for (std::size_t i = 0; i <= kBacklog; i += kClaimedAtOnce) {
        engine::CompleteAndClaim call{.claim = new_claim(world, kPartition, kClaimedAtOnce),
                                      .completions = std::move(completions)};
        auto outcome = world.run(call, sums.complete);
        completions.clear();
        for (const engine::ClaimedTask& task : outcome.claimed->value().claimed)
            completions.push_back({.execution_id = task.execution_id, .fence = task.fence});
    }
    FF_ASSERT(completions.empty());
}

void add(Report& report, const std::string& name, const Sum& sum, double tasks) {
    report.add("cpu_" + name, sum.cpu_us / tasks, "us");
    report.add("effect_bytes_" + name, static_cast<double>(sum.effect_bytes) / tasks, "bytes");
}

Sums measure(World& world, void (*round_of)(World&, Sums&), std::size_t rounds) {
    Sums warm;
    for (std::size_t i = 0; i < rounds * kWarmGroups; ++i) round_of(world, warm);
    Sums best;
    for (std::size_t i = 0; i < kGroups; ++i) {
        Sums group;
        for (std::size_t j = 0; j < rounds; ++j) round_of(world, group);
        if (i == 0 || group.cpu_us() < best.cpu_us()) best = group;
    }
    return best;
}

int run(int argc, char** argv) {
    Report report("Life of a task in one shard", argc, argv);
    World world;
    const Sums sums = measure(world, round, kGroupRounds);
    const double tasks = kGroupRounds * kPartitions;
    add(report, "create", sums.create, tasks);
    add(report, "claim", sums.claim, tasks);
    add(report, "complete", sums.complete, tasks);
    report.add("cpu_task", sums.cpu_us() / tasks, "us");
    World other;
    const Sums batches = measure(other, batch_round, 1);
    const double batch_tasks = kBacklog;
    report.add("cpu_create_batch", batches.create.cpu_us / batch_tasks, "us");
    report.add("cpu_complete_and_claim", batches.complete.cpu_us / batch_tasks, "us");
    report.add("cpu_task_batch", batches.cpu_us() / batch_tasks, "us");
    report.add("lua_bytes", static_cast<double>(world.shard.lua().memory_bytes()), "bytes");
    return report.finish();
}

}  // namespace
}  // namespace ff::bench

int main(int argc, char** argv) {
    return ff::bench::run(argc, argv);
}
