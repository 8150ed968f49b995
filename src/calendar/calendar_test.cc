#include "calendar/calendar.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "calendar/time_text.h"

namespace ff::calendar {
namespace {

Result<Calendar> read(const std::string& json) {
    auto document = json::Document::parse(json);
    EXPECT_TRUE(document.has_value()) << json;
    if (!document) return document.error();
    return Calendar::parse(document->root());
}

std::string why_not(const std::string& json) {
    const auto calendar = read(json);
    if (calendar.has_value()) return "accepted";
    if (calendar.error().code == "invalid_input") return calendar.error().message;
    return calendar.error().detail.at(0) + ": " + calendar.error().detail.at(1);
}

Timestamp at(const std::string& json_ms) {
    return timestamp_from_ms(std::stoll(json_ms));
}

/// The next ticks in the schedule's own zone, with what the clocks did to them.
std::vector<std::string> ticks(const std::string& json, Timestamp after, int count) {
    const auto calendar = read(json);
    EXPECT_TRUE(calendar.has_value()) << calendar.error().text();
    std::vector<std::string> found;
    for (int i = 0; calendar && i < count; ++i) {
        const auto tick = calendar->next(after);
        if (!tick) break;
        const std::string shift(to_string(tick->shift));
        found.push_back(zone_text(tick->at, calendar->zone()) + (shift.empty() ? "" : " " + shift));
        after = tick->at;
    }
    return found;
}

using Ticks = std::vector<std::string>;

const Timestamp kNewYear = at("1767225600000");  // 2026-01-01T00:00:00Z

TEST(Ch08Calendar, S02_S03_TellsWhatTheClocksDidToATick) {
    const Timestamp spring = at("1774692000000");  // 2026-03-28T10:00:00Z
    EXPECT_EQ(ticks(R"({"cron":"30 2 * * *","time_zone":"Europe/Berlin"})", spring, 2),
              (Ticks{"2026-03-29T03:00:00+02:00 gap", "2026-03-30T02:30:00+02:00"}));
    const Timestamp autumn = at("1792879200000");  // 2026-10-24T22:00:00Z
    EXPECT_EQ(ticks(R"({"cron":"30 2 * * *","time_zone":"Europe/Berlin"})", autumn, 2),
              (Ticks{"2026-10-25T02:30:00+02:00 first", "2026-10-26T02:30:00+01:00"}));
    EXPECT_EQ(
        ticks(R"({"cron":"30 * * * *","time_zone":"Europe/Berlin"})", autumn + Millis(9000000), 3),
        (Ticks{"2026-10-25T02:30:00+01:00 second", "2026-10-25T03:30:00+01:00",
               "2026-10-25T04:30:00+01:00"}));
}

TEST(Ch08Calendar, S04_JoinsLinesIntervalsAndDates) {
    EXPECT_EQ(
        ticks(R"({"cron":["0 6 * * *"],"intervals":[{"every_ms":43200000,"offset_ms":3600000}],
                        "calendars":[{"dates":["2026-01-01","*-01-02"],"times":["06:00","23:59:58"]}]})",
              kNewYear, 7),
        (Ticks{"2026-01-01T01:00:00+00:00", "2026-01-01T06:00:00+00:00",
               "2026-01-01T13:00:00+00:00", "2026-01-01T23:59:58+00:00",
               "2026-01-02T01:00:00+00:00", "2026-01-02T06:00:00+00:00",
               "2026-01-02T13:00:00+00:00"}));
}

TEST(Ch08Calendar, S05_LeavesOutDaysAndTimes) {
    EXPECT_EQ(ticks(R"({"cron":"0 9 * * *","time_zone":"America/New_York",
                        "exclude":{"cron":["* * * * SAT,SUN"],"calendars":[{"dates":["*-01-01"]}]}})",
                    kNewYear, 3),
              (Ticks{"2026-01-02T09:00:00-05:00", "2026-01-05T09:00:00-05:00",
                     "2026-01-06T09:00:00-05:00"}));
    EXPECT_EQ(
        ticks(R"({"cron":"* * * * * *","exclude":{"cron":["* * * JAN-NOV *"]}})", kNewYear, 2),
        (Ticks{"2026-12-01T00:00:00+00:00", "2026-12-01T00:00:01+00:00"}));
    EXPECT_EQ(ticks(R"({"cron":"*/20 * * * *","exclude":{"calendars":[{"dates":["2026-01-01"],
                        "times":["00:20"]}]}})",
                    kNewYear, 2),
              (Ticks{"2026-01-01T00:40:00+00:00", "2026-01-01T01:00:00+00:00"}));
}

TEST(Ch08Calendar, S06_KeepsToItsStartAndEnd) {
    EXPECT_EQ(ticks(R"({"cron":"0 * * * *","start_at":1767232800000,"end_at":1767240000000})",
                    kNewYear, 9),
              (Ticks{"2026-01-01T02:00:00+00:00", "2026-01-01T03:00:00+00:00",
                     "2026-01-01T04:00:00+00:00"}));
}

TEST(Calendar, FindsTheLastTickBeforeATime) {
    const auto calendar = read(R"({"cron":"*/10 * * * * *"})");
    ASSERT_TRUE(calendar.has_value());
    const auto last = calendar->last(kNewYear, kNewYear + Millis(31'536'000'000));
    ASSERT_TRUE(last.has_value());
    EXPECT_EQ(utc_text(last->at), "2027-01-01T00:00:00Z");
    EXPECT_FALSE(calendar->last(kNewYear + Millis(1), kNewYear + Millis(9'999)).has_value());
}

TEST(Ch08Calendar, S07_DrawsJitterFromScheduleAndTickAlone) {
    const auto calendar = read(R"({"cron":"* * * * *","jitter_ms":86400000})");
    ASSERT_TRUE(calendar.has_value());
    bool differs = false;
    Timestamp nominal = kNewYear;
    for (int i = 0; i < 100; ++i) {
        const Timestamp due = calendar->due("nightly", nominal);
        EXPECT_EQ(due, calendar->due("nightly", nominal));
        EXPECT_GE(due, nominal);
        EXPECT_LT(due, nominal + Millis(60'000));
        differs = differs || due - nominal != calendar->due("hourly", nominal) - nominal;
        nominal += Millis(60'000);
    }
    EXPECT_TRUE(differs);
}

TEST(Ch08Calendar, S08_S09_RefusesWithTheReason) {
    EXPECT_EQ(why_not(R"({"cron":"0 0 30 2 *"})"),
              "when.cron[0]: the cron line `0 0 30 2 *` can never fire: there is no such day");
    EXPECT_EQ(why_not(R"({"cron":["* * * * *","0 0 31 4,6 ?"]})"),
              "when.cron[1]: the cron line `0 0 31 4,6 ?` can never fire: there is no such day");
    EXPECT_EQ(why_not(R"({"intervals":[{"every_ms":999}]})"),
              "when.intervals[0].every_ms: fires more often than once a second");
    EXPECT_EQ(
        why_not(R"({"intervals":[{"every_ms":1500}]})"),
        "when.intervals[0].every_ms: whole seconds are needed: a schedule fires at most once a "
        "second");
    EXPECT_EQ(
        why_not(R"({"cron":"0 24 * * *"})"),
        "when.cron[0]: the cron line `0 24 * * *` has the hour `24`, which is not in 0 to 23");
    EXPECT_EQ(why_not(R"({"cron":"0 0 15W * *"})"),
              "when.cron[0]: the cron line `0 0 15W * *` has the day of month `15W`, and W (the "
              "nearest weekday) is not known here");
    EXPECT_EQ(
        why_not(R"({"cron":"0 0 * *"})"),
        "when.cron[0]: the cron line `0 0 * *` has 4 fields; it takes five (minute, hour, day of "
        "month, month, day of week) or six (second in front)");
    EXPECT_EQ(why_not(R"({"cron":"@reboot"})"),
              "when.cron[0]: the cron line `@reboot` names no time; a schedule does not follow the "
              "server's starts");
    EXPECT_EQ(
        why_not(R"({"cron":"* * * * *","time_zone":"Europe/Nowhere"})"),
        "when.time_zone: there is no time zone `Europe/Nowhere` in the system's database; zones "
        "are named as in Europe/Berlin");
    EXPECT_EQ(why_not(R"({"cron":"* * * * *","timezone":"UTC"})"),
              "unknown field `timezone`; did you mean `time_zone`? (in when)");
    EXPECT_EQ(why_not(R"({"cron":"0 0 1 1 *","exclude":{"cron":"* * 1 1 *"}})"),
              "when: it can never fire: all its times are left out, or outside of start_at and "
              "end_at");
    EXPECT_EQ(why_not(R"({})"), "when: at least one of cron, intervals and calendars is needed");
    EXPECT_EQ(why_not(R"({"calendars":[{"dates":["2026-02-29"],"times":["09:00"]}]})"),
              "when.calendars[0].dates[0]: there is no such date");
    EXPECT_EQ(why_not(R"({"calendars":[{"dates":["2026-02-28"]}]})"),
              "when.calendars[0].times: at least one time is needed");
    EXPECT_EQ(why_not(R"({"calendars":[{"dates":["2026-02-28"],"times":["9:00"]}]})"),
              "when.calendars[0].times[0]: a time is written as 09:30 or 09:30:15");
}

TEST(Ch08Calendar, S02_SkipsAZonesMissingDay) {
    // Samoa had no 30 December 2011.
    EXPECT_EQ(ticks(R"({"cron":"0 12 * * *","time_zone":"Pacific/Apia"})", at("1325134800000"), 3),
              (Ticks{"2011-12-29T12:00:00-10:00", "2011-12-31T00:00:00+14:00 gap",
                     "2011-12-31T12:00:00+14:00"}));
}

}  // namespace
}  // namespace ff::calendar
