#include "model/ids.h"

#include <unordered_set>

#include <gtest/gtest.h>

#include "model/execution_id.h"
#include "model/graph_ids.h"
#include "model/plain_id.h"

namespace ff::model {
namespace {

constexpr std::string_view kUuid = "550e8400-e29b-41d4-a716-446655440000";
const std::string kUuidText(kUuid);

/// What a parser says: `ok`, or the first detail of its refusal.
template <class Id>
std::string verdict(std::string_view text) {
    const auto parsed = Id::parse(text);
    if (parsed) return "ok";
    EXPECT_EQ(parsed.error().code, "invalid_input");
    EXPECT_EQ(parsed.error().cls, ErrorClass::Terminal);
    return parsed.error().detail.at(0);
}

TEST(Ch01, S01_AnExecutionIdKeepsItsTextAndPartition) {
    const std::string text = "{fp:7}:" + kUuidText;
    const auto id = ExecutionId::parse(text);
    ASSERT_TRUE(id.has_value());
    EXPECT_EQ(id->partition_index(), 7);
    EXPECT_EQ(id->partition().tag(), "{fp:7}");
    EXPECT_EQ(id->to_string(), text);
    EXPECT_EQ(verdict<ExecutionId>("{fp:0}:" + kUuidText), "ok");
    EXPECT_EQ(verdict<ExecutionId>("{fp:65535}:" + kUuidText), "ok");
}

TEST(Ch01, S02_AnExecutionIdNeedsItsTag) {
    for (const std::string& text :
         {kUuidText, std::string(), "fp:7:" + kUuidText, "{b:7}:" + kUuidText, "{fp:7}" + kUuidText,
          "{fp:7:" + kUuidText, " {fp:7}:" + kUuidText})
        EXPECT_EQ(verdict<ExecutionId>(text), "MissingTag(" + text + ")");
}

TEST(Ch01, S03_APartitionIndexHasOneSpelling) {
    for (const char* index :
         {"70000", "65536", "-1", "+1", "007", "00", "", " 1", "1 ", "0x1", "18446744073709551616"})
        EXPECT_EQ(verdict<ExecutionId>("{fp:" + std::string(index) + "}:" + kUuidText),
                  "InvalidPartitionIndex(" + std::string(index) + ")");
}

TEST(Ch01, S04_AUuidHasOneSpellingInEitherCase) {
    for (const std::string& bad :
         {std::string("550e8400e29b41d4a716446655440000"), "urn:uuid:" + kUuidText,
          "{" + kUuidText + "}", kUuidText.substr(1), kUuidText + "0", std::string(),
          std::string("550e8400-e29b-41d4-a716-44665544000g"),
          std::string("550e8400e-29b-41d4-a716-446655440000"),
          std::string("550e8400-e29b-41d4-a716-4466554400-0")}) {
        EXPECT_EQ(verdict<ExecutionId>("{fp:1}:" + bad), "InvalidUuid(" + bad + ")");
        EXPECT_EQ(verdict<FlowId>(bad), "InvalidUuid(" + bad + ")");
    }
    const auto upper = ExecutionId::parse("{fp:1}:550E8400-E29B-41D4-A716-446655440000");
    ASSERT_TRUE(upper.has_value());
    EXPECT_EQ(upper->to_string(), "{fp:1}:" + kUuidText);
    EXPECT_EQ(*upper, *ExecutionId::parse("{fp:1}:" + kUuidText));
}

TEST(Ids, AnExecutionHasASpellingWithoutBraces) {
    const auto id = ExecutionId::parse("fp.86." + kUuidText);
    ASSERT_TRUE(id.has_value());
    EXPECT_EQ(id->to_string(), "{fp:86}:" + kUuidText);
    EXPECT_EQ(to_plain_string(*id), "fp.86." + kUuidText);
    EXPECT_EQ(*id, *ExecutionId::parse(id->to_string()));
    EXPECT_EQ(verdict<ExecutionId>("fp.086." + kUuidText), "InvalidPartitionIndex(086)");
    EXPECT_EQ(verdict<ExecutionId>("fp.86"), "MissingTag(fp.86)");
    EXPECT_EQ(verdict<ExecutionId>("fp.86.x"), "InvalidUuid(x)");
}

TEST(Ch01, S06_FlowsAndTheirMembersShareAPartition) {
    const PartitionConfig config;
    const auto flow = *FlowId::parse(kUuid);
    EXPECT_EQ(partition_of(flow, config).index(), 24);
    SeededRandom random(3);
    const ExecutionId member = ExecutionId::for_flow(flow, config, random);
    EXPECT_TRUE(member.to_string().starts_with("{fp:24}:"));
    EXPECT_EQ(member.uuid().raw()[6] >> 4U, 4U);
    EXPECT_TRUE(check_same_partition(member, flow, config).has_value());
    const auto stranger = *ExecutionId::parse("{fp:25}:" + kUuidText);
    EXPECT_EQ(check_same_partition(stranger, flow, config).error().code, "partition_mismatch");
}

TEST(Ch01, S07_SoloIdsFollowTheLane) {
    const PartitionConfig config;
    const LanePartitioner partitioner;
    const auto lane = *LaneId::parse("default");
    SeededRandom random(3);
    EXPECT_TRUE(
        ExecutionId::solo(lane, config, partitioner, random).to_string().starts_with("{fp:86}:"));
    const Uuid uuid = *Uuid::parse(kUuid);
    const ExecutionId one = ExecutionId::deterministic_solo(lane, config, partitioner, uuid);
    EXPECT_EQ(one, ExecutionId::deterministic_solo(lane, config, partitioner, uuid));
    EXPECT_EQ(one.to_string(), "{fp:86}:" + kUuidText);
}

TEST(Ch01, S08_LanesAreRefusedByTheirFirstFault) {
    EXPECT_EQ(verdict<LaneId>(""), "Empty");
    EXPECT_EQ(verdict<LaneId>(std::string(64, 'a')), "ok");
    EXPECT_EQ(verdict<LaneId>(std::string(65, 'a')), "TooLong(65)");
    EXPECT_EQ(verdict<LaneId>("abc\x1f"), "NonPrintable(3)");
    EXPECT_EQ(verdict<LaneId>("a b"), "NonPrintable(1)");
    EXPECT_EQ(verdict<LaneId>("\x7f"), "NonPrintable(0)");
    EXPECT_EQ(verdict<LaneId>("a\xc3\xa4"), "NonPrintable(1)");
    EXPECT_EQ(verdict<LaneId>("a,b"), "Forbidden(1)");
    EXPECT_EQ(verdict<LaneId>("{a"), "Forbidden(0)");
    EXPECT_EQ(verdict<LaneId>("ab}"), "Forbidden(2)");
    EXPECT_EQ(verdict<LaneId>("gpu:eu/1~"), "ok");
}

TEST(Ids, NamespacesExcludeWhatKeysAndTagsAreBuiltWith) {
    for (const char* good : {"a", "tenant,1", "x/y-z_0.1~!"})
        EXPECT_EQ(verdict<Namespace>(good), "ok");
    EXPECT_EQ(verdict<Namespace>(std::string(128, 'n')), "ok");
    EXPECT_EQ(verdict<Namespace>(""), "namespace:empty");
    EXPECT_EQ(verdict<Namespace>(std::string(129, 'n')), "namespace:too_long");
    for (const char* bad : {"a:b", "{x}", "x}", "a b", "a\tb", "\x7f", "\xc3\xa4"})
        EXPECT_EQ(verdict<Namespace>(bad), "namespace:bad_character") << bad;
}

TEST(Ids, WorkersExcludeWhiteSpaceAndControls) {
    EXPECT_EQ(verdict<WorkerId>("w{1}:a\xc3\xa4"), "ok");
    EXPECT_EQ(verdict<WorkerId>(std::string(256, 'w')), "ok");
    EXPECT_EQ(verdict<WorkerId>(""), "worker_id:empty");
    EXPECT_EQ(verdict<WorkerInstanceId>(std::string(257, 'w')), "worker_instance_id:too_long");
    for (const char* bad : {"a b", "a\n", "\xc2\xa0", "\xe2\x80\xa8", "\x7f"})
        EXPECT_EQ(verdict<WorkerInstanceId>(bad), "worker_instance_id:bad_character") << bad;
}

TEST(Ids, KeysExcludeControlsOnly) {
    EXPECT_EQ(verdict<WaitpointKey>("order 42|{x}"), "ok");
    EXPECT_EQ(verdict<IdempotencyKey>(""), "idempotency_key:empty");
    EXPECT_EQ(verdict<DedupId>(std::string(257, 'd')), "dedup_id:too_long");
    EXPECT_EQ(verdict<DedupId>(std::string(256, 'd')), "ok");
    for (const char* bad : {"a\nb", "\x7f", "\xc2\x85"})
        EXPECT_EQ(verdict<WaitpointKey>(bad), "waitpoint_key:bad_character") << bad;
    EXPECT_EQ(IdempotencyKey::parse("", "dedup_key").error().detail.at(0), "dedup_key:empty");
    EXPECT_EQ(default_waitpoint_key(*WaitpointId::parse(kUuid)).text(), "wpk:" + kUuidText);
}

TEST(Ids, EpochsAndAttemptsAreUnsignedNumbers) {
    EXPECT_EQ(LeaseEpoch::parse("18446744073709551615")->value, UINT64_MAX);
    EXPECT_EQ(AttemptIndex::parse("4294967295")->to_string(), "4294967295");
    for (const char* bad : {"", "-1", "+1", "1.0", "18446744073709551616", "x"})
        EXPECT_EQ(verdict<LeaseEpoch>(bad), "lease_epoch:not_integer") << bad;
    for (const char* bad : {"", "-1", "4294967296"})
        EXPECT_EQ(verdict<AttemptIndex>(bad), "attempt_index:not_integer") << bad;
}

TEST(Ids, IngressKnowsThePartitionCount) {
    const PartitionConfig config;
    EXPECT_TRUE(parse_execution_id_at_ingress("{fp:255}:" + kUuidText, config).has_value());
    const auto outside = parse_execution_id_at_ingress("{fp:300}:" + kUuidText, config);
    ASSERT_FALSE(outside.has_value());
    EXPECT_EQ(outside.error().code, "invalid_input");
    EXPECT_EQ(outside.error().detail, std::vector<std::string>{"partition_out_of_range"});
    EXPECT_EQ(parse_execution_id_at_ingress(kUuid, config).error().detail.at(0),
              "MissingTag(" + kUuidText + ")");
}

TEST(Uuid, MintsVersionsFourAndSeven) {
    SeededRandom random(11);
    std::unordered_set<Uuid> seen;
    for (int i = 0; i < 100; ++i) {
        const Uuid uuid = Uuid::mint_v4(random);
        EXPECT_EQ(uuid.to_string()[14], '4');
        EXPECT_NE(std::string_view("89ab").find(uuid.to_string()[19]), std::string_view::npos);
        EXPECT_EQ(*Uuid::parse(uuid.to_string()), uuid);
        EXPECT_TRUE(seen.insert(uuid).second);
    }
    ManualClock clock(timestamp_from_ms(0x018f4d1e7c3a));
    const Uuid early = Uuid::mint_v7(random, clock);
    EXPECT_TRUE(early.to_string().starts_with("018f4d1e-7c3a-7"));
    clock.advance(std::chrono::milliseconds(1));
    EXPECT_LT(early, Uuid::mint_v7(random, clock));
}

TEST(GraphIds, AreThoseOfTheExampleInChapter05) {
    const auto flow = *FlowId::parse(kUuid);
    const PartitionConfig config;
    const auto node = [&](std::string_view name) {
        return node_execution_id(flow, name, config).to_string();
    };
    EXPECT_EQ(node("fetch"), "{fp:24}:5eefda36-40f7-5e97-adb4-4f8a7ab37298");
    EXPECT_EQ(node("parse"), "{fp:24}:a0367629-1671-5f56-ba2b-19e00957149d");
    EXPECT_EQ(node("store"), "{fp:24}:cd97c3f4-07b9-5d4d-921c-3d9e33f0e908");
    EXPECT_EQ(graph_edge_id(flow, {.upstream = "fetch", .downstream = "parse"}).to_string(),
              "4540f7b7-b7c8-5e4f-86c8-d42da40b9488");
    EXPECT_EQ(graph_edge_id(flow, {.upstream = "parse", .downstream = "store"}).to_string(),
              "087c8e06-79a2-550a-bed8-9edc14f973ef");
}

}  // namespace
}  // namespace ff::model
