#include "app/settings.h"

#include <map>

#include <gtest/gtest.h>

namespace ff::app {
namespace {

Result<Settings> read(const std::map<std::string, std::string, std::less<>>& variables) {
    return Settings::read([&](std::string_view name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        if (found == variables.end()) return std::nullopt;
        return found->second;
    });
}

TEST(Settings, HaveTheDefaultsOfTheSpecification) {
    const auto settings = read({});
    ASSERT_TRUE(settings.has_value());
    EXPECT_EQ(settings->listen.to_text(), "127.0.0.1:9090");
    EXPECT_EQ(settings->log_level, log::Level::Info);
    EXPECT_EQ(settings->shutdown_grace, Millis(15'000));
}

TEST(Settings, TakeWhatTheEnvironmentSays) {
    const auto settings =
        read({{"FF_LISTEN_ADDR", "[::]:80"}, {"FF_LOG", "debug"}, {"FF_SHUTDOWN_GRACE_MS", "0"}});
    ASSERT_TRUE(settings.has_value());
    EXPECT_EQ(settings->listen.to_text(), "[::]:80");
    EXPECT_EQ(settings->log_level, log::Level::Debug);
    EXPECT_EQ(settings->shutdown_grace, Millis(0));
}

TEST(Settings, NameTheVariableThatIsWrong) {
    const std::map<std::string, std::string, std::less<>> wrong = {
        {"FF_LISTEN_ADDR", "9090"}, {"FF_LOG", "loud"}, {"FF_SHUTDOWN_GRACE_MS", "1s"}};
    for (const auto& [name, value] : wrong) {
        const auto settings = read({{name, value}});
        ASSERT_FALSE(settings.has_value()) << name;
        EXPECT_TRUE(settings.error().detail.at(0).starts_with(name));
    }
}

}  // namespace
}  // namespace ff::app
