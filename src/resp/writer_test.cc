#include "resp/writer.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "resp/parser.h"

namespace ff::resp {
namespace {

std::string text_of(double number) {
    char digits[kDoubleTextMax];
    return {digits, format_double(number, digits)};
}

// Each right-hand side is what Valkey 8.1 answers to ZSCORE.
TEST(FormatDouble, SpellsAsValkeyDoes) {
    EXPECT_EQ(text_of(8998300000000000), "8998300000000000");
    EXPECT_EQ(text_of(-8998300000000000), "-8998300000000000");
    EXPECT_EQ(text_of(1e17), "100000000000000000");
    EXPECT_EQ(text_of(123456789012345678.0), "123456789012345680");
    EXPECT_EQ(text_of(4611686018427387904.0), "4611686018427387904");
    EXPECT_EQ(text_of(9223372036854775808.0), "9223372036854776000");
    EXPECT_EQ(text_of(1e21), "1e+21");
    EXPECT_EQ(text_of(3.5e300), "3.5e+300");
    EXPECT_EQ(text_of(0.1), "0.1");
    EXPECT_EQ(text_of(1e-5), "0.00001");
    EXPECT_EQ(text_of(0.00001234), "1.234e-5");
    EXPECT_EQ(text_of(-0.0), "-0");
    EXPECT_EQ(text_of(-std::numeric_limits<double>::infinity()), "-inf");
    EXPECT_EQ(text_of(std::nan("")), "nan");
}

TEST(FormatDouble, ReadsBackAsTheSameNumber) {
    std::mt19937_64 random(11);
    for (int i = 0; i < 20000; ++i) {
        const auto number = std::bit_cast<double>(random());
        if (!std::isfinite(number)) continue;
        ASSERT_EQ(std::strtod(text_of(number).c_str(), nullptr), number);
    }
}

Value everything() {
    return Value::array({
        Value::null(),
        Value::boolean(true),
        Value::integer(std::numeric_limits<std::int64_t>::min()),
        Value::real(2.5),
        Value::simple("OK"),
        Value::bulk(std::string(200, '\r')),
        Value::error("ERR x"),
        Value::verbatim("txt", "some\ntext"),
        Value::big_number("-12345678901234567890"),
        Value::map({Value::bulk("k"), Value::set({Value::integer(1)})}),
        Value::push({Value::bulk("message")}),
    });
}

TEST(ReplyWriter, WritesInResp3WhatTheParserReadsBack) {
    std::string out;
    ReplyWriter(out, Protocol::Resp3).write_value(everything());
    Parser parser;
    parser.feed(out);
    const Result<std::optional<Value>> read = parser.next();
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read.value()->to_debug_text(), everything().to_debug_text());
    EXPECT_TRUE(parser.idle());
}

TEST(ReplyWriter, SaysInResp2WhatItCan) {
    std::string out;
    ReplyWriter(out, Protocol::Resp2).write_value(everything());
    Parser parser;
    parser.feed(out);
    const Result<std::optional<Value>> read = parser.next();
    ASSERT_TRUE(read.has_value());
    const Value expected = Value::array({
        Value::null(),
        Value::integer(1),
        Value::integer(std::numeric_limits<std::int64_t>::min()),
        Value::bulk("2.5"),
        Value::simple("OK"),
        Value::bulk(std::string(200, '\r')),
        Value::error("ERR x"),
        Value::bulk("some\ntext"),
        Value::bulk("-12345678901234567890"),
        Value::array({Value::bulk("k"), Value::array({Value::integer(1)})}),
        Value::array({Value::bulk("message")}),
    });
    EXPECT_EQ(read.value()->to_debug_text(), expected.to_debug_text());
}

TEST(ReplyWriter, LetsNoLineEndOutOfAnError) {
    std::string two;
    ReplyWriter(two, Protocol::Resp2).write_value(Value::error("ERR a\r\n+b"));
    EXPECT_EQ(two, "-ERR a  +b\r\n");
    std::string three;
    ReplyWriter(three, Protocol::Resp3).write_value(Value::error("ERR a\r\n+b"));
    EXPECT_EQ(three, "!9\r\nERR a\r\n+b\r\n");
}

TEST(Value, FindsInMapsOfBothProtocols) {
    const Value three = Value::map({Value::bulk("a"), Value::integer(1)});
    const Value two = Value::array({Value::bulk("a"), Value::bulk("1")});
    ASSERT_NE(three.find("a"), nullptr);
    EXPECT_EQ(three.find("a")->to_integer(), 1);
    EXPECT_EQ(two.find("a")->to_integer(), 1);
    EXPECT_EQ(two.find("b"), nullptr);
    EXPECT_EQ(Value::array({Value::bulk("a")}).find("a"), nullptr);
    EXPECT_EQ(Value::error("MOVED 1 h:2").error_code(), "MOVED");
    EXPECT_EQ(Value::error("ERR").error_code(), "ERR");
}

TEST(Value, GivesItsContentAwayWithoutACopy) {
    Value text = Value::bulk(std::string(100, 'x'));
    const char* bytes = text.text()->data();
    const std::optional<std::string> taken = std::move(text).take_text();
    ASSERT_TRUE(taken.has_value());
    EXPECT_EQ(taken->data(), bytes);
    EXPECT_EQ(Value::verbatim("txt", "abc").take_text(), "abc");
    EXPECT_EQ(Value::integer(1).take_text(), std::nullopt);
}

}  // namespace
}  // namespace ff::resp
