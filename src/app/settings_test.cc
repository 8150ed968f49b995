#include "app/settings.h"

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "app/server_flags.h"
#include "app/setting_table.h"

namespace ff::app {
namespace {

using Variables = std::map<std::string, std::string, std::less<>>;

constexpr std::string_view kSecret = "00112233";

Result<Settings> read(const Variables& variables, const Flags& flags = {}) {
    const Environment environment = [&](std::string_view name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        if (found == variables.end()) return std::nullopt;
        return found->second;
    };
    return Settings::read(environment, flags);
}

TEST(Settings, HaveTheDefaultsOfTheSpecification) {
    const auto settings = read({});
    ASSERT_TRUE(settings.has_value());
    EXPECT_EQ(settings->backend, Backend::Embedded);
    EXPECT_EQ(settings->data_dir, "./flowfabric-data");
    EXPECT_EQ(settings->fsync, journal::Fsync::Always);
    EXPECT_EQ(settings->listen.to_text(), "127.0.0.1:9090");
    EXPECT_EQ(settings->partitions.layout(), "256/32/32");
    ASSERT_EQ(settings->lanes.size(), 1U);
    EXPECT_EQ(settings->lanes[0].text(), "default");
    EXPECT_FALSE(settings->cors.any);
    EXPECT_TRUE(settings->cors.origins.empty());
    EXPECT_EQ(settings->pools.stream_ops, 64U);
    EXPECT_EQ(settings->tail_pool_size, 64U);
    EXPECT_EQ(settings->shutdown_grace, Millis(15'000));
    EXPECT_EQ(settings->log_level, log::Level::Info);
    EXPECT_TRUE(settings->secondary_indexes);
}

TEST(Settings, TakeWhatTheEnvironmentSays) {
    const auto settings = read({{"FF_LISTEN_ADDR", "[::]:80"},
                                {"FF_API_TOKEN", "t"},
                                {"FF_LOG", "debug"},
                                {"FF_DATA_DIR", ":memory:"},
                                {"FF_FSYNC", "interval:250"},
                                {"FF_LANES", " a , b "},
                                {"FF_FLOW_PARTITIONS", "16"},
                                {"FF_LANE_SPREAD", "2,b=16"},
                                {"FF_MAX_CONCURRENT_TAIL", "7"},
                                {"FF_SCANNER_SHARD", "1/2"},
                                {"FF_LEASE_EXPIRY_INTERVAL_MS", "5"},
                                {"FF_UNBLOCK_INTERVAL_S", "9"},
                                {"FF_WAIT_REPLICAS", "2:250"},
                                {"FF_SECONDARY_INDEXES", "Off"}});
    ASSERT_TRUE(settings.has_value()) << settings.error().text();
    EXPECT_EQ(settings->listen.to_text(), "[::]:80");
    EXPECT_TRUE(settings->in_memory());
    EXPECT_EQ(settings->fsync_interval, Millis(250));
    EXPECT_EQ(settings->wait_replicas, 2U);
    EXPECT_EQ(settings->wait_replicas_time, Millis(250));
    EXPECT_EQ(settings->lanes.size(), 2U);
    EXPECT_EQ(settings->lane_spread, 2);
    EXPECT_EQ(settings->lane_spread_overrides.at("b"), 16);
    EXPECT_EQ(settings->pools.stream_ops, 7U);
    EXPECT_EQ(settings->tail_pool_size, 7U);
    EXPECT_EQ(settings->scanner_shard_index, 1);
    EXPECT_EQ(settings->scanner_intervals.at("lease_expiry"), Millis(100));
    EXPECT_EQ(settings->scanner_intervals.at("unblock"), Millis(9'000));
    EXPECT_FALSE(settings->secondary_indexes);
}

TEST(Ch07Settings, S07_NameTheVariableThatIsWrong) {
    const std::vector<std::pair<std::string, std::string>> wrong = {
        {"FF_TLS", "maybe"},
        {"FF_FLOW_PARTITIONS", "0"},
        {"FF_LANES", "a,a"},
        {"FF_LANES", ""},
        {"FF_LANES", "a,,b"},
        {"FF_WAITPOINT_HMAC_SECRET", "abc"},
        {"FF_WAITPOINT_HMAC_SECRET", ""},
        {"FF_LISTEN_ADDR", "9090"},
        {"FF_LOG", "loud"},
        {"FF_SHUTDOWN_GRACE_MS", "1s"},
        {"FF_BACKEND", "postgres"},
        {"FF_FSYNC", "interval:0"},
        {"FF_LUA_JIT", "maybe"},
        {"FF_PORT", "65536"},
        {"FF_LANE_SPREAD", "257"},
        {"FF_SOLO_PARTITION_OVERRIDES", "a=256"},
        {"FF_SCANNER_SHARD", "2/2"},
        {"FF_FEED_MAXLEN", "99"},
        {"FF_GUEST_REQUESTS_PER_MINUTE", "0"},
        {"FF_PUBLIC_URL", "ftp://example.org"},
        {"FF_CORS_ORIGINS", ""}};
    for (const auto& [name, value] : wrong) {
        const auto settings = read({{name, value}});
        ASSERT_FALSE(settings.has_value()) << name << "=" << value;
        EXPECT_TRUE(settings.error().detail.at(0).starts_with(name)) << settings.error().text();
    }
}

TEST(Ch07Settings, S61_ValkeyNeedsASecretOfItsOperator) {
    const auto without = read({{"FF_BACKEND", "valkey"}});
    ASSERT_FALSE(without.has_value());
    EXPECT_TRUE(without.error().detail.at(0).starts_with("FF_WAITPOINT_HMAC_SECRET"));
    EXPECT_TRUE(read({{"FF_BACKEND", "valkey"}, {"FF_WAITPOINT_HMAC_SECRET", std::string(kSecret)}})
                    .has_value());
}

TEST(Ch07Settings, S02_CorsNeverFallsBackToEveryOrigin) {
    const std::string nul("http://a\0b", 10);
    EXPECT_FALSE(read({{"FF_CORS_ORIGINS", ""}}).has_value());
    EXPECT_FALSE(read({{"FF_CORS_ORIGINS", nul}}).has_value());
    EXPECT_FALSE(read({{"FF_CORS_ORIGINS", nul + "," + nul}}).has_value());
    const auto mixed = read({{"FF_CORS_ORIGINS", nul + ", http://good"}});
    ASSERT_TRUE(mixed.has_value());
    EXPECT_FALSE(mixed->cors.any);
    EXPECT_EQ(mixed->cors.origins, std::vector<std::string>{"http://good"});
    EXPECT_EQ(mixed->cors.dropped, 1U);
}

TEST(Settings, ServeOtherMachinesOnlyWithATokenOrWhenTold) {
    EXPECT_FALSE(read({{"FF_LISTEN_ADDR", "0.0.0.0:1"}}).has_value());
    EXPECT_FALSE(read({{"FF_LISTEN_ADDR", "0.0.0.0:1"}, {"FF_API_TOKEN", ""}}).has_value());
    EXPECT_TRUE(read({{"FF_LISTEN_ADDR", "0.0.0.0:1"}, {"FF_API_TOKEN", "x"}}).has_value());
    EXPECT_TRUE(
        read({{"FF_LISTEN_ADDR", "0.0.0.0:1"}, {"FF_INSECURE_LISTEN", "true"}}).has_value());
    EXPECT_TRUE(read({{"FF_LISTEN_ADDR", "127.1.2.3:1"}}).has_value());
}

TEST(Ch07Settings, S69_TheTestClockIsForWhatNobodyKeeps) {
    EXPECT_FALSE(read({})->test_clock);
    const Variables memory = {{"FF_TEST_CLOCK", "1"}, {"FF_DATA_DIR", ":memory:"}};
    EXPECT_TRUE(read(memory)->test_clock);
    for (const Variables& kept : {Variables{{"FF_TEST_CLOCK", "1"}},
                                  {{"FF_TEST_CLOCK", "1"}, {"FF_DATA_DIR", "./data"}},
                                  {{"FF_TEST_CLOCK", "1"},
                                   {"FF_DATA_DIR", ":memory:"},
                                   {"FF_BACKEND", "valkey"},
                                   {"FF_WAITPOINT_HMAC_SECRET", std::string(kSecret)}}}) {
        const auto refused = read(kept);
        ASSERT_FALSE(refused.has_value());
        EXPECT_TRUE(refused.error().detail.at(0).starts_with("FF_TEST_CLOCK:"))
            << refused.error().text();
    }
}

TEST(ServerFlags, WinOverTheEnvironment) {
    const auto arguments = parse_server_arguments(
        {"--listen", "127.0.0.1:7", "--fsync=off", "--cluster", "--unblock-interval-s", "3"});
    ASSERT_TRUE(arguments.has_value());
    const auto settings = read({{"FF_FSYNC", "always"}}, arguments->flags);
    ASSERT_TRUE(settings.has_value());
    EXPECT_EQ(settings->listen.port, 7);
    EXPECT_EQ(settings->fsync, journal::Fsync::Off);
    EXPECT_TRUE(settings->cluster);
    EXPECT_EQ(settings->scanner_intervals.at("unblock"), Millis(3'000));
}

TEST(ServerFlags, Repair_20_NameTheUnknownOneAndTheNearest) {
    for (const std::string flag : {"--lanez", "--lanez=a"}) {
        const auto refused = parse_server_arguments({flag, "a"});
        ASSERT_FALSE(refused.has_value());
        EXPECT_TRUE(
            refused.error().text().starts_with("unknown flag `--lanez`; did you mean `--lanes`?"))
            << refused.error().text();
    }
}

TEST(Settings, Repair_21_ADefaultPolicyIsCheckedAtTheStart) {
    const auto read_policy = [](const std::string& text) {
        return read({{"FF_DEFAULT_POLICY", text}});
    };
    const std::string good = R"({"retry_policy":{"max_retries":2}})";
    EXPECT_EQ(read_policy(good)->default_policy_json, good);
    EXPECT_EQ(read_policy("")->default_policy_json, "");
    for (const auto& [wrong, told] : std::map<std::string, std::string>{
             {R"({"retry_polcy":{}})", "did you mean `retry_policy`"},
             {R"({"retention_ms":-1})", "retention_ms"},
             {"three", "malformed"},
             {"[1]", "not_object"}}) {
        const auto refused = read_policy(wrong);
        ASSERT_FALSE(refused.has_value()) << wrong;
        const std::string text = refused.error().text();
        EXPECT_NE(text.find("FF_DEFAULT_POLICY"), std::string::npos) << text;
        EXPECT_NE(text.find(told), std::string::npos) << text;
    }
}

TEST(ServerFlags, AreRefusedByName) {
    for (const std::vector<std::string>& wrong : std::vector<std::vector<std::string>>{
             {"--port-of-call", "1"}, {"serve"}, {"--listen"}, {"--unknown=1"}})
        EXPECT_FALSE(parse_server_arguments(wrong).has_value()) << wrong[0];
    EXPECT_FALSE(parse_server_arguments({"-l"}).has_value());
    const auto settings = read({}, {{"--lanes", "a,a"}});
    ASSERT_FALSE(settings.has_value());
    EXPECT_TRUE(settings.error().detail.at(0).starts_with("--lanes"));
}

TEST(ServerFlags, HelpListsEverySettingOnce) {
    const std::string help = server_help();
    std::set<std::string_view> names;
    for (const Setting& setting : setting_table()) {
        EXPECT_TRUE(names.insert(setting.name).second) << setting.name;
        EXPECT_NE(help.find("(" + std::string(setting.name) + ")"), std::string::npos);
        EXPECT_NE(help.find(setting.flag() + "  "), std::string::npos);
    }
    EXPECT_GE(names.size(), 70U);
}

TEST(Settings, SayTheMemoryLimitInBytesUnitsOrPercent) {
    const auto limit = [](const std::string& text) {
        return read({{"FF_MEMORY_LIMIT", text}}).value().memory_limit;
    };
    EXPECT_EQ(read({}).value().memory_limit.percent, 70U);
    EXPECT_EQ(limit("50%").percent, 50U);
    EXPECT_EQ(limit("67108864").bytes, 67'108'864U);
    EXPECT_EQ(limit("64MiB").bytes, 67'108'864U);
    EXPECT_EQ(limit("2GiB").bytes, 2'147'483'648U);
    EXPECT_EQ(limit("off").bytes, 0U);
    for (const std::string wrong : {"0%", "101%", "1", "64MB", "99999999GiB", "a"}) {
        const auto refused = read({{"FF_MEMORY_LIMIT", wrong}});
        ASSERT_FALSE(refused.has_value()) << wrong;
        EXPECT_NE(refused.error().text().find("FF_MEMORY_LIMIT"), std::string::npos);
    }
}

/// The table tells people the defaults that the code has.
TEST(Settings, AnswerTheDefaultsWhenTheyAreSaidAloud) {
    const auto silent = read({});
    for (const Setting& setting : setting_table()) {
        const bool prose = setting.otherwise.find(' ') != std::string_view::npos;
        if (setting.otherwise.empty() || prose) continue;
        const auto said = read({{std::string(setting.name), std::string(setting.otherwise)}});
        ASSERT_TRUE(said.has_value()) << setting.name << said.error().text();
        EXPECT_EQ(said->listen, silent->listen);
        EXPECT_EQ(said->bodies.large, silent->bodies.large) << setting.name;
        EXPECT_EQ(said->bodies.medium, silent->bodies.medium) << setting.name;
        EXPECT_EQ(said->bodies.control, silent->bodies.control) << setting.name;
        EXPECT_EQ(said->pools.sse, silent->pools.sse) << setting.name;
        EXPECT_EQ(said->pools.claim_waits, silent->pools.claim_waits) << setting.name;
        EXPECT_EQ(said->retention_default, silent->retention_default) << setting.name;
        EXPECT_EQ(said->flow_retention, silent->flow_retention) << setting.name;
        EXPECT_EQ(said->budget_ledger_ttl, silent->budget_ledger_ttl) << setting.name;
        EXPECT_EQ(said->waitpoint_grace, silent->waitpoint_grace) << setting.name;
        EXPECT_EQ(said->partitions, silent->partitions) << setting.name;
        EXPECT_EQ(said->connections_max, silent->connections_max) << setting.name;
        EXPECT_EQ(said->feed_maxlen, silent->feed_maxlen) << setting.name;
    }
}

}  // namespace
}  // namespace ff::app
