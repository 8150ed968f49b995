#include <gtest/gtest.h>

#include "keyspace/keyspace_fixture.h"

namespace ff::keyspace {
namespace {

using std::chrono::milliseconds;

constexpr const char* kWrongType =
    "(error) WRONGTYPE Operation against a key holding the wrong kind of value";
constexpr const char* kNotInteger = "(error) ERR value is not an integer or out of range";
constexpr const char* kSyntax = "(error) ERR syntax error";

TEST(CommandTable, FindsNamesInAnyCaseAndNothingElse) {
    EXPECT_EQ(find_command("HGETALL"), find_command("hGetAll"));
    EXPECT_EQ(find_command("hgetall")->name, "hgetall");
    for (const char* name : {"", "flushall", "KEYS", "zremrangebyscorezz", "eval", "incrby"}) {
        EXPECT_EQ(find_command(name), nullptr) << name;
    }
    for (const CommandSpec& command : all_commands()) {
        EXPECT_EQ(find_command(command.name), &command);
        EXPECT_TRUE(command.in_functions || command.outside_functions) << command.name;
    }
    EXPECT_FALSE(find_command("xread")->in_functions);
    EXPECT_FALSE(find_command("copy")->outside_functions);
}

TEST(Commands, TheNumberOfArgumentsIsCheckedFirst) {
    Shell shell;
    EXPECT_EQ(shell("GET"), "(error) ERR wrong number of arguments for 'get' command");
    EXPECT_EQ(shell("gEt", "a", "b"), "(error) ERR wrong number of arguments for 'get' command");
    EXPECT_EQ(shell("HSET", "k", "f"), "(error) ERR wrong number of arguments for 'hset' command");
    EXPECT_EQ(shell("XADD", "k", "*", "f"),
              "(error) ERR wrong number of arguments for 'xadd' command");
}

TEST(Time, IsTheTimeOfTheCall) {
    Shell shell;
    shell.now = milliseconds(1'700'000'000'042);
    EXPECT_EQ(shell("TIME"), "[\"1700000000\" \"42000\"]");
}

TEST(Keys, ExistAndAreDeleted) {
    Shell shell;
    shell("SET", "a", "1");
    shell("SADD", "b", "1");
    EXPECT_EQ(shell("EXISTS", "a"), "1");
    EXPECT_EQ(shell("EXISTS", "a", "b", "a", "c"), "3");
    EXPECT_EQ(shell("DEL", "a", "b", "a", "c"), "2");
    EXPECT_EQ(shell("EXISTS", "a", "b"), "0");
    EXPECT_EQ(shell.keyspace.key_count(), 0U);
}

TEST(Expiry, AKeyThatIsDueDoesNotExist) {
    Shell shell;
    shell("SET", "k", "v");
    EXPECT_EQ(shell("PEXPIRE", "k", "100"), "1");
    shell.now += milliseconds(99);
    EXPECT_EQ(shell("GET", "k"), "\"v\"");
    shell.now += milliseconds(1);
    EXPECT_EQ(shell("GET", "k"), "nil");
    EXPECT_EQ(shell("EXISTS", "k"), "0");
    EXPECT_EQ(shell("PERSIST", "k"), "0");
    EXPECT_EQ(shell("PEXPIRE", "k", "100"), "0");
    EXPECT_EQ(shell("DEL", "k"), "0");
    EXPECT_EQ(shell("RPUSH", "k", "of another type"), "1");
    EXPECT_EQ(shell.keyspace.next_expiry(), std::nullopt);
}

TEST(Expiry, CanBeSetMovedAndRemoved) {
    Shell shell;
    const auto in = [&shell](int ms) {
        return std::to_string((shell.now + milliseconds(ms)).count());
    };
    EXPECT_EQ(shell("PEXPIREAT", "k", in(10)), "0");
    shell("HSET", "k", "f", "v");
    EXPECT_EQ(shell("PERSIST", "k"), "0");
    EXPECT_EQ(shell("PEXPIREAT", "k", in(50)), "1");
    EXPECT_EQ(to_ms(*shell.keyspace.next_expiry()), (shell.now + milliseconds(50)).count());
    EXPECT_EQ(shell("PEXPIREAT", "k", in(20)), "1");
    EXPECT_EQ(to_ms(*shell.keyspace.next_expiry()), (shell.now + milliseconds(20)).count());
    EXPECT_EQ(shell("PERSIST", "k"), "1");
    EXPECT_EQ(shell.keyspace.next_expiry(), std::nullopt);
    EXPECT_EQ(shell("PEXPIRE", "k", "9223372036854775807"),
              "(error) ERR invalid expire time in 'pexpire' command");
    EXPECT_EQ(shell("PEXPIREAT", "k", "9223372036854775807"), "1");
    EXPECT_EQ(shell("EXISTS", "k"), "1");
    EXPECT_EQ(shell("PEXPIREAT", "k", in(0)), "1");
    EXPECT_EQ(shell("EXISTS", "k"), "0");
}

TEST(Expiry, RefusesWhatIsNoTimeAndTheFormsNotInUse) {
    Shell shell;
    shell("SET", "k", "v");
    EXPECT_EQ(shell("PEXPIRE", "k", "1.5"), kNotInteger);
    EXPECT_EQ(shell("PEXPIRE", "k", "+1"), kNotInteger);
    EXPECT_EQ(shell("PEXPIRE", "k", "100", "nx"), kSyntax);
    EXPECT_EQ(shell("PEXPIREAT", "k", "100", "no"), "(error) ERR Unsupported option no");
    EXPECT_EQ(shell("PEXPIRE", "k", "-5"), "1");
    EXPECT_EQ(shell("EXISTS", "k"), "0");
}

TEST(Expiry, DueKeysAreDeletedInOrderWithinTheLimit) {
    Shell shell;
    for (int i = 0; i < 10; ++i) {
        shell("SET", "k" + std::to_string(i), "v", "PX", std::to_string(100 + i));
    }
    shell("SET", "stays", "v");
    const auto at = shell.now + milliseconds(104);
    EXPECT_EQ(shell.keyspace.expire_due(at, 3), 3U);
    EXPECT_EQ(shell.keyspace.expire_due(at, 100), 2U);
    EXPECT_EQ(shell.keyspace.expire_due(at, 100), 0U);
    EXPECT_EQ(shell.keyspace.key_count(), 6U);
    EXPECT_EQ(shell("EXISTS", "k5", "k9", "stays"), "3");
}

TEST(Copy, TakesValueAndExpiry) {
    Shell shell;
    shell("HSET", "a", "f", "v");
    shell("PEXPIRE", "a", "50");
    shell("SET", "b", "old");
    EXPECT_EQ(shell("COPY", "a", "b"), "0");
    EXPECT_EQ(shell("COPY", "a", "b", "REPLACE"), "1");
    EXPECT_EQ(shell("HSET", "b", "g", "w"), "1");
    EXPECT_EQ(shell("HGETALL", "a"), "[\"f\" \"v\"]");
    EXPECT_EQ(shell("COPY", "none", "b", "REPLACE"), "0");
    EXPECT_EQ(shell("COPY", "a", "a", "REPLACE"),
              "(error) ERR source and destination objects are the same");
    EXPECT_EQ(shell("COPY", "a", "b", "DB", "1"), kSyntax);
    shell.now += milliseconds(50);
    EXPECT_EQ(shell("EXISTS", "a", "b"), "0");
    shell("SET", "x", "1");
    EXPECT_EQ(shell("COPY", "x", "b"), "1") << "a destination that is due does not exist";
}

TEST(Copy, CopiesEveryType) {
    Shell shell;
    shell("SET", "string", "v");
    shell("SADD", "set", "a", "b");
    shell("RPUSH", "list", "x", "y");
    shell("ZADD", "zset", "1", "a", "2", "b");
    shell("XADD", "stream", "5-1", "f", "v");
    const std::vector<std::vector<std::string>> reads = {
        {"GET", "string"},
        {"SMEMBERS", "set"},
        {"LRANGE", "list", "0", "-1"},
        {"ZRANGE", "zset", "0", "-1", "WITHSCORES"},
        {"XRANGE", "stream", "-", "+"}};
    for (auto read : reads) {
        const std::string original = shell.run(read);
        EXPECT_EQ(shell("COPY", read[1], "copy", "REPLACE"), "1");
        read[1] = "copy";
        EXPECT_EQ(shell.run(read), original);
    }
    EXPECT_EQ(shell("XADD", "copy", "5-1", "f", "v"),
              "(error) ERR The ID specified in XADD is equal or smaller than the target stream top "
              "item");
}

TEST(Set, StoresAndReplacesAnyType) {
    Shell shell;
    EXPECT_EQ(shell("SET", "k", std::string("\0\xff", 2)), "OK");
    EXPECT_EQ(shell("GET", "k"), std::string("\"\0\xff\"", 4));
    EXPECT_EQ(shell("STRLEN", "k"), "2");
    shell("DEL", "k");
    shell("RPUSH", "k", "x");
    shell("PEXPIRE", "k", "10");
    EXPECT_EQ(shell("SET", "k", "v"), "OK");
    shell.now += milliseconds(20);
    EXPECT_EQ(shell("GET", "k"), "\"v\"");
}

TEST(Set, HonoursItsOptions) {
    Shell shell;
    EXPECT_EQ(shell("SET", "k", "1", "PX", "10", "NX"), "OK");
    EXPECT_EQ(shell("SET", "k", "2", "nx", "px", "10"), "nil");
    EXPECT_EQ(shell("GET", "k"), "\"1\"");
    shell.now += milliseconds(10);
    EXPECT_EQ(shell("SET", "k", "3", "NX"), "OK");
    shell("SET", "k", "4", "PX", "10");
    shell("SET", "k", "5");
    shell.now += milliseconds(100);
    EXPECT_EQ(shell("GET", "k"), "\"5\"") << "SET without PX forgets the expiry";
}

TEST(Set, RefusesEverythingElse) {
    Shell shell;
    EXPECT_EQ(shell("SET", "k", "v", "PX"), kSyntax);
    EXPECT_EQ(shell("SET", "k", "v", "XX"), kSyntax);
    EXPECT_EQ(shell("SET", "k", "v", "EX", "1"), kSyntax);
    EXPECT_EQ(shell("SET", "k", "v", "PX", "x"), kNotInteger);
    EXPECT_EQ(shell("SET", "k", "v", "PX", "0"),
              "(error) ERR invalid expire time in 'set' command");
    EXPECT_EQ(shell("SET", "k", "v", "PX", "9223372036854775807"),
              "(error) ERR invalid expire time in 'set' command");
    EXPECT_EQ(shell.keyspace.key_count(), 0U);
}

TEST(Increment, CountsInSixtyFourBits) {
    Shell shell;
    EXPECT_EQ(shell("INCR", "k"), "1");
    EXPECT_EQ(shell("DECR", "k"), "0");
    EXPECT_EQ(shell("DECR", "k"), "-1");
    EXPECT_EQ(shell("GET", "k"), "\"-1\"");
    shell("SET", "k", "9223372036854775807");
    EXPECT_EQ(shell("INCR", "k"), "(error) ERR increment or decrement would overflow");
    shell("SET", "k", "-9223372036854775808");
    EXPECT_EQ(shell("DECR", "k"), "(error) ERR increment or decrement would overflow");
    for (const char* text : {"", "x", "1.0", " 1", "1 ", "+1", "01", "-0", "9223372036854775808"}) {
        shell("SET", "k", text);
        EXPECT_EQ(shell("INCR", "k"), kNotInteger) << text;
    }
}

TEST(Increment, KeepsTheExpiry) {
    Shell shell;
    shell("SET", "k", "5", "PX", "10");
    EXPECT_EQ(shell("INCR", "k"), "6");
    shell.now += milliseconds(10);
    EXPECT_EQ(shell("INCR", "k"), "1");
}

TEST(Types, EveryCommandRefusesAnotherType) {
    Shell shell;
    shell("SET", "string", "v");
    shell("RPUSH", "list", "v");
    const std::vector<std::vector<std::string>> commands = {
        {"GET", "list"},
        {"STRLEN", "list"},
        {"INCR", "list"},
        {"DECR", "list"},
        {"HGET", "string", "f"},
        {"HMGET", "string", "f"},
        {"HGETALL", "string"},
        {"HKEYS", "string"},
        {"HLEN", "string"},
        {"HEXISTS", "string", "f"},
        {"HSET", "string", "f", "v"},
        {"HSETNX", "string", "f", "v"},
        {"HDEL", "string", "f"},
        {"HINCRBY", "string", "f", "1"},
        {"SADD", "string", "m"},
        {"SREM", "string", "m"},
        {"SISMEMBER", "string", "m"},
        {"SMEMBERS", "string"},
        {"SCARD", "string"},
        {"SSCAN", "string", "0", "COUNT", "5"},
        {"RPUSH", "string", "v"},
        {"LRANGE", "string", "0", "-1"},
        {"ZADD", "string", "1", "m"},
        {"ZREM", "string", "m"},
        {"ZSCORE", "string", "m"},
        {"ZCARD", "string"},
        {"ZCOUNT", "string", "0", "1"},
        {"ZRANGE", "string", "0", "1"},
        {"ZREVRANGE", "string", "0", "1"},
        {"ZRANGEBYSCORE", "string", "0", "1"},
        {"ZREMRANGEBYSCORE", "string", "0", "1"},
        {"XADD", "string", "*", "f", "v"},
        {"XTRIM", "string", "MAXLEN", "1"},
        {"XLEN", "string"},
        {"XRANGE", "string", "-", "+"},
        {"XREVRANGE", "string", "+", "-"},
        {"XREAD", "STREAMS", "string", "0"},
    };
    for (const auto& command : commands) EXPECT_EQ(shell.run(command), kWrongType) << command[0];
    EXPECT_EQ(shell.keyspace.key_count(), 2U);
}

}  // namespace
}  // namespace ff::keyspace
