#include "model/global_keys.h"
#include "scan/scan_world.h"

namespace ff::testing {
namespace {

class Ch07Shards : public ScanTest {
  protected:
    static scan::Options shard(std::uint16_t index) {
        scan::Options options;
        options.shard = {.index = index, .count = 2};
        options.shard_gone_after = Millis(500);
        return options;
    }
    /// A lane whose work is in the other half of the partitions.
    model::LaneId odd_lane() {
        for (int i = 0;; ++i) {
            const auto lane = world.lane("shard" + std::to_string(i));
            if (solo(lane) % 2 == 1) return lane;
        }
    }
    void start(scan::Options options) {
        scanners = make(std::move(options));
        scanners->start();
        started = true;
    }
    const std::string other = model::scanner_shard_key(2, 1);
};

/// Its last word is a while ago; that is all anybody knows of it.
TEST_P(Ch07Shards, WhatADeadServerScannedTheOthersScan) {
    const auto lane = odd_lane();
    lanes = {lane};
    auto task = world.task(lane);
    task.delay_until = model::DueTime::after(Millis(1));
    const auto id = world.create(std::move(task));
    world.command({"SET", other, "1", "PX", "1500"});
    const std::int64_t silent_at = store_now_ms() + 1'500;
    start(shard(0));
    while (store_now_ms() < silent_at - 100) {
        EXPECT_FALSE(scanners->shard().has(1));
        wait_for_time(store_now_ms() + 20);
    }
    EXPECT_EQ(field(id, "eligibility_state"), "not_eligible_until_time");
    EXPECT_TRUE(until([&] { return field(id, "eligibility_state") == "eligible_now"; }));
    EXPECT_TRUE(scanners->shard().has(1));
    world.command({"SET", other, "1", "PX", "60000"});
    EXPECT_TRUE(until([&] { return !scanners->shard().has(1); })) << "somebody has it again";
    world.command({"DEL", other});
}

TEST_P(Ch07Shards, OneThatStopsSaysSo) {
    start(shard(0));
    scan::Options options = shard(1);
    options.partitions = world.partitions();
    CountingProbe facts;
    scan::Scanners second(world.loop().get_executor(), world.store(), world.clock(), world.random(),
                          std::move(options), facts);
    second.start();
    EXPECT_TRUE(until([&] { return world.command({"EXISTS", other}).to_integer() == 1; }));
    run(world.loop(), second.stop(Deadline::after(kPatience)));
    EXPECT_EQ(world.command({"EXISTS", other}).to_integer(), 0);
    EXPECT_TRUE(until([&] { return scanners->shard().has(1); }));
    stop();
    EXPECT_EQ(world.command({"EXISTS", model::scanner_shard_key(2, 0)}).to_integer(), 0);
}

INSTANTIATE_TEST_SUITE_P(Hosts, Ch07Shards, ::testing::Values("embedded", "valkey"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ff::testing
