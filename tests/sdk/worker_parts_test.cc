// What a worker tells of itself: its configuration, its client, the partitions behind it, its log.
#include <gtest/gtest.h>

#include "sdk/door_world.h"
#include "support/log_capture.h"

namespace ff::testing {
namespace {

using flowfabric::Millis;
using flowfabric::Worker;

class Ch07WorkerParts : public ::testing::TestWithParam<std::string> {
  protected:
    DoorWorld& world = door_world(GetParam());
    const flowfabric::AdminClient& client = world.client();
    std::string lane = DoorWorld::unique("lane");
};

TEST(Ch07WorkerConfig, HasAShortFormForAStore) {
    const auto config =
        flowfabric::WorkerConfig::on_store("store.example.org", 6380, "w", "w-1", "acme", "mail");
    EXPECT_EQ(config.host, "store.example.org");
    EXPECT_EQ(config.port, 6380);
    EXPECT_EQ(config.worker_id, "w");
    EXPECT_EQ(config.worker_instance_id, "w-1");
    EXPECT_EQ(config.ns, "acme");
    EXPECT_EQ(config.lanes, std::vector<std::string>{"mail"});
    EXPECT_EQ(config.renewal_interval(), Millis(10'000));
}

TEST_P(Ch07WorkerParts, ItsClientAndItsPartitionsAreThoseBehindItsDoor) {
    Worker worker = world.worker(lane);
    const std::string id = world.submit(lane);
    EXPECT_EQ(worker.client().get_state(id).value(), "waiting");
    const auto here = worker.partition_config().value();
    const auto told = client.capabilities().value();
    EXPECT_GT(here.flow, 0);
    EXPECT_EQ(here.flow, told.flow_partitions);
    EXPECT_EQ(here.budget, told.budget_partitions);
    EXPECT_EQ(here.quota, told.quota_partitions);
}

TEST_P(Ch07WorkerParts, ConnectingTellsTheCapabilitiesAndTheirDigest) {
    flowfabric::WorkerConfig config = world.config(lane);
    config.capabilities = {"gpu", "arch.arm"};
    const LogCapture logs;
    const Worker worker = Worker::connect(config).value();
    EXPECT_EQ(logs.count(R"("event":"worker_registered")"), 1U);
    EXPECT_EQ(logs.count(R"("capabilities":"arch.arm,gpu")"), 1U);
    EXPECT_EQ(logs.count(R"("capability_digest":")"), 1U);
}

INSTANTIATE_TEST_SUITE_P(Doors, Ch07WorkerParts, ::testing::Values("http", "direct", "inprocess"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ff::testing
