#include "model/due_time.h"

#include <gtest/gtest.h>

namespace ff::model {
namespace {

TEST(DueTime, IsAPointInTimeOrASpanFromNow) {
    const Timestamp now = timestamp_from_ms(1000);
    EXPECT_EQ(DueTime::parse("1500", "delay_until")->resolve(now), timestamp_from_ms(1500));
    EXPECT_EQ(DueTime::parse("+1500", "delay_until")->resolve(now), timestamp_from_ms(2500));
    EXPECT_EQ(*DueTime::parse("+7", "x"), DueTime::after(Millis(7)));
    EXPECT_EQ(*DueTime::parse("7", "x"), DueTime::at(timestamp_from_ms(7)));
    for (const char* text : {"0", "+0", "-5", "9007199254740991", "+9007199254740991"})
        EXPECT_EQ(DueTime::parse(text, "x")->to_string(), text);
}

TEST(DueTime, RefusesEverythingElse) {
    for (const char* bad : {"", "+", "+-5", "++5", "5 ", "1e3", "soon", "9007199254740992",
                            "-9007199254740992", "99999999999999999999"}) {
        const auto due = DueTime::parse(bad, "timeout_at");
        ASSERT_FALSE(due.has_value()) << bad;
        EXPECT_EQ(due.error().detail.at(0), "timeout_at:not_integer");
    }
}

}  // namespace
}  // namespace ff::model
