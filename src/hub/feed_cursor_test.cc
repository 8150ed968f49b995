#include "hub/feed_cursor.h"

#include <gtest/gtest.h>

#include "base/bytes.h"

namespace ff::hub {
namespace {

FeedCursor sample() {
    FeedCursor cursor;
    cursor.positions[{.feed = Feed::SignalDelivery, .partition = 200}] = {.ms = 1'700'000'000'123,
                                                                          .n = 7};
    cursor.positions[{.feed = Feed::Events, .partition = 3}] = {.ms = 0, .n = 128};
    return cursor;
}

TEST(FeedCursor, ReadsBackWhatItWrote) {
    const std::string text = sample().to_string();
    EXPECT_EQ(text.find_first_of("+/="), std::string::npos);
    const auto back = FeedCursor::parse(text);
    ASSERT_TRUE(back.has_value());
    EXPECT_EQ(*back, sample());
    EXPECT_EQ(back->at({.feed = Feed::Events, .partition = 9}), EntryId{});
}

TEST(FeedCursor, RefusesEverythingElse) {
    std::string bytes = "\x11\x01\x01\x03\x05\x06";
    ASSERT_TRUE(FeedCursor::parse(to_base64(bytes)).has_value());
    for (const std::string& bad :
         {std::string("\x12\x01\x01\x03\x05\x06"), bytes + "x", bytes.substr(0, 5),
          std::string("\x11\x01\x03\x03\x05\x06"), std::string("\x11"),
          std::string("\x11\x02\x01\x03\x05\x06\x01\x03\x05\x06", 10),
          std::string("\x11\x01\x01\x83\x00\x05\x06", 7)}) {
        std::string text = to_base64(bad);
        text.erase(text.find_last_not_of('=') + 1);
        const auto cursor = FeedCursor::parse(text);
        ASSERT_FALSE(cursor.has_value()) << to_hex(bad);
        EXPECT_EQ(cursor.error().code, "invalid_cursor");
    }
    EXPECT_FALSE(FeedCursor::parse("").has_value());
    EXPECT_FALSE(FeedCursor::parse("not a cursor").has_value());
}

TEST(FeedCursor, UnderstandsTheOldFormOnlyForOneFeed) {
    std::string old(17, '\0');
    old[0] = 1;
    old[8] = 9;
    old[16] = 4;
    std::string text = to_base64(old);
    text.erase(text.find_last_not_of('=') + 1);
    EXPECT_FALSE(FeedCursor::parse(text).has_value());
    const FeedPlace place{.feed = Feed::Events, .partition = 12};
    const auto cursor = FeedCursor::parse(text, &place);
    ASSERT_TRUE(cursor.has_value());
    EXPECT_EQ(cursor->at(place), (EntryId{.ms = 9, .n = 4}));
}

}  // namespace
}  // namespace ff::hub
