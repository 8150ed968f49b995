// Claims that skip admission take the real path: lanes in turn, a rolling window of partitions.
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "sdk/door_world.h"
#include "support/wait.h"

namespace ff::testing {
namespace {

using flowfabric::Worker;

class Ch06DirectClaim : public ::testing::TestWithParam<std::string> {
  protected:
    DoorWorld& world = door_world(GetParam());
    const flowfabric::AdminClient& client = world.client();
    std::string lane = DoorWorld::unique("lane");

    Worker direct(const std::vector<std::string>& lanes) const {
        flowfabric::WorkerConfig config = world.config(lane);
        config.direct_claim = true;
        config.lanes = lanes;
        return Worker::connect(config).value();
    }
    /// Polls once for each window of 256 partitions and completes what is found; its id.
    static std::string run_one(Worker& worker) {
        for (int poll = 0; poll < 8; ++poll) {
            auto task = worker.claim_next().value();
            if (!task) continue;
            const std::string id = task->id();
            EXPECT_TRUE(task->complete().has_value());
            return id;
        }
        return {};
    }
};

TEST_P(Ch06DirectClaim, S30_Repair_02_LanesTakeTurns) {
    const std::string other = DoorWorld::unique("lane");
    std::map<std::string, std::string> lane_of;
    for (int i = 0; i < 4; ++i) {
        lane_of[world.submit(lane)] = lane;
        lane_of[world.submit(other)] = other;
    }
    Worker worker = direct({lane, other});
    std::map<std::string, int> taken;
    for (int i = 0; i < 4; ++i) ++taken[lane_of[run_one(worker)]];
    EXPECT_EQ(taken[lane], 2);
    EXPECT_EQ(taken[other], 2);
}

TEST_P(Ch06DirectClaim, S30_Repair_02_MembersOfFlowsInAnyPartitionAreFound) {
    // Each flow has a partition of its own, away from the lane's.
    std::set<std::string> members;
    for (int i = 0; i < 12; ++i) {
        const auto graph =
            flowfabric::Json::parse(R"({"namespace":"default","defaults":{"lane_id":")" + lane +
                                    R"("},"nodes":[{"name":"only"}]})");
        const auto flow = client.submit_flow(graph.value());
        ASSERT_TRUE(flow.has_value()) << flow.error().text();
        members.insert(flow->nodes.begin()->second);
    }
    const std::string solo = world.submit(lane);
    members.insert(solo);
    Worker worker = direct({lane});
    std::set<std::string> found;
    for (std::size_t i = 0; i < members.size(); ++i) found.insert(run_one(worker));
    EXPECT_EQ(found, members);
}

TEST_P(Ch06DirectClaim, S30_Repair_02_ALaneThatIsPausedOrDisabledGivesNoWork) {
    const std::string id = world.submit(lane);
    Worker worker = direct({lane});
    ASSERT_TRUE(client.set_lane(lane, {.state = "paused"}).has_value());
    EXPECT_EQ(run_one(worker), "");
    ASSERT_TRUE(client.set_lane(lane, {.state = "disabled"}).has_value());
    EXPECT_EQ(run_one(worker), "");
    ASSERT_TRUE(client.set_lane(lane, {.state = "draining"}).has_value());
    // What a worker knows of a lane is at most a second old.
    ASSERT_TRUE(wait_until([&] { return run_one(worker) == id; }));
}

INSTANTIATE_TEST_SUITE_P(Doors, Ch06DirectClaim, ::testing::Values("direct", "inprocess"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ff::testing
