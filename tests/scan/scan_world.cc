#include "scan/scan_world.h"

#include <algorithm>
#include <stdexcept>

#include "engine/end_execution.h"

namespace ff::testing {

std::unique_ptr<scan::Scanners> ScanTest::make(scan::Options options) {
    options.partitions = world.partitions();
    if (options.lanes.empty()) options.lanes = lanes;
    return std::make_unique<scan::Scanners>(world.loop().get_executor(), world.store(),
                                            world.clock(), world.random(), std::move(options),
                                            probe);
}

void ScanTest::cycle(scan::Kind kind, int times) {
    if (!scanners) scanners = make();
    for (int i = 0; i < times; ++i) {
        const auto done = run(world.loop(), scanners->run_once(kind));
        ASSERT_TRUE(done.has_value()) << done.error().text();
    }
}

void ScanTest::start_patient(scan::Options options) {
    for (auto& interval : options.intervals) interval = Millis(3'600'000);
    scanners = make(std::move(options));
    scanners->start();
    started = true;
    const auto upkeep = std::ranges::count_if(scan::all_kinds(), &scan::KindFacts::upkeep);
    const std::size_t soon = scan::all_kinds().size() - static_cast<std::size_t>(upkeep);
    ASSERT_TRUE(until([&] { return probe.of.size() == soon; }));
    ASSERT_TRUE(until([&] { return scanners->listening(); }));
}

void ScanTest::stop() {
    if (started) run(world.loop(), scanners->stop(Deadline::after(kPatience)));
    started = false;
    scanners.reset();
}

std::vector<engine::ClaimedTask> ScanTest::claim(const model::LaneId& lane,
                                                 const model::PartitionKey& partition,
                                                 std::size_t count, Millis lease_ttl) {
    engine::ClaimBatch claim{.partition = partition,
                             .worker_id = *model::WorkerId::parse("pool"),
                             .worker_instance_id = *model::WorkerInstanceId::parse("pool-1"),
                             .lane = lane,
                             .lease_ttl = lease_ttl,
                             .reclaim_first = false};
    for (std::size_t i = 0; i < count; ++i) {
        claim.leases.push_back({.lease_id = model::LeaseId::mint(world.random()),
                                .attempt_id = model::AttemptId::mint(world.random())});
    }
    return world.must(std::move(claim)).claimed;
}

engine::ClaimedTask ScanTest::claim_one(const model::LaneId& lane, const model::ExecutionId& id,
                                        Millis lease_ttl) {
    std::vector<engine::ClaimedTask> tasks = claim(lane, id.partition(), 1, lease_ttl);
    if (tasks.size() != 1) throw std::runtime_error("nothing to claim");
    return std::move(tasks.front());
}

void ScanTest::complete(const engine::ClaimedTask& task) {
    world.must(engine::CompleteExecution{.execution_id = task.execution_id, .fence = task.fence});
}

std::int64_t ScanTest::store_now_ms() {
    const store::Reply time = world.command({"TIME"});
    return *time.items()[0].to_integer() * 1000 + *time.items()[1].to_integer() / 1000;
}

void ScanTest::wait_for_time(std::int64_t ms) {
    ASSERT_TRUE(until([&] { return store_now_ms() >= ms; }));
}

}  // namespace ff::testing
