// What a boot writes into its store, what it refuses and what it repairs (spec 01, sections 3.5 and
// 8). The store is changed by hand between two boots of a server in this process.
#include <map>

#include <gtest/gtest.h>

#include "api/server_world.h"
#include "model/global_keys.h"
#include "model/index_keys.h"
#include "support/log_capture.h"

namespace ff::testing {
namespace {

using Fields = std::map<std::string, std::string>;

class Ch01Boot : public ::testing::TestWithParam<std::string> {
  protected:
    Fields fields(const std::string& key) {
        const store::Reply reply = world.command({"HGETALL", key});
        Fields out;
        const auto items = reply.items();
        for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
            out.emplace(items[i].text().value_or(""), items[i + 1].text().value_or(""));
        }
        return out;
    }
    Fields counts() { return fields(std::string(model::kPartitionConfigKey)); }
    std::string restart_with_counts(model::PartitionCounts counts) {
        return world.restart_with([counts](app::Settings& settings) {
            settings.partitions = *model::PartitionConfig::create(counts);
        });
    }
    std::string restart_with_secret(const std::string& hex) {
        return world.restart_with(
            [&hex](app::Settings& settings) { settings.waitpoint_secret_hex = hex; });
    }
    static std::string secret_key(std::uint16_t partition) {
        return model::IndexKeys(partition).waitpoint_hmac();
    }
    std::string secret_of(std::uint16_t partition) {
        return std::string(
            world.command({"HGET", secret_key(partition), "secret:k1"}).text().value_or(""));
    }

    ServerWorld world{GetParam(), {.in_folder = true}};
};

const Fields kDefaultCounts{{"layout", "256/32/32"},
                            {"num_flow_partitions", "256"},
                            {"num_budget_partitions", "32"},
                            {"num_quota_partitions", "32"}};

void expect_mismatch(const std::string& failure, std::string_view field, std::string_view stored,
                     std::string_view configured) {
    for (const std::string_view part :
         {std::string_view("partition_mismatch"), field, stored, configured}) {
        EXPECT_NE(failure.find(part), std::string::npos) << part << " in " << failure;
    }
}

TEST_P(Ch01Boot, S19_AnEmptyStoreIsGivenItsCountsAndLayout) {
    EXPECT_EQ(counts(), kDefaultCounts);
}

TEST_P(Ch01Boot, S20_OtherCountsThanTheStoredOnesAreRefused) {
    expect_mismatch(restart_with_counts({.flow = 512, .budget = 16, .quota = 32}),
                    "num_flow_partitions", "256", "512");
    expect_mismatch(restart_with_counts({.flow = 256, .budget = 16, .quota = 8}),
                    "num_budget_partitions", "32", "16");
    expect_mismatch(restart_with_counts({.flow = 256, .budget = 32, .quota = 8}),
                    "num_quota_partitions", "32", "8");
    ASSERT_EQ(restart_with_counts({}), "");
    EXPECT_EQ(counts(), kDefaultCounts);
}

/// Data of a deployment that wrote no layout.
TEST_P(Ch01Boot, S20_CountsWithoutALayoutRule) {
    world.command({"HDEL", model::kPartitionConfigKey, "layout"});
    expect_mismatch(restart_with_counts({.flow = 512, .budget = 32, .quota = 32}),
                    "num_flow_partitions", "256", "512");
    ASSERT_EQ(restart_with_counts({}), "");
    EXPECT_EQ(counts(), kDefaultCounts) << "and the refused boot took its layout back";
}

TEST_P(Ch01Boot, S22_ATornFirstBootIsRepaired) {
    world.command({"HDEL", model::kPartitionConfigKey, "num_flow_partitions",
                   "num_budget_partitions", "num_quota_partitions"});
    expect_mismatch(restart_with_counts({.flow = 512, .budget = 32, .quota = 32}),
                    "num_flow_partitions", "256", "512");
    ASSERT_EQ(restart_with_counts({}), "");
    EXPECT_EQ(counts(), kDefaultCounts);
    world.command({"HSET", model::kPartitionConfigKey, "num_budget_partitions", "many"});
    ASSERT_EQ(restart_with_counts({}), "");
    EXPECT_EQ(counts(), kDefaultCounts);
}

TEST_P(Ch01Boot, S30_AKidWithoutItsSecretIsRepaired) {
    const std::string before = secret_of(7);
    ASSERT_FALSE(before.empty());
    world.command({"HDEL", secret_key(7), "secret:k1"});
    const LogCapture logs;
    world.restart();
    EXPECT_EQ(secret_of(7), before);
    EXPECT_EQ(logs.count("waitpoint_secrets_repaired"), 1U);
    EXPECT_EQ(logs.count(R"("event":"waitpoint_secrets_repaired","partitions":1)"), 1U);
    EXPECT_EQ(logs.count("waitpoint_secrets_mismatch"), 0U);
    EXPECT_EQ(logs.count(before), 0U);
}

TEST_P(Ch01Boot, S31_AStoredSecretIsKept) {
    const std::string stored = secret_of(3);
    const std::string other(64, 'e');
    world.command({"HSET", secret_key(200), "secret:k1", std::string(64, 'd')});
    {
        const LogCapture logs;
        world.restart();
        EXPECT_EQ(logs.count(R"("event":"waitpoint_secrets_mismatch","partitions":1)"), 1U);
    }
    EXPECT_EQ(secret_of(200), std::string(64, 'd'));
    const LogCapture logs;
    ASSERT_EQ(restart_with_secret(other), "");
    EXPECT_EQ(secret_of(3), stored);
    EXPECT_EQ(logs.count("waitpoint_secrets_mismatch"), 1U);
    EXPECT_EQ(logs.count(R"("event":"waitpoint_secrets_mismatch","partitions":256)"), 1U);
    EXPECT_EQ(logs.count(other) + logs.count(stored), 0U);
}

TEST_P(Ch01Boot, S32_OnePartitionWithoutItsSecretIsNoServer) {
    const std::string before = secret_of(99);
    world.command({"DEL", secret_key(99)});
    world.command({"SET", secret_key(99), "no hash"});
    const std::string failure = restart_with_secret(before);
    EXPECT_NE(failure, "");
    EXPECT_EQ(failure.find(before), std::string::npos);
}

/// Step 5. A connection for reads that wait was opened, and read on, before anybody asked for one.
TEST(Ch01TailPool, AServerOnAValkeyHasReadOnItsTailPoolOnceItServes) {
    WorldOptions options;
    options.settings.scanners_enabled = false;
    ServerWorld world("valkey", std::move(options));
    const store::Reply stats = world.command({"INFO", "commandstats"});
    EXPECT_NE(stats.text().value_or("").find("cmdstat_xread:"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Stores, Ch01Boot, ::testing::Values("embedded", "valkey"));

}  // namespace
}  // namespace ff::testing
