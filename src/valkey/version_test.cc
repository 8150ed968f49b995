#include "valkey/version.h"

#include <gtest/gtest.h>

#include "model/transport_kind.h"

namespace ff::valkey {
namespace {

using std::chrono::milliseconds;
using Kind = VersionCheck::Step::Kind;

/// Asks until the check decides; says how long that took.
struct Asked {
    VersionCheck::Step last{};
    milliseconds elapsed{0};
};
Asked run(VersionCheck check, const std::string& before, const std::string& after = "",
          milliseconds change_at = milliseconds(1'000'000)) {
    Asked run;
    while (true) {
        const std::string& body = run.elapsed < change_at ? before : after;
        run.last = check.on_answer(parse_version(body), run.elapsed);
        if (run.last.kind != Kind::Retry) return run;
        run.elapsed += run.last.pause;
    }
}

TEST(Ch01, S24_ValkeysOwnVersionCounts) {
    const Asked accepted =
        run(VersionCheck(false),
            "# Server\r\nredis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:9.0.3\r\n");
    EXPECT_EQ(accepted.last.kind, Kind::Accept);
    EXPECT_EQ(parse_version("redis_version:7.2.4\nvalkey_version:9.0.3\n")->major, 9U);
}

TEST(Ch01, S25_Redis7IsRefusedAfterTheBudgetAndTakenWithTheFlag) {
    const Asked refused = run(VersionCheck(false), "redis_version:7.2.4\r\n");
    EXPECT_EQ(refused.last.kind, Kind::Fail);
    EXPECT_EQ(refused.last.error.code, "store_version_too_low");
    EXPECT_EQ(refused.last.error.cls, ErrorClass::Terminal);
    EXPECT_EQ(refused.last.error.detail, (std::vector<std::string>{"7.2.4", "8.0"}));
    EXPECT_NE(refused.last.error.text().find("7"), std::string::npos);
    EXPECT_NE(refused.last.error.text().find("8.0"), std::string::npos);
    EXPECT_GT(refused.elapsed, milliseconds(50'000));
    EXPECT_LE(refused.elapsed, VersionCheck::kBudget);
    EXPECT_EQ(run(VersionCheck(true), "redis_version:7.2.4\r\n").last.kind, Kind::Accept);
}

TEST(Ch01, S26_Redis8IsRefusedByDefaultAndTakenWithTheFlag) {
    EXPECT_EQ(run(VersionCheck(false), "redis_version:8.0.1").last.kind, Kind::Fail);
    EXPECT_EQ(run(VersionCheck(true), "redis_version:8.0.1").last.kind, Kind::Accept);
    EXPECT_EQ(run(VersionCheck(true), "redis_version:6.2.0").last.kind, Kind::Fail);
    EXPECT_EQ(run(VersionCheck(false), "redis_version:8.0.1\nserver_name:valkey").last.kind,
              Kind::Accept);
}

TEST(Ch01, S27_AVersionThatCannotBeReadSaysWhy) {
    const Asked none = run(VersionCheck(false), "# Server\r\nos:Linux\r\n");
    EXPECT_EQ(none.last.kind, Kind::Fail);
    EXPECT_NE(none.last.error.text().find("missing"), std::string::npos);
    const Asked letters = run(VersionCheck(false), "valkey_version:abc.1\r\n");
    EXPECT_NE(letters.last.error.text().find("non-numeric major"), std::string::npos);
    EXPECT_FALSE(parse_version("valkey_version:.1").has_value());
    EXPECT_FALSE(parse_version("xvalkey_version:8").has_value());
}

TEST(Ch01, S28_TheLowestVersionOfAClusterCounts) {
    using resp::Value;
    const Value map = Value::map({Value::bulk("a:1"), Value::bulk("valkey_version:9.0.0"),
                                  Value::bulk("b:1"), Value::verbatim("txt", "redis_version:7.2.4"),
                                  Value::bulk("c:1"), Value::simple("valkey_version:8.0.0")});
    EXPECT_EQ(lowest_version(map)->major, 7U);
    EXPECT_EQ(lowest_version(map)->product, ServerProduct::Redis);
    EXPECT_FALSE(lowest_version(Value::map({})).has_value());
    EXPECT_FALSE(lowest_version(Value::integer(8)).has_value());
    EXPECT_FALSE(lowest_version(Value::map({Value::bulk("a"), Value::integer(1)})).has_value());
}

TEST(Version, ReplicasThatMayCrashAtAFullResync) {
    const auto may_crash = [](std::string_view info) {
        return may_crash_at_full_resync(*parse_version(info));
    };
    EXPECT_TRUE(may_crash("valkey_version:8.1.1"));
    EXPECT_TRUE(may_crash("valkey_version:8.0.9"));
    EXPECT_FALSE(may_crash("valkey_version:8.1.5"));
    EXPECT_FALSE(may_crash("valkey_version:8.2"));
    EXPECT_FALSE(may_crash("valkey_version:9.0.0"));
    EXPECT_FALSE(may_crash("redis_version:7.2.4"));
}

TEST(Ch01, S29_AnUpgradeInTimePassesAndAWrongPasswordFailsAtOnce) {
    const Asked upgraded = run(VersionCheck(false), "valkey_version:7.2.5", "valkey_version:8.1.0",
                               milliseconds(3'000));
    EXPECT_EQ(upgraded.last.kind, Kind::Accept);
    VersionCheck check(false);
    const VersionCheck::Step denied =
        check.on_answer(model::storage_error(model::TransportKind::AuthenticationFailed, "NOAUTH"),
                        milliseconds(0));
    EXPECT_EQ(denied.kind, Kind::Fail);
    EXPECT_EQ(denied.error.kind, "authentication_failed");
    const VersionCheck::Step away = check.on_answer(
        model::storage_error(model::TransportKind::IoError, "refused"), milliseconds(0));
    EXPECT_EQ(away.kind, Kind::Retry);
    EXPECT_EQ(away.pause, milliseconds(200));
}

}  // namespace
}  // namespace ff::valkey
