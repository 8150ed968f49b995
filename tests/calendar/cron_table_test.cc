#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "calendar/calendar.h"
#include "calendar/time_text.h"

namespace ff::calendar {
namespace {

constexpr int kRowsLeast = 200;

std::string trimmed(const std::string& text) {
    const std::size_t from = text.find_first_not_of(' ');
    if (from == std::string::npos) return {};
    return text.substr(from, text.find_last_not_of(' ') - from + 1);
}

std::vector<std::string> columns(const std::string& row) {
    std::vector<std::string> found;
    std::stringstream stream(row);
    for (std::string part; std::getline(stream, part, '|');) found.push_back(trimmed(part));
    return found;
}

/// `2026-03-29T00:40:00` in a zone.
Timestamp start_of(const std::string& text, const Zone& zone) {
    int year = 0;
    unsigned month = 0;
    unsigned day = 0;
    int hour = 0;
    int minute = 0;
    int second = 0;
    std::sscanf(text.c_str(), "%d-%u-%uT%d:%d:%d", &year, &month, &day, &hour, &minute, &second);
    const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{month},
                                           std::chrono::day{day}};
    return zone.first_instant(std::chrono::local_days(date) + std::chrono::hours(hour) +
                              std::chrono::minutes(minute) + std::chrono::seconds(second));
}

TEST(Ch08CronTable, S01_EveryLineFiresWhenTheTableSays) {
    std::ifstream file(FF_CRON_TABLE);
    ASSERT_TRUE(file.is_open());
    int rows = 0;
    for (std::string row; std::getline(file, row);) {
        if (row.empty() || row.starts_with('#')) continue;
        ++rows;
        const std::vector<std::string> parts = columns(row);
        ASSERT_EQ(parts.size(), 4U) << row;
        const auto pattern = Pattern::of_cron(parts[0], "cron");
        const auto zone = Zone::find(parts[1], "time_zone");
        ASSERT_TRUE(pattern.has_value()) << row << ": " << pattern.error().text();
        ASSERT_TRUE(zone.has_value()) << row;
        Timestamp at = start_of(parts[2], *zone);
        std::stringstream expected(parts[3]);
        std::string found;
        std::string wanted;
        for (std::string tick; expected >> tick;) {
            const auto next = next_of(*pattern, *zone, at);
            ASSERT_TRUE(next.has_value()) << row;
            at = next->at;
            found += utc_text(at) + " ";
            wanted += tick + " ";
        }
        EXPECT_EQ(found, wanted) << parts[0] << " in " << parts[1] << " from " << parts[2];
    }
    EXPECT_GE(rows, kRowsLeast);
}

}  // namespace
}  // namespace ff::calendar
