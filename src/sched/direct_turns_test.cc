#include "sched/direct_turns.h"

#include <set>

#include <gtest/gtest.h>

namespace ff::sched {
namespace {

const model::WorkerInstanceId kWorker = *model::WorkerInstanceId::parse("w1");
const std::vector<model::LaneId> kLanes{*model::LaneId::parse("a"), *model::LaneId::parse("b"),
                                        *model::LaneId::parse("c")};

TEST(Ch06DirectTurns, S30_TheWindowRollsFromTheWorkersOwnStart) {
    DirectTurns turns;
    const auto first = turns.begin(kWorker, kLanes, 200);
    ASSERT_EQ(first.partitions.size(), 32U);
    EXPECT_EQ(first.partitions.front(), 101);
    EXPECT_EQ(turns.begin(kWorker, kLanes, 200).partitions.front(), 133);
    std::set<std::uint16_t> seen;
    for (int poll = 0; poll < 7; ++poll) {
        for (const std::uint16_t one : turns.begin(kWorker, kLanes, 200).partitions) {
            seen.insert(one);
        }
    }
    EXPECT_EQ(seen.size(), 200U) << "every partition within ceil(200 / 32) polls";
    EXPECT_EQ(turns.begin(*model::WorkerInstanceId::parse("w2"), kLanes, 3).partitions.size(), 3U);
}

TEST(Ch06DirectTurns, S30_LanesAndPartitionsBehindTheLastTaskComeNext) {
    DirectTurns turns;
    EXPECT_EQ(turns.begin(kWorker, kLanes, 200).lanes.front().text(), "a");
    turns.took(kWorker, kLanes[1], 199);
    const auto next = turns.begin(kWorker, kLanes, 200);
    EXPECT_EQ(next.lanes.front().text(), "c");
    EXPECT_EQ(next.lanes.back().text(), "b");
    EXPECT_EQ(next.partitions.front(), 0);
}

}  // namespace
}  // namespace ff::sched
