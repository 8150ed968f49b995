#include <algorithm>
#include <string>

#include "base/numbers.h"
#include "calendar/pattern.h"
#include "calendar/refusal.h"
#include "calendar/when_fields.h"

namespace ff::calendar {
namespace {

using std::chrono::seconds;

constexpr std::size_t kListMax = 500;

/// `count` digits at `at`.
std::optional<unsigned> digits(std::string_view text, std::size_t at, std::size_t count) {
    if (text.size() < at + count) return std::nullopt;
    const auto number = parse_u64(text.substr(at, count));
    return number ? std::optional(static_cast<unsigned>(*number)) : std::nullopt;
}

/// `2026-12-24` or `*-12-24`.
Result<Date> parse_date(std::string_view text, const std::string& place) {
    Date date;
    const bool yearly = text.starts_with("*-");
    const std::size_t at = yearly ? 2 : 5;
    const auto year = yearly ? std::optional(2000U) : digits(text, 0, 4);
    const auto month = digits(text, at, 2);
    const auto day = digits(text, at + 3, 2);
    const bool shaped = text.size() == at + 5 && text[at - 1] == '-' && text[at + 2] == '-';
    if (!shaped || !year || !month || !day)
        return refuse(place, "a date is written as 2026-12-24, or *-12-24 for every year");
    // 2000 was a leap year: any date there is one of some year.
    const std::chrono::year_month_day whole{std::chrono::year{static_cast<int>(*year)},
                                            std::chrono::month{*month}, std::chrono::day{*day}};
    if (!whole.ok()) return refuse(place, "there is no such date");
    if (!yearly) date.year = static_cast<int>(*year);
    date.month = *month;
    date.day = *day;
    return date;
}

/// `09:30` or `09:30:15`.
Result<seconds> parse_time(std::string_view text, const std::string& place) {
    const auto hour = digits(text, 0, 2);
    const auto minute = digits(text, 3, 2);
    const bool with_seconds = text.size() == 8;
    const auto second = with_seconds ? digits(text, 6, 2) : std::optional(0U);
    const bool shaped = (text.size() == 5 || (with_seconds && text[5] == ':')) && text[2] == ':';
    if (!shaped || !hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 59)
        return refuse(place, "a time is written as 09:30 or 09:30:15");
    return std::chrono::hours(*hour) + std::chrono::minutes(*minute) + seconds(*second);
}

}  // namespace

Result<Pattern> Pattern::of_dates(const json::Value& entry, std::string_view place) {
    const WhenFields fields(entry, std::string(place));
    FF_CHECK(fields.only({"dates", "times"}));
    FF_TRY(const std::vector<std::string> dates, fields.texts("dates", kListMax));
    FF_TRY(const std::vector<std::string> times, fields.texts("times", kListMax));
    if (dates.empty()) return refuse(fields.name_of("dates"), "at least one date is needed");
    Pattern pattern;
    for (std::size_t i = 0; i < dates.size(); ++i) {
        FF_TRY(const Date date, parse_date(dates[i], fields.name_of("dates", i)));
        pattern.dates_.push_back(date);
        pattern.months_ |= 1U << date.month;
    }
    for (std::size_t i = 0; i < times.size(); ++i) {
        FF_TRY(const seconds time, parse_time(times[i], fields.name_of("times", i)));
        pattern.times_.push_back(time);
    }
    std::ranges::sort(pattern.times_);
    return pattern;
}

}  // namespace ff::calendar
