#include "api/fields.h"

#include <gtest/gtest.h>

#include "model/ids.h"

namespace ff::api {
namespace {

class FieldsTest : public ::testing::Test {
  protected:
    Fields parse(std::string_view text) {
        document_.emplace(*json::Document::parse(text));
        return Fields(document_->root());
    }

    template <class T>
    static std::string why(const Result<T>& result) {
        return result.has_value() ? "accepted" : result.error().detail.at(0);
    }

    std::optional<json::Document> document_{};
};

TEST_F(FieldsTest, ReadsWhatIsThereAndDefaultsTheRest) {
    const Fields fields = parse(R"({"t":"x","i":5,"f":true,"n":null,"m":{"a":"b"},"c":{"d":7}})");
    EXPECT_EQ(*fields.text("t"), "x");
    EXPECT_EQ(*fields.text_or("n", "y"), "y");
    EXPECT_EQ(*fields.integer("i"), 5);
    EXPECT_EQ(*fields.integer_or("n", 9), 9);
    EXPECT_EQ(*fields.flag_or("f", false), true);
    EXPECT_EQ(fields.text_map_if("m")->value().at("a"), "b");
    EXPECT_EQ(fields.integer_map_if("c")->value().at("d"), 7);
    EXPECT_FALSE(fields.fields_if("n")->has_value());
    EXPECT_EQ(fields.object_text_if("c")->value(), R"({"d":7})");
}

TEST_F(FieldsTest, NamesTheFieldThatIsWrong) {
    const Fields fields = parse(
        R"({"t":1,"i":"5","big":9007199254740993,"f":"true","m":{"a":1},"l":[1],"o":[],"s":"abc"})");
    EXPECT_EQ(why(fields.text("t")), "t:not_string");
    EXPECT_EQ(why(fields.text("gone")), "gone:missing");
    EXPECT_EQ(why(fields.text("s", {.most = 2})), "s:too_long");
    EXPECT_EQ(why(fields.text("s", {.least = 4})), "s:too_short");
    EXPECT_EQ(why(fields.integer("i")), "i:not_integer");
    EXPECT_EQ(why(fields.integer("big")), "big:not_integer");
    EXPECT_EQ(why(fields.integer("t", {.least = 2, .most = 3})), "t:out_of_range");
    EXPECT_EQ(why(fields.flag_or("f", false)), "f:not_boolean");
    EXPECT_EQ(why(fields.text_map_if("m")), "m.a:not_string");
    EXPECT_EQ(why(fields.fields("o")), "o:not_object");
    EXPECT_EQ(why(fields.texts("l")), "l[0]:not_string");
    EXPECT_EQ(why(fields.objects("l")), "l[0]:not_object");
    EXPECT_EQ(why(fields.array("l", {.least = 2})), "l:too_short");
    EXPECT_EQ(why(fields.array("l", {.most = 0})), "l:too_long");
    EXPECT_EQ(why(fields.array("gone", {.least = 1})), "gone:missing");
    EXPECT_EQ(why(fields.id<model::FlowId>("s")), "s:InvalidUuid(abc)");
    EXPECT_EQ(why(fields.matches_path("s", "abd")), "s:path_mismatch");
}

TEST_F(FieldsTest, NamesThePlaceInsideAList) {
    const Fields fields = parse(R"({"items":[{"a":1},{"a":"x","b":{"c":1}}]})");
    const auto items = fields.objects("items");
    ASSERT_TRUE(items.has_value());
    EXPECT_EQ(why((*items)[0].text("a")), "items[0].a:not_string");
    EXPECT_EQ(why((*items)[1].fields("b")->text("c")), "items[1].b.c:not_string");
}

TEST_F(FieldsTest, TakesBytesAsTextOrBase64) {
    const Fields fields = parse(
        R"({"a":"x","b_base64":"AP8","c":"x","c_base64":"","d_base64":"!","e":1,"f_base64":7})");
    EXPECT_EQ(**fields.bytes_if("a"), "x");
    EXPECT_EQ(**fields.bytes_if("b"), std::string("\x00\xff", 2));
    EXPECT_EQ(why(fields.bytes_if("c")), "c:given_twice");
    EXPECT_EQ(why(fields.bytes_if("d")), "d_base64:not_base64");
    EXPECT_EQ(why(fields.bytes_if("e")), "e:not_string");
    EXPECT_EQ(why(fields.bytes_if("f")), "f_base64:not_string");
    EXPECT_FALSE(fields.bytes_if("g")->has_value());
}

TEST_F(FieldsTest, TakesDueTimesAsNumbersAndSpans) {
    const Fields fields = parse(R"({"a":1700,"b":"+50","c":"1700","d":1.5,"e":"+x"})");
    EXPECT_EQ((*fields.due_if("a"))->to_string(), "1700");
    EXPECT_EQ((*fields.due_if("b"))->to_string(), "+50");
    EXPECT_EQ(why(fields.due_if("c")), "c:not_integer");
    EXPECT_EQ(why(fields.due_if("d")), "d:not_integer");
    EXPECT_EQ(why(fields.due_if("e")), "e:not_integer");
}

TEST_F(FieldsTest, WritesBytesAsTheyCanBeWritten) {
    std::string out;
    json::Writer writer(out);
    writer.begin_object();
    write_bytes(writer, "a", "grüße");
    write_bytes(writer, "b", "\xff");
    writer.end_object();
    EXPECT_EQ(out, R"({"a":"grüße","b_base64":"/w=="})");
}

TEST(Fields, AnIdOfTheBodyMayBeSpelledUnlikeThatOfThePath) {
    const std::string uuid = "550e8400-e29b-41d4-a716-446655440000";
    const std::string body = R"({"same":"fp.7.)" + uuid + R"(","other":"fp.8.)" + uuid + R"("})";
    const auto document = json::Document::parse(body);
    ASSERT_TRUE(document.has_value());
    const Fields fields(document->root());
    EXPECT_TRUE(fields.matches_path("same", "{fp:7}:" + uuid).has_value());
    EXPECT_FALSE(fields.matches_path("other", "{fp:7}:" + uuid).has_value());
    EXPECT_TRUE(fields.matches_path("absent", "{fp:7}:" + uuid).has_value());
}

}  // namespace
}  // namespace ff::api
