#include "store/reply_errors.h"

#include <gtest/gtest.h>

namespace ff::store {
namespace {

TEST(ReplyErrors, AreClassifiedByTheirFirstWord) {
    using enum model::TransportKind;
    EXPECT_EQ(kind_of_error_reply("WRONGTYPE Operation against a key"), TypeError);
    EXPECT_EQ(kind_of_error_reply("LOADING"), BusyLoading);
    EXPECT_EQ(kind_of_error_reply("MOVED 1 127.0.0.1:1"), Moved);
    EXPECT_EQ(kind_of_error_reply("NOAUTH Authentication required."), AuthenticationFailed);
    EXPECT_EQ(kind_of_error_reply("READONLY You can't write"), ReadOnly);
    EXPECT_EQ(kind_of_error_reply("ERR LOADING is not its first word"), ResponseError);
    EXPECT_EQ(kind_of_error_reply(""), ResponseError);
}

TEST(ReplyErrors, AnUnknownFunctionIsKnownByItsText) {
    EXPECT_EQ(kind_of_error_reply("ERR Function not found"), model::TransportKind::NoScript);
    EXPECT_TRUE(says_function_unknown("ERR No Matching Function x"));
    EXPECT_FALSE(says_function_unknown("ERR unknown command"));
}

TEST(ReplyErrors, OnlyAnErrorAtTheTopBecomesAnError) {
    const auto refused = without_error(Reply::error("TRYAGAIN later"));
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().kind, "try_again");
    EXPECT_EQ(refused.error().cls, ErrorClass::Retryable);
    EXPECT_EQ(refused.error().message, "TRYAGAIN later");
    Reply::Items items;
    items.push_back(Reply::error("ERR inside"));
    EXPECT_TRUE(without_error(Reply::array(std::move(items))).has_value());
}

}  // namespace
}  // namespace ff::store
