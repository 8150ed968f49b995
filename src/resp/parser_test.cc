#include "resp/parser.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace ff::resp {
namespace {

struct Frame {
    std::string_view name;
    std::string wire{};
    /// What to_debug_text says of the value.
    std::string shown{};
};

std::vector<Frame> frames() {
    using std::string_literals::operator""s;
    return {
        {"Simple", "+OK\r\n", R"((simple) "OK")"},
        {"SimpleEmpty", "+\r\n", R"((simple) "")"},
        {"Error", "-ERR no\r\n", R"((error) "ERR no")"},
        {"BulkError", "!8\r\nERR a\r\nb\r\n", R"((error) "ERR a\x0d\x0ab")"},
        {"Integer", ":-42\r\n", "-42"},
        {"IntegerPlus", ":+7\r\n", "7"},
        {"Bulk", "$5\r\nhello\r\n", R"("hello")"},
        {"BulkEmpty", "$0\r\n\r\n", R"("")"},
        {"BulkBinary", "$6\r\n\0\r\n$\xff+\r\n"s, R"("\x00\x0d\x0a$\xff+")"},
        {"NullBulk", "$-1\r\n", "null"},
        {"NullArray", "*-1\r\n", "null"},
        {"Null", "_\r\n", "null"},
        {"True", "#t\r\n", "true"},
        {"False", "#f\r\n", "false"},
        {"Double", ",-1.5e3\r\n", "(double) -1500"},
        {"DoubleInfinity", ",-inf\r\n", "(double) -inf"},
        {"DoubleNan", ",nan\r\n", "(double) nan"},
        {"BigNumber", "(-349287349857938475938475\r\n", R"((big) "-349287349857938475938475")"},
        {"Verbatim", "=7\r\ntxt:a\r\n\r\n", R"((txt) "a\x0d\x0a")"},
        {"Array", "*3\r\n:1\r\n$1\r\na\r\n_\r\n", R"([1, "a", null])"},
        {"ArrayEmpty", "*0\r\n", "[]"},
        {"ArrayNested", "*2\r\n*1\r\n*0\r\n*1\r\n:5\r\n", "[[[]], [5]]"},
        {"ArrayWithError", "*2\r\n-ERR x\r\n:1\r\n", R"([(error) "ERR x", 1])"},
        {"Map", "%2\r\n+a\r\n:1\r\n+b\r\n%0\r\n", R"({(simple) "a": 1, (simple) "b": {}})"},
        {"Set", "~2\r\n:1\r\n:2\r\n", "(set) [1, 2]"},
        {"Push", ">2\r\n+message\r\n$1\r\nx\r\n", R"((push) [(simple) "message", "x"])"},
        {"Attribute", "|1\r\n+ttl\r\n:3\r\n$1\r\nv\r\n", R"("v")"},
        {"AttributeInside", "*2\r\n|1\r\n+k\r\n*1\r\n:1\r\n:8\r\n:9\r\n", "[8, 9]"},
        {"AttributeEmpty", "|0\r\n:1\r\n", "1"},
        {"AttributeTwice", "|1\r\n+a\r\n:1\r\n|1\r\n+b\r\n:2\r\n:3\r\n", "3"},
        {"StreamedString", "$?\r\n;4\r\nHell\r\n;1\r\no\r\n;0\r\n", R"("Hello")"},
        {"StreamedStringEmpty", "$?\r\n;0\r\n", R"("")"},
        {"StreamedArray", "*?\r\n:1\r\n*?\r\n.\r\n.\r\n", "[1, []]"},
        {"StreamedMap", "%?\r\n+a\r\n:1\r\n.\r\n", R"({(simple) "a": 1})"},
        {"StreamedSet", "~?\r\n:1\r\n.\r\n", "(set) [1]"},
        {"StreamedAttribute", "|?\r\n+a\r\n:1\r\n.\r\n:2\r\n", "2"},
    };
}

/// Feeds one piece and takes what is complete.
void take(Parser& parser, std::string_view piece, std::vector<std::string>& shown) {
    parser.feed(piece);
    while (true) {
        Result<std::optional<Value>> value = parser.next();
        ASSERT_TRUE(value.has_value()) << value.error().message;
        if (!value->has_value()) return;
        shown.push_back((*value)->to_debug_text());
    }
}

class EveryFrame : public ::testing::TestWithParam<Frame> {};

TEST_P(EveryFrame, ReadsTheSameInOneTwoAndThreePieces) {
    // Two different values behind each other, so that a wrong boundary shows in the second.
    const std::string wire = GetParam().wire + ":77\r\n" + GetParam().wire;
    const std::vector<std::string> expected = {GetParam().shown, "77", GetParam().shown};
    for (std::size_t first = 0; first <= wire.size(); ++first) {
        for (std::size_t second = first; second <= wire.size(); ++second) {
            Parser parser;
            std::vector<std::string> shown;
            const std::string_view whole = wire;
            take(parser, whole.substr(0, first), shown);
            take(parser, whole.substr(first, second - first), shown);
            take(parser, whole.substr(second), shown);
            ASSERT_EQ(shown, expected) << "cut at " << first << " and " << second;
            ASSERT_TRUE(parser.idle());
            ASSERT_EQ(parser.offset(), wire.size());
        }
    }
}

TEST_P(EveryFrame, ReadsTheSameByteByByteAndThroughPrepare) {
    Parser parser;
    std::vector<std::string> shown;
    for (const char byte : GetParam().wire) {
        ASSERT_TRUE(shown.empty());
        parser.prepare(1)[0] = byte;
        parser.commit(1);
        take(parser, {}, shown);
    }
    EXPECT_EQ(shown, std::vector<std::string>{GetParam().shown});
}

TEST_P(EveryFrame, IsNotIdleInTheMiddle) {
    const std::string& wire = GetParam().wire;
    for (std::size_t cut = 1; cut < wire.size(); ++cut) {
        Parser parser;
        std::vector<std::string> shown;
        take(parser, std::string_view(wire).substr(0, cut), shown);
        EXPECT_TRUE(shown.empty()) << cut;
        EXPECT_FALSE(parser.idle()) << cut;
    }
}

INSTANTIATE_TEST_SUITE_P(Parser, EveryFrame, ::testing::ValuesIn(frames()),
                         [](const auto& tested) { return std::string(tested.param.name); });

struct Broken {
    std::string_view name;
    std::string wire{};
    std::string fault{};
    std::string offset{};
    ParserLimits limits{};
};

std::vector<Broken> broken_frames() {
    return {
        {"UnknownType", "?1\r\n", "unexpected_byte", "0"},
        {"BareLineFeed", "+OK\n", "unexpected_byte", "3"},
        {"BareReturn", "+OK\rx", "unexpected_byte", "4"},
        {"LetterInInteger", ":12x\r\n", "unexpected_byte", "3"},
        {"EmptyInteger", ":\r\n", "bad_integer", "1"},
        {"IntegerTooLarge", ":9223372036854775808\r\n", "bad_integer", "1"},
        {"NegativeLength", "$-2\r\n", "bad_length", "1"},
        {"NegativeCount", "*-2\r\n", "bad_length", "1"},
        {"NegativeMap", "%-1\r\n", "bad_length", "1"},
        {"BulkTooLong", "$1\r\nab\r\n", "unexpected_byte", "5"},
        {"BulkEndsInReturnOnly", "$1\r\na\rb", "unexpected_byte", "6"},
        {"BadDouble", ",1.2.3\r\n", "bad_double", "1"},
        {"HexDouble", ",0x1p3\r\n", "bad_double", "1"},
        {"BadBoolean", "#x\r\n", "bad_boolean", "1"},
        {"NullWithText", "_x\r\n", "unexpected_byte", "1"},
        {"BadBigNumber", "(12-3\r\n", "unexpected_byte", "3"},
        {"EmptyBigNumber", "(-\r\n", "bad_big_number", "1"},
        {"VerbatimWithoutFormat", "=3\r\ntxt\r\n", "bad_verbatim", "0"},
        {"VerbatimWithoutColon", "=5\r\ntxtab\r\n", "bad_verbatim", "0"},
        {"StreamEndOutside", ".\r\n", "unexpected_byte", "0"},
        {"StreamEndInCounted", "*1\r\n.\r\n", "unexpected_byte", "4"},
        {"ChunkOutside", ";1\r\na\r\n", "unexpected_byte", "0"},
        {"ValueAmongChunks", "$?\r\n:1\r\n", "unexpected_byte", "4"},
        {"OddStreamedMap", "%?\r\n:1\r\n.\r\n", "odd_map", "8"},
        {"StreamEndWithText", "*?\r\n.x\r\n", "unexpected_byte", "5"},
        {"Depth", "*1\r\n*1\r\n*1\r\n:1\r\n", "depth_max", "8", {.depth_max = 2}},
        {"DepthOfAttributes", "|1\r\n|1\r\n+a\r\n", "depth_max", "4", {.depth_max = 1}},
        {"Elements", "*4\r\n", "elements_max", "0", {.elements_max = 3}},
        {"ElementsOfMap", "%2\r\n", "elements_max", "0", {.elements_max = 3}},
        {"ElementsStreamed", "*?\r\n:1\r\n:2\r\n", "elements_max", "8", {.elements_max = 1}},
        {"Bulk", "$6\r\n", "bulk_bytes_max", "0", {.bulk_bytes_max = 5}},
        {"BulkChunks", "$?\r\n;3\r\nabc\r\n;3\r\n", "bulk_bytes_max", "13", {.bulk_bytes_max = 5}},
        {"Line", "+abcdef\r\n", "line_bytes_max", "0", {.line_bytes_max = 5}},
        {"Value", "*9\r\n:1\r\n:2\r\n:3\r\n", "value_bytes_max", "12", {.value_bytes_max = 13}},
        {"ValueOfBulk", "$20\r\n", "value_bytes_max", "0", {.value_bytes_max = 13}},
        {"LengthOverflow", "$18446744073709551615\r\n", "bulk_bytes_max", "0"},
        {"CountOverflow", "%9223372036854775808\r\n", "elements_max", "0"},
    };
}

class BrokenFrame : public ::testing::TestWithParam<Broken> {};

TEST_P(BrokenFrame, FailsWithFaultAndPlaceHoweverItIsCut) {
    const Broken& broken = GetParam();
    const std::vector<std::string> expected = {broken.fault, broken.offset};
    for (std::size_t cut = 0; cut <= broken.wire.size(); ++cut) {
        Parser parser(broken.limits);
        parser.feed(std::string_view(broken.wire).substr(0, cut));
        Result<std::optional<Value>> value = parser.next();
        parser.feed(std::string_view(broken.wire).substr(cut));
        if (value.has_value()) value = parser.next();
        ASSERT_FALSE(value.has_value()) << "cut at " << cut;
        EXPECT_EQ(value.error().code, "parse_error");
        EXPECT_EQ(value.error().detail, expected) << value.error().message;

        parser.feed(":1\r\n");
        EXPECT_FALSE(parser.next().has_value()) << "stays failed";
        parser.reset();
        parser.feed(":1\r\n");
        const Result<std::optional<Value>> after = parser.next();
        ASSERT_TRUE(after.has_value());
        EXPECT_EQ(after.value(), Value::integer(1));
    }
}

INSTANTIATE_TEST_SUITE_P(Parser, BrokenFrame, ::testing::ValuesIn(broken_frames()),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(Parser, LimitsAreInclusive) {
    Parser parser({.depth_max = 2,
                   .elements_max = 2,
                   .bulk_bytes_max = 3,
                   .value_bytes_max = 22,
                   .line_bytes_max = 3});
    parser.feed("*1\r\n*2\r\n$3\r\nabc\r\n:123\r\n");
    const Result<std::optional<Value>> refused = parser.next();
    EXPECT_FALSE(refused.has_value()) << "23 bytes";

    parser.reset();
    parser.feed("*1\r\n*2\r\n$3\r\nabc\r\n:12\r\n");
    const Result<std::optional<Value>> taken = parser.next();
    ASSERT_TRUE(taken.has_value()) << taken.error().message;
    EXPECT_EQ(taken.value()->to_debug_text(), R"([["abc", 12]])");
}

TEST(Parser, CopiesBulkBytesAtMostTwiceHoweverTheyArrive) {
    const std::string body(1 << 20, 'x');
    const std::string wire = "$" + std::to_string(body.size()) + "\r\n" + body + "\r\n";
    for (const std::size_t piece : {std::size_t{1000}, std::size_t{16384}, wire.size()}) {
        Parser parser;
        std::optional<Value> got;
        for (std::size_t at = 0; at < wire.size(); at += piece) {
            const std::string_view part = std::string_view(wire).substr(at, piece);
            const std::span<char> room = parser.prepare(part.size());
            std::copy(part.begin(), part.end(), room.begin());
            parser.commit(part.size());
            Result<std::optional<Value>> value = parser.next();
            ASSERT_TRUE(value.has_value());
            got = std::move(value).value();
        }
        ASSERT_TRUE(got.has_value());
        EXPECT_EQ(got->text(), body);
        // Bytes that were read into the parser's room move once, into the value.
        EXPECT_LE(parser.bytes_copied(), wire.size() + 64) << piece;
    }
}

TEST(Parser, ReservesLittleOnTheWordOfALength) {
    Parser parser;
    std::string deep;
    for (int level = 0; level < 100; ++level) deep += "*16000000\r\n";
    parser.feed(deep);
    const Result<std::optional<Value>> waits = parser.next();
    ASSERT_TRUE(waits.has_value());
    EXPECT_FALSE(waits->has_value());
}

}  // namespace
}  // namespace ff::resp
