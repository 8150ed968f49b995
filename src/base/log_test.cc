#include "base/log.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace ff::log {
namespace {

class LogTest : public ::testing::Test {
  protected:
    void SetUp() override {
        former_level_ = level();
        former_sink_ = set_sink([this](std::string_view line) { lines_.emplace_back(line); });
    }
    void TearDown() override {
        set_sink(std::move(former_sink_));
        set_level(former_level_);
    }

    std::vector<std::string> lines_;
    Sink former_sink_;
    Level former_level_ = Level::Info;
};

TEST_F(LogTest, WritesOneJsonLineWithFields) {
    warn("scan", "item_skipped", {{"scanner", "retention"}, {"count", 3}, {"last", true}});
    ASSERT_EQ(lines_.size(), 1U);
    EXPECT_TRUE(lines_[0].ends_with("\n"));
    const auto parsed = json::Document::parse(lines_[0]);
    ASSERT_TRUE(parsed.has_value());
    EXPECT_EQ(parsed->root().find("level")->as_string(), "warn");
    EXPECT_EQ(parsed->root().find("target")->as_string(), "scan");
    EXPECT_EQ(parsed->root().find("event")->as_string(), "item_skipped");
    EXPECT_EQ(parsed->root().find("scanner")->as_string(), "retention");
    EXPECT_EQ(parsed->root().find("count")->as_integer(), 3);
    EXPECT_EQ(parsed->root().find("last")->as_bool(), true);
}

TEST_F(LogTest, DropsLinesAboveTheLevel) {
    set_level(Level::Warn);
    info("base", "unheard");
    error("base", "heard");
    info("audit", "operator_action");
    ASSERT_EQ(lines_.size(), 2U);
    EXPECT_NE(lines_[0].find("\"heard\""), std::string::npos);
}

TEST_F(LogTest, ABrokenTextCannotBreakTheLine) {
    info("base", "odd", {{"text", std::string("a\n\"b")}, {"bytes", std::string("\xff\x00", 2)}});
    ASSERT_EQ(lines_.size(), 1U);
    const auto parsed = json::Document::parse(lines_[0]);
    ASSERT_TRUE(parsed.has_value());
    EXPECT_EQ(parsed->root().find("text")->as_string(), "a\n\"b");
    EXPECT_EQ(parsed->root().find("bytes")->as_string(), "ff00");
}

TEST(LogLevel, RoundTripsThroughText) {
    for (const Level level : {Level::Error, Level::Warn, Level::Info, Level::Debug, Level::Trace})
        EXPECT_EQ(parse_level(to_string(level)), level);
    EXPECT_FALSE(parse_level("loud").has_value());
}

}  // namespace
}  // namespace ff::log
