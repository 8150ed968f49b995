#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/claim_batch.h"
#include "model/exec_keys.h"
#include "model/index_keys.h"
#include "scan/scanners.h"
#include "sched/world.h"

namespace ff::testing {

/// Keeps what scanners tell.
class CountingProbe final : public scan::Probe {
  public:
    struct Sums {
        std::uint64_t cycles = 0;
        std::uint64_t items = 0;
        std::uint64_t errors = 0;
    };
    void cycle_ended(const scan::CycleFacts& facts) override {
        Sums& sums = of[facts.kind];
        sums.cycles += facts.full ? 1 : 0;
        partial_cycles += facts.full ? 0 : 1;
        sums.items += facts.items;
        sums.errors += facts.errors;
    }
    void restarted(scan::Kind /*kind*/) override { ++restarts; }
    void cancel_backlog(std::uint64_t flows) override { backlog = flows; }
    void queue_depth(const model::LaneId& lane, std::string_view state,
                     std::uint64_t executions) override {
        depth[{lane.text(), std::string(state)}] = executions;
    }
    void index_repaired(std::string_view index) override { ++repaired[std::string(index)]; }

    std::map<scan::Kind, Sums> of{};
    std::uint64_t partial_cycles = 0;
    std::uint64_t restarts = 0;
    std::uint64_t backlog = 999;
    std::map<std::pair<std::string, std::string>, std::uint64_t> depth{};
    std::map<std::string, int> repaired{};
};

/// Scanners over a real store, cycle by cycle or on their own.
class ScanTest : public ::testing::TestWithParam<std::string> {
  protected:
    void TearDown() override { stop(); }

    /// The scanners of one server; its lanes are configured unless `options` has some.
    std::unique_ptr<scan::Scanners> make(scan::Options options = {});
    /// One cycle of a scanner of `scanners`, which has the lanes of `lanes` when first used.
    void cycle(scan::Kind kind, int times = 1);
    /// Starts them with intervals so long that only messages and due times make them act, and
    /// waits until all have looked once and listen.
    void start_patient(scan::Options options = {});
    void stop();

    /// Holds work under a lease.
    std::vector<engine::ClaimedTask> claim(const model::LaneId& lane,
                                           const model::PartitionKey& partition, std::size_t count,
                                           Millis lease_ttl = Millis(120'000));
    engine::ClaimedTask claim_one(const model::LaneId& lane, const model::ExecutionId& id,
                                  Millis lease_ttl = Millis(120'000));
    void complete(const engine::ClaimedTask& task);
    std::int64_t store_now_ms();
    /// Runs the loop until the store's clock says so.
    void wait_for_time(std::int64_t ms);
    bool until(const std::function<bool()>& condition, Millis patience = kPatience) {
        return run_until(world.loop(), condition, patience);
    }
    std::string field(const model::ExecutionId& id, std::string_view name) {
        return world.core_field(id, name);
    }
    bool has(const std::string& sorted_set, const std::string& member) {
        return !world.command({"ZSCORE", sorted_set, member}).is_null();
    }
    std::uint16_t solo(const model::LaneId& lane) const {
        return world.partitioner().partition(lane, world.partitions());
    }

    World& world = world_of(GetParam());
    CountingProbe probe{};
    std::vector<model::LaneId> lanes{};
    std::unique_ptr<scan::Scanners> scanners{};
    bool started = false;
};

}  // namespace ff::testing
