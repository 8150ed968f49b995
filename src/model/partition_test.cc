#include "model/partition.h"

#include <set>

#include <gtest/gtest.h>

#include "model/execution_id.h"
#include "model/router.h"
#include "model/slot.h"
#include "model/solo_partition.h"

namespace ff::model {
namespace {

const std::string kUuidText = "550e8400-e29b-41d4-a716-446655440000";

std::string refusal(std::string_view text) {
    const auto parsed = PartitionKey::parse(text);
    if (parsed) return "ok";
    EXPECT_EQ(parsed.error().code, "invalid_input");
    return parsed.error().detail.at(0);
}

TEST(Ch01, S09_PartitionKeysAreRefusedByTheirFirstFault) {
    EXPECT_EQ(refusal("{zz:1}"), "UnknownFamilyPrefix(zz)");
    EXPECT_EQ(refusal("fp:1"), "MissingBraces");
    EXPECT_EQ(refusal("{fp1}"), "MalformedBody");
    EXPECT_EQ(refusal("{fp:99999}"), "InvalidIndex(99999)");
    for (const char* text : {"", "{", "}", "{fp:1", "fp:1}", "{fp:1} "})
        EXPECT_EQ(refusal(text), "MissingBraces") << text;
    EXPECT_EQ(refusal("{}"), "MalformedBody");
    EXPECT_EQ(refusal("{:1}"), "UnknownFamilyPrefix()");
    for (const char* index : {"", "-1", "+1", "01", "65536", "1:2"})
        EXPECT_EQ(refusal("{b:" + std::string(index) + "}"),
                  "InvalidIndex(" + std::string(index) + ")");
}

TEST(Partition, KeysRoundTripAndTheExecutionLabelDoesNot) {
    for (const char* text : {"{fp:0}", "{fp:65535}", "{b:31}", "{q:7}"})
        EXPECT_EQ(PartitionKey::parse(text)->tag(), text);
    const PartitionKey execution(PartitionFamily::Execution, 7);
    EXPECT_EQ(PartitionKey::parse(execution.tag())->family(), PartitionFamily::Flow);
    EXPECT_EQ(execution, PartitionKey::flow(7));
    EXPECT_EQ(std::hash<PartitionKey>{}(execution),
              std::hash<PartitionKey>{}(PartitionKey::flow(7)));
    EXPECT_NE(PartitionKey(PartitionFamily::Budget, 7), PartitionKey(PartitionFamily::Quota, 7));
}

TEST(Partition, EveryFamilyUsesItsOwnCount) {
    const auto config = *PartitionConfig::create({.flow = 100, .budget = 7, .quota = 3});
    EXPECT_EQ(config.layout(), "100/7/3");
    EXPECT_EQ(config.count(PartitionFamily::Execution), 100);
    EXPECT_EQ(partition_of(*FlowId::parse(kUuidText), config).tag(), "{fp:88}");
    EXPECT_EQ(partition_of(*BudgetId::parse(kUuidText), config).tag(), "{b:5}");
    EXPECT_EQ(partition_of(*QuotaPolicyId::parse(kUuidText), config).tag(), "{q:0}");
    EXPECT_EQ(PartitionConfig().layout(), "256/32/32");
    EXPECT_EQ(PartitionConfig::create({.flow = 0}).error().detail.at(0),
              "num_flow_partitions:zero");
    EXPECT_EQ(PartitionConfig::create({.quota = 0}).error().detail.at(0),
              "num_quota_partitions:zero");
}

TEST(Ch05, S03_RoutingReadsTheIndexOutOfTheId) {
    const auto id = *ExecutionId::parse("{fp:0}:" + kUuidText);
    for (const std::uint16_t count : {std::uint16_t{4}, std::uint16_t{1024}}) {
        const Router router(*PartitionConfig::create({.flow = count}));
        EXPECT_EQ(router.partition_for(id).index(), 0);
        EXPECT_EQ(router.num_flow_partitions(), count);
    }
    const auto outside = parse_execution_id_at_ingress("{fp:256}:" + kUuidText, PartitionConfig());
    EXPECT_EQ(outside.error().detail.at(0), "partition_out_of_range");
}

TEST(Partition, ScanStartsDifferBetweenTheTwoClaimPaths) {
    const auto w1 = *WorkerInstanceId::parse("w1");
    EXPECT_EQ(fnv16("w1", 200), 93);
    EXPECT_EQ(direct_claim_start(w1, 200), 101);
    EXPECT_EQ(direct_claim_start(w1, 256), 5);
    EXPECT_EQ(direct_claim_start(*WorkerInstanceId::parse("w2"), 256), 236);
}

TEST(SoloPartition, FixedLanesComeFromTheTable) {
    const PartitionConfig config;
    const auto table = LanePartitioner::parse("gpu=3,a=b=255", config);
    ASSERT_TRUE(table.has_value());
    EXPECT_EQ(table->partition(*LaneId::parse("gpu"), config), 3);
    EXPECT_EQ(table->partition(*LaneId::parse("a=b"), config), 255);
    EXPECT_EQ(table->partition(*LaneId::parse("main"), config), 213);
    EXPECT_TRUE(LanePartitioner::parse("", config)->overrides().empty());
}

TEST(SoloPartition, ABadTableNamesItsFault) {
    const PartitionConfig config;
    const auto fault = [&](std::string_view text) {
        const auto table = LanePartitioner::parse(text, config);
        return table ? "ok" : table.error().detail.at(0);
    };
    EXPECT_EQ(fault("gpu"), "solo_partition_overrides:malformed");
    EXPECT_EQ(fault("gpu=1,"), "solo_partition_overrides:malformed");
    EXPECT_EQ(fault("=1"), "solo_partition_overrides:bad_lane");
    EXPECT_EQ(fault("a b=1"), "solo_partition_overrides:bad_lane");
    EXPECT_EQ(fault("gpu=x"), "solo_partition_overrides:bad_index");
    EXPECT_EQ(fault("gpu=01"), "solo_partition_overrides:bad_index");
    EXPECT_EQ(fault("gpu=256"), "solo_partition_overrides:out_of_range");
    EXPECT_EQ(fault("gpu=1,gpu=2"), "solo_partition_overrides:duplicate_lane");
}

TEST(LaneSpread, StaysInItsNeighbourhoodAndFollowsTheIdempotencyKey) {
    const auto config = *PartitionConfig::create({.flow = 16});
    const LaneSpread spread{.width = 4};
    SeededRandom random(5);
    std::set<std::uint16_t> used;
    const auto key = IdempotencyKey::parse("order-7");
    std::set<std::uint16_t> used_with_key;
    for (int i = 0; i < 200; ++i) {
        const Uuid uuid = Uuid::mint_v4(random);
        used.insert(spread.place(14, std::nullopt, uuid, config));
        used_with_key.insert(spread.place(14, *key, uuid, config));
    }
    EXPECT_EQ(used, (std::set<std::uint16_t>{14, 15, 0, 1}));
    EXPECT_EQ(used_with_key.size(), 1U);
    EXPECT_EQ(spread.partitions(14, config), (std::vector<std::uint16_t>{14, 15, 0, 1}));
    EXPECT_EQ(LaneSpread{.width = 99}.partitions(0, config).size(), 16U);
    EXPECT_EQ(LaneSpread{.width = 0}.partitions(5, config), std::vector<std::uint16_t>{5});
}

TEST(LaneSpread, OfWidthOneIsTheSoloPartition) {
    const PartitionConfig config;
    const LanePartitioner partitioner;
    const auto lane = *LaneId::parse("default");
    const std::optional<IdempotencyKey> none;
    const ExecutionId id = ExecutionId::spread_solo(
        {.lane = lane, .config = config, .partitioner = partitioner, .idempotency_key = none},
        *Uuid::parse(kUuidText));
    EXPECT_EQ(id.to_string(), "{fp:86}:" + kUuidText);
}

TEST(Slot, TheTagIsTheFirstNonEmptyPairOfBraces) {
    EXPECT_EQ(hash_tag("ff:exec:{fp:7}:{fp:8}:x"), "fp:7");
    EXPECT_EQ(hash_tag("a{}b{c}"), "a{}b{c}") << "an empty pair is no tag, as clusters have it";
    EXPECT_EQ(hash_tag("a{b"), "a{b");
    EXPECT_EQ(hash_tag("a}b{c}"), "c");
    EXPECT_EQ(hash_tag("{{x}}"), "{x");
    EXPECT_EQ(slot_of("123456789"), 0x31C3);
}

}  // namespace
}  // namespace ff::model
