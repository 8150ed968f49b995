#include <set>

#include <gtest/gtest.h>

#include "keyspace/keyspace_fixture.h"

namespace ff::keyspace {
namespace {

constexpr const char* kNotInteger = "(error) ERR value is not an integer or out of range";
constexpr const char* kSyntax = "(error) ERR syntax error";

TEST(Hash, PutsAndReadsFields) {
    Shell shell;
    EXPECT_EQ(shell("HSET", "h", "a", "1", "b", "2", "a", "3"), "2");
    EXPECT_EQ(shell("HSET", "h", "b", "4", "c", ""), "1");
    EXPECT_EQ(shell("HGET", "h", "a"), "\"3\"");
    EXPECT_EQ(shell("HGET", "h", "x"), "nil");
    EXPECT_EQ(shell("HMGET", "h", "c", "x", "b"), "[\"\" nil \"4\"]");
    EXPECT_EQ(shell("HMGET", "none", "a", "b"), "[nil nil]");
    EXPECT_EQ(shell("HGETALL", "h"), "[\"a\" \"3\" \"b\" \"4\" \"c\" \"\"]");
    EXPECT_EQ(shell("HKEYS", "h"), "[\"a\" \"b\" \"c\"]");
    EXPECT_EQ(shell("HLEN", "h"), "3");
    EXPECT_EQ(shell("HEXISTS", "h", "a"), "1");
    EXPECT_EQ(shell("HEXISTS", "h", "x"), "0");
    EXPECT_EQ(shell("HSETNX", "h", "a", "9"), "0");
    EXPECT_EQ(shell("HSETNX", "h", "d", "9"), "1");
    EXPECT_EQ(shell("HGET", "h", "d"), "\"9\"");
    shell.resp3 = true;
    EXPECT_EQ(shell("HGETALL", "h"), "{\"a\" \"3\" \"b\" \"4\" \"c\" \"\" \"d\" \"9\"}");
    EXPECT_EQ(shell("HGETALL", "none"), "{}");
}

TEST(Hash, CeasesToExistWithItsLastField) {
    Shell shell;
    shell("HSET", "h", "a", "1", "b", "2");
    EXPECT_EQ(shell("HDEL", "h", "a", "x", "a"), "1");
    EXPECT_EQ(shell("EXISTS", "h"), "1");
    EXPECT_EQ(shell("HDEL", "h", "b"), "1");
    EXPECT_EQ(shell("EXISTS", "h"), "0");
    EXPECT_EQ(shell("HDEL", "h", "b"), "0");
    EXPECT_EQ(shell("HGETALL", "h"), "[]");
    EXPECT_EQ(shell("HLEN", "h"), "0");
}

TEST(Hash, IncrementsWithinSixtyFourBits) {
    Shell shell;
    EXPECT_EQ(shell("HINCRBY", "h", "n", "5"), "5");
    EXPECT_EQ(shell("HINCRBY", "h", "n", "-7"), "-2");
    EXPECT_EQ(shell("HGET", "h", "n"), "\"-2\"");
    EXPECT_EQ(shell("HINCRBY", "h", "n", "1.5"), kNotInteger);
    shell("HSET", "h", "n", "9223372036854775807", "t", "text");
    EXPECT_EQ(shell("HINCRBY", "h", "n", "1"), "(error) ERR increment or decrement would overflow");
    EXPECT_EQ(shell("HINCRBY", "h", "t", "1"), "(error) ERR hash value is not an integer");
    EXPECT_EQ(shell("HINCRBY", "none", "n", "x"), kNotInteger);
    EXPECT_EQ(shell("EXISTS", "none"), "0");
}

TEST(Hash, HoldsManyFieldsLongNamesAndLongValues) {
    Shell shell;
    const std::string long_name(200, 'n');
    const std::string long_value(100'000, 'v');
    shell("HSET", "h", "short", "1");
    shell("HSET", "h", long_name, long_value);
    for (int i = 0; i < 1000; ++i) {
        EXPECT_EQ(shell("HSET", "h", "f" + std::to_string(i), std::to_string(i)), "1");
    }
    EXPECT_EQ(shell("HLEN", "h"), "1002");
    EXPECT_EQ(shell("HGET", "h", long_name), '"' + long_value + '"');
    for (int i = 0; i < 1000; ++i) {
        EXPECT_EQ(shell("HGET", "h", "f" + std::to_string(i)), '"' + std::to_string(i) + '"');
    }
    for (int i = 0; i < 1000; i += 2) EXPECT_EQ(shell("HDEL", "h", "f" + std::to_string(i)), "1");
    EXPECT_EQ(shell("HLEN", "h"), "502");
    EXPECT_EQ(shell("HGET", "h", "f501"), "\"501\"");
    EXPECT_EQ(shell("HGET", "h", "f500"), "nil");
}

TEST(SetType, AddsRemovesAndTells) {
    Shell shell;
    EXPECT_EQ(shell("SADD", "s", "a", "b", "a"), "2");
    EXPECT_EQ(shell("SADD", "s", "a"), "0");
    EXPECT_EQ(shell("SCARD", "s"), "2");
    EXPECT_EQ(shell("SISMEMBER", "s", "a"), "1");
    EXPECT_EQ(shell("SISMEMBER", "s", "x"), "0");
    EXPECT_EQ(shell("SMEMBERS", "s"), "[\"a\" \"b\"]");
    EXPECT_EQ(shell("SMEMBERS", "none"), "[]");
    shell.resp3 = true;
    EXPECT_EQ(shell("SMEMBERS", "s"), "<\"a\" \"b\">");
    EXPECT_EQ(shell("SREM", "s", "a", "x"), "1");
    EXPECT_EQ(shell("SREM", "s", "b"), "1");
    EXPECT_EQ(shell("EXISTS", "s"), "0");
    EXPECT_EQ(shell("SREM", "s", "b"), "0");
}

TEST(SetType, ScanRefusesBadArguments) {
    Shell shell;
    EXPECT_EQ(shell("SSCAN", "none", "0", "COUNT", "x"), "[\"0\" []]");
    shell("SADD", "s", "a");
    EXPECT_EQ(shell("SSCAN", "s", "x"), "(error) ERR invalid cursor");
    EXPECT_EQ(shell("SSCAN", "s", "-1"), "(error) ERR invalid cursor");
    EXPECT_EQ(shell("SSCAN", "s", "0", "COUNT"), kSyntax);
    EXPECT_EQ(shell("SSCAN", "s", "0", "COUNT", "0"), kSyntax);
    EXPECT_EQ(shell("SSCAN", "s", "0", "MATCH", "*"), kSyntax);
    EXPECT_EQ(shell("SSCAN", "s", "0", "COUNT", "x"), kNotInteger);
    EXPECT_EQ(shell("SSCAN", "s", "0"), "[\"0\" [\"a\"]]");
    EXPECT_EQ(shell("SSCAN", "s", "18446744073709551615"), "[\"0\" [\"a\"]]");
}

/// Members that stay all the time are met although others come and go.
TEST(SetType, ScanMeetsEveryMemberThatStays) {
    Shell shell;
    for (int i = 0; i < 300; ++i) shell("SADD", "s", "m" + std::to_string(i));
    std::set<std::string> seen;
    std::string cursor = "0";
    int victim = 0;
    do {
        const std::string line = shell("SSCAN", "s", cursor, "COUNT", "7");
        const std::size_t quote = line.find('"', 2);
        cursor = line.substr(2, quote - 2);
        for (std::size_t at = line.find('"', quote + 1); at != std::string::npos;) {
            const std::size_t end = line.find('"', at + 1);
            seen.insert(line.substr(at + 1, end - at - 1));
            at = line.find('"', end + 1);
        }
        for (int i = 0; i < 3; ++i, victim += 2) shell("SREM", "s", "m" + std::to_string(victim));
        shell("SADD", "s", "new" + std::to_string(victim));
    } while (cursor != "0");
    for (int i = 1; i < 300; i += 2) EXPECT_TRUE(seen.contains("m" + std::to_string(i))) << i;
}

TEST(List, AppendsAndReadsRanges) {
    Shell shell;
    EXPECT_EQ(shell("RPUSH", "l", "a", "b"), "2");
    EXPECT_EQ(shell("RPUSH", "l", "c"), "3");
    EXPECT_EQ(shell("LRANGE", "l", "0", "-1"), "[\"a\" \"b\" \"c\"]");
    EXPECT_EQ(shell("LRANGE", "l", "-2", "1"), "[\"b\"]");
    EXPECT_EQ(shell("LRANGE", "l", "-100", "100"), "[\"a\" \"b\" \"c\"]");
    EXPECT_EQ(shell("LRANGE", "l", "3", "100"), "[]");
    EXPECT_EQ(shell("LRANGE", "l", "2", "1"), "[]");
    EXPECT_EQ(shell("LRANGE", "l", "0", "-100"), "[]");
    EXPECT_EQ(shell("LRANGE", "l", "-9223372036854775808", "9223372036854775807"),
              "[\"a\" \"b\" \"c\"]");
    EXPECT_EQ(shell("LRANGE", "none", "0", "-1"), "[]");
    EXPECT_EQ(shell("LRANGE", "none", "x", "-1"), kNotInteger);
    EXPECT_EQ(shell("LRANGE", "l", "0", "1.5"), kNotInteger);
}

}  // namespace
}  // namespace ff::keyspace
