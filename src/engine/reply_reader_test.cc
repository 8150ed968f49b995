#include "engine/reply_reader.h"

#include <initializer_list>

#include <gtest/gtest.h>

#include "model/ids.h"

namespace ff::engine {
namespace {

using store::Reply;

Reply reply_of(std::int64_t flag, std::initializer_list<const char*> texts) {
    Reply::Items items;
    items.push_back(Reply::integer(flag));
    for (const char* text : texts) items.push_back(Reply::bulk(text));
    return Reply::array(std::move(items));
}

TEST(ReplyReader, CountsElementsAsTheSpecificationDoes) {
    const Reply reply = reply_of(1, {"OK", "7", "x"});
    const auto reader = ReplyReader::open("ff_x", reply);
    ASSERT_TRUE(reader.has_value());
    EXPECT_EQ(reader->word(), "OK");
    EXPECT_EQ(*reader->integer(3, "number"), 7);
    EXPECT_EQ(*reader->text(4, "text"), "x");
    EXPECT_EQ(reader->text_or_empty(5), "");
}

TEST(ReplyReader, ARefusalIsAnErrorWithTheClassOfItsCode) {
    const auto refused = ReplyReader::open("ff_x", reply_of(0, {"lease_conflict", "a", "b"}));
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, "lease_conflict");
    EXPECT_EQ(refused.error().cls, ErrorClass::Retryable);
    EXPECT_EQ(refused.error().detail, (std::vector<std::string>{"a", "b"}));
}

TEST(Ch01, S37_AMissingOrWrongValueIsAParseErrorAndNothingIsMadeUp) {
    const Reply reply = reply_of(1, {"OK"});
    const auto reader = ReplyReader::open("ff_claim_execution", reply);
    ASSERT_TRUE(reader.has_value());
    const auto lease = reader->parsed<model::LeaseId>(3, "lease_id");
    ASSERT_FALSE(lease.has_value());
    EXPECT_EQ(lease.error().code, "parse_error");
    EXPECT_EQ(lease.error().detail, (std::vector<std::string>{"ff_claim_execution", "lease_id"}));

    const Reply wrong = reply_of(1, {"OK", "no uuid", "no number"});
    const auto wrong_reader = ReplyReader::open("ff_x", wrong);
    EXPECT_EQ(wrong_reader->parsed<model::LeaseId>(3, "lease_id").error().code, "parse_error");
    EXPECT_EQ(wrong_reader->integer(4, "number").error().code, "parse_error");
    EXPECT_EQ(wrong_reader->items(4, "list").error().code, "parse_error");
}

TEST(ReplyReader, RefusesRepliesOfAnotherShape) {
    for (const Reply& reply : {Reply::bulk("OK"), Reply::array({}), reply_of(2, {"OK"}),
                               reply_of(0, {}), reply_of(1, {}), Reply()}) {
        const auto reader = ReplyReader::open("ff_x", reply);
        ASSERT_FALSE(reader.has_value()) << reply.to_debug_text();
        EXPECT_EQ(reader.error().code, "parse_error");
    }
}

}  // namespace
}  // namespace ff::engine
