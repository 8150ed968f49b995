#include "base/json.h"

#include <limits>

#include <gtest/gtest.h>

namespace ff::json {
namespace {

TEST(Json, ReadsEveryKind) {
    const Result<Document> parsed = Document::parse(
        R"({"a":null,"b":true,"c":[1,2.5,"x"],"d":{"e":-7},"f":1e3,"g":9007199254740993})");
    ASSERT_TRUE(parsed.has_value());
    const Value root = parsed->root();
    EXPECT_EQ(root.size(), 6U);
    EXPECT_FALSE(root.find("a").has_value()) << "null means absent";
    EXPECT_EQ(root.find("b")->as_bool(), true);
    EXPECT_EQ(root.find("c")->element(1).as_number(), 2.5);
    EXPECT_FALSE(root.find("c")->element(1).as_integer().has_value());
    EXPECT_EQ(root.find("c")->element(2).as_string(), "x");
    EXPECT_EQ(root.find("d")->find("e")->as_integer(), -7);
    EXPECT_EQ(root.find("f")->as_integer(), 1000);
    EXPECT_FALSE(root.find("g")->as_integer().has_value()) << "beyond 2^53 - 1";
    EXPECT_EQ(root.member(1).first, "b");
    EXPECT_EQ(root.find("d")->to_text(), R"({"e":-7})");
}

TEST(Json, RefusesBrokenAndBottomlessText) {
    for (const char* bad : {"", "{", "{'a':1}", "[1,]", "nul", "1 2", "\"\\x\""}) {
        const Result<Document> parsed = Document::parse(bad);
        ASSERT_FALSE(parsed.has_value()) << bad;
        EXPECT_EQ(parsed.error().code, "invalid_input");
        EXPECT_TRUE(parsed.error().detail[0].starts_with("json:"));
    }
    EXPECT_FALSE(Document::parse(std::string(100000, '[')).has_value());
}

/// The library's own number parser misses some of these by one unit in the last place.
TEST(Json, ReadsTheNearestDouble) {
    EXPECT_EQ(Document::parse("9.666666666666667E25")->root().as_number(), 9.666666666666667E25);
    EXPECT_EQ(Document::parse("3.9595000000000002")->root().as_number(), 3.9595000000000002);
    EXPECT_EQ(Document::parse("27.508105263157894")->root().as_number(), 27.508105263157894);
    EXPECT_EQ(Document::parse("0.1")->root().as_number(), 0.1);
    EXPECT_EQ(Document::parse("-1.7976931348623157e308")->root().as_number(),
              -std::numeric_limits<double>::max());
    EXPECT_EQ(Document::parse("1e-999")->root().as_number(), 0.0);
    EXPECT_FALSE(Document::parse("1e400").has_value());
    EXPECT_FALSE(Document::parse("[-1e999]").has_value());
}

TEST(Json, WritesWhatItReads) {
    std::string out;
    Writer writer(out);
    writer.begin_object()
        .key("a")
        .begin_array()
        .integer(1)
        .number(0.1)
        .boolean(false)
        .null()
        .end_array();
    writer.key("b\"").string("x\n\x01\\").key("c").begin_object().end_object();
    writer.key("d")
        .unsigned_integer(UINT64_MAX)
        .key("e")
        .raw("[2]")
        .key("f")
        .number(std::numeric_limits<double>::infinity());
    writer.end_object();
    EXPECT_EQ(
        out,
        R"({"a":[1,0.1,false,null],"b\"":"x\n\u0001\\","c":{},"d":18446744073709551615,"e":[2],"f":null})");
    EXPECT_TRUE(Document::parse(out).has_value());
}

TEST(Json, EscapesEveryByteThatNeedsItWhereverItIs) {
    for (int byte = 0; byte < 128; ++byte) {
        for (std::size_t at = 0; at < 20; ++at) {
            std::string text(20, 'x');
            text[at] = static_cast<char>(byte);
            std::string out;
            Writer(out).string(text);
            const bool escaped = out.size() > text.size() + 2;
            EXPECT_EQ(escaped, byte < 0x20 || byte == '"' || byte == '\\') << byte;
            const auto document = Document::parse(out);
            ASSERT_TRUE(document.has_value()) << out;
            EXPECT_EQ(document->root().as_string(), text);
        }
    }
}

}  // namespace
}  // namespace ff::json
