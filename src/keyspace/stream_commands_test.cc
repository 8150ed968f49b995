#include <gtest/gtest.h>

#include "keyspace/keyspace_fixture.h"

namespace ff::keyspace {
namespace {

using std::chrono::milliseconds;

constexpr const char* kNotInteger = "(error) ERR value is not an integer or out of range";
constexpr const char* kSyntax = "(error) ERR syntax error";
constexpr const char* kBadId = "(error) ERR Invalid stream ID specified as stream command argument";
constexpr const char* kTooSmall =
    "(error) ERR The ID specified in XADD is equal or smaller than the target stream top item";

TEST(Stream, ChoosesIncreasingIdsEvenIfTheClockStepsBack) {
    Shell shell;
    shell.now = milliseconds(5000);
    EXPECT_EQ(shell("XADD", "x", "*", "f", "v"), "\"5000-0\"");
    EXPECT_EQ(shell("XADD", "x", "*", "f", "v"), "\"5000-1\"");
    shell.now = milliseconds(4000);
    EXPECT_EQ(shell("XADD", "x", "*", "f", "v"), "\"5000-2\"");
    shell.now = milliseconds(6000);
    EXPECT_EQ(shell("XADD", "x", "*", "f", "v"), "\"6000-0\"");
    EXPECT_EQ(shell("XLEN", "x"), "4");
    EXPECT_EQ(shell("XADD", "x", "7000-18446744073709551615", "f", "v"),
              "\"7000-18446744073709551615\"");
    EXPECT_EQ(shell("XADD", "x", "*", "f", "v"), "\"7001-0\"");
}

TEST(Stream, AnExplicitIdMustBeGreater) {
    Shell shell;
    EXPECT_EQ(shell("XADD", "x", "0-0", "f", "v"),
              "(error) ERR The ID specified in XADD must be greater than 0-0");
    EXPECT_EQ(shell("EXISTS", "x"), "0");
    EXPECT_EQ(shell("XADD", "x", "5-3", "f", "v"), "\"5-3\"");
    EXPECT_EQ(shell("XADD", "x", "5-3", "f", "v"), kTooSmall);
    EXPECT_EQ(shell("XADD", "x", "5", "f", "v"), kTooSmall);
    EXPECT_EQ(shell("XADD", "x", "6", "f", "v"), "\"6-0\"");
    EXPECT_EQ(shell("XTRIM", "x", "MAXLEN", "0"), "2");
    EXPECT_EQ(shell("XADD", "x", "6-0", "f", "v"), kTooSmall) << "an empty stream remembers";
    shell("XADD", "x", "18446744073709551615-18446744073709551615", "f", "v");
    EXPECT_EQ(shell("XADD", "x", "*", "f", "v"),
              "(error) ERR The stream has exhausted the last possible ID, unable to add more "
              "items");
}

TEST(Stream, RefusesBadArguments) {
    Shell shell;
    for (const char* id : {"x", "1-x", "-", "+", "", "1-2-3", "-5", "18446744073709551616"}) {
        EXPECT_EQ(shell("XADD", "x", id, "f", "v"), kBadId) << id;
    }
    EXPECT_EQ(shell("XADD", "x", "*", "f", "v", "g"),
              "(error) ERR wrong number of arguments for 'xadd' command");
    EXPECT_EQ(shell("XADD", "x", "MAXLEN", "5", "*"),
              "(error) ERR wrong number of arguments for 'xadd' command");
    EXPECT_EQ(shell("XADD", "x", "MAXLEN", "-1", "*", "f", "v"),
              "(error) ERR The MAXLEN argument must be >= 0.");
    EXPECT_EQ(shell("XADD", "x", "MAXLEN", "~", "x", "*", "f", "v"), kNotInteger);
    EXPECT_EQ(shell("XADD", "x", "NOMKSTREAM", "*", "f", "v"), kSyntax);
    EXPECT_EQ(shell("XADD", "x", "MINID", "5", "*", "f", "v"), kSyntax);
    EXPECT_EQ(shell("XADD", "x", "5-*", "f", "v"), kSyntax);
    EXPECT_EQ(shell("XTRIM", "x", "MINID", "5"), kSyntax);
    EXPECT_EQ(shell("XTRIM", "x", "MAXLEN", "~", "5", "LIMIT", "5"), kSyntax);
    EXPECT_EQ(shell("EXISTS", "x"), "0");
}

TEST(Stream, TrimsExactlyOrByWholeBlocks) {
    Shell shell;
    for (int i = 1; i <= 250; ++i) shell("XADD", "x", std::to_string(i), "f", "v");
    EXPECT_EQ(shell("XTRIM", "x", "MAXLEN", "~", "151"), "0");
    EXPECT_EQ(shell("XTRIM", "x", "MAXLEN", "~", "150"), "100");
    EXPECT_EQ(shell("XTRIM", "x", "MAXLEN", "=", "60"), "90");
    EXPECT_EQ(shell("XRANGE", "x", "-", "+", "COUNT", "1"), "[[\"191-0\" [\"f\" \"v\"]]]");
    EXPECT_EQ(shell("XADD", "x", "MAXLEN", "2", "300-0", "f", "v"), "\"300-0\"");
    EXPECT_EQ(shell("XLEN", "x"), "2");
    EXPECT_EQ(shell("XTRIM", "x", "MAXLEN", "0"), "2");
    EXPECT_EQ(shell("EXISTS", "x"), "1") << "an empty stream exists";
    EXPECT_EQ(shell("XTRIM", "none", "MAXLEN", "0"), "0");
}

TEST(Stream, ReadsRangesInBothDirections) {
    Shell shell;
    shell("XADD", "x", "1-1", "a", "1");
    shell("XADD", "x", "1-2", "a", "2", "b", "");
    shell("XADD", "x", "3-0", "a", "3");
    const std::string first = "[\"1-1\" [\"a\" \"1\"]]";
    const std::string second = "[\"1-2\" [\"a\" \"2\" \"b\" \"\"]]";
    const std::string third = "[\"3-0\" [\"a\" \"3\"]]";
    EXPECT_EQ(shell("XRANGE", "x", "-", "+"), "[" + first + " " + second + " " + third + "]");
    EXPECT_EQ(shell("XREVRANGE", "x", "+", "-"), "[" + third + " " + second + " " + first + "]");
    EXPECT_EQ(shell("XRANGE", "x", "1", "1"), "[" + first + " " + second + "]");
    EXPECT_EQ(shell("XRANGE", "x", "(1-1", "(3"), "[" + second + " " + third + "]");
    EXPECT_EQ(shell("XRANGE", "x", "(1-1", "(3-0"), "[" + second + "]");
    EXPECT_EQ(shell("XREVRANGE", "x", "+", "-", "COUNT", "2"), "[" + third + " " + second + "]");
    EXPECT_EQ(shell("XRANGE", "x", "4", "+"), "[]");
    EXPECT_EQ(shell("XRANGE", "x", "3", "1"), "[]");
    EXPECT_EQ(shell("XRANGE", "none", "-", "+"), "[]");
    EXPECT_EQ(shell("XRANGE", "x", "-", "+", "COUNT", "0"), "nil*");
    EXPECT_EQ(shell("XRANGE", "x", "-", "+", "COUNT", "-3"), "nil*");
    EXPECT_EQ(shell("XRANGE", "x", "-", "+", "COUNT"), kSyntax);
    EXPECT_EQ(shell("XRANGE", "x", "-", "+", "COUNT", "x"), kNotInteger);
    EXPECT_EQ(shell("XRANGE", "x", "x", "+"), kBadId);
    EXPECT_EQ(shell("XRANGE", "x", "(-", "+"), kBadId);
    EXPECT_EQ(shell("XRANGE", "x", "(18446744073709551615-18446744073709551615", "+"),
              "(error) ERR invalid start ID for the interval");
    EXPECT_EQ(shell("XRANGE", "x", "-", "(0-0"), "(error) ERR invalid end ID for the interval");
}

TEST(Stream, ReadReturnsWhatIsAfterAnId) {
    Shell shell;
    shell("XADD", "x", "1-0", "a", "1");
    shell("XADD", "x", "2-0", "a", "2");
    shell("XADD", "y", "5-0", "b", "5");
    EXPECT_EQ(shell("XREAD", "STREAMS", "x", "1"), "[[\"x\" [[\"2-0\" [\"a\" \"2\"]]]]]");
    EXPECT_EQ(shell("XREAD", "COUNT", "1", "STREAMS", "x", "y", "0", "0"),
              "[[\"x\" [[\"1-0\" [\"a\" \"1\"]]]] [\"y\" [[\"5-0\" [\"b\" \"5\"]]]]]");
    EXPECT_EQ(shell("XREAD", "STREAMS", "x", "none", "2", "0"), "nil*");
    EXPECT_EQ(shell("XREAD", "BLOCK", "0", "STREAMS", "x", "$"), "nil*");
    EXPECT_EQ(shell("XREAD", "STREAMS", "x", "x"), kBadId);
    EXPECT_EQ(shell("XREAD", "COUNT", "x", "STREAMS", "x", "0"), kNotInteger);
    EXPECT_EQ(shell("XREAD", "BLOCK", "-1", "STREAMS", "x", "0"),
              "(error) ERR timeout is negative");
    EXPECT_EQ(shell("XREAD", "BLOCK", "x", "STREAMS", "x", "0"),
              "(error) ERR timeout is not an integer or out of range");
    EXPECT_EQ(shell("XREAD", "COUNT", "1", "x", "0"), kSyntax);
    EXPECT_EQ(shell("XREAD", "STREAMS", "x", "y", "0"),
              "(error) ERR Unbalanced 'xread' list of streams: for each stream key an ID or '$' "
              "must be specified.");
    shell.resp3 = true;
    EXPECT_EQ(shell("XREAD", "STREAMS", "x", "1"), "{\"x\" [[\"2-0\" [\"a\" \"2\"]]]}");
    EXPECT_EQ(shell("XREAD", "STREAMS", "x", "2"), "nil*");
}

TEST(Stream, TellsWhoListens) {
    Shell shell;
    std::vector<std::string> told;
    shell.keyspace.set_append_listener([&told](std::string_view key) { told.emplace_back(key); });
    shell("XADD", "x", "1-0", "f", "v");
    shell("XADD", "x", "1-0", "f", "v");
    shell("XADD", "y", "1-0", "f", "v");
    EXPECT_EQ(told, (std::vector<std::string>{"x", "y"}));
}

}  // namespace
}  // namespace ff::keyspace
