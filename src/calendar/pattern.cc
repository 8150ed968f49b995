#include "calendar/pattern.h"

#include <algorithm>
#include <bit>

namespace ff::calendar {
namespace {

using std::chrono::days;
using std::chrono::local_days;
using std::chrono::seconds;
using std::chrono::year_month_day;

/// A 29 February on a given weekday comes every 28 years, and after 40 around 2100.
constexpr days kSearched{366 * 50};
constexpr seconds kMinute{60};
constexpr seconds kHour{3'600};
constexpr seconds kDay{86'400};

bool has(std::uint64_t bits, unsigned at) {
    return ((bits >> at) & 1U) != 0;
}

std::optional<unsigned> next_bit(std::uint64_t bits, unsigned from) {
    if (from >= 64) return std::nullopt;
    const std::uint64_t rest = bits >> from;
    if (rest == 0) return std::nullopt;
    return from + static_cast<unsigned>(std::countr_zero(rest));
}

unsigned last_day_of(year_month_day date) {
    const std::chrono::year_month_day_last last{date.year(), date.month() / std::chrono::last};
    return static_cast<unsigned>(last.day());
}

}  // namespace

bool Pattern::has_weekday(year_month_day date) const {
    const unsigned weekday = std::chrono::weekday(local_days(date)).c_encoding();
    const unsigned day = static_cast<unsigned>(date.day());
    if (has(weekdays_, weekday)) return true;
    if (has(nth_[weekday], (day - 1) / 7 + 1)) return true;
    return has(last_weekdays_, weekday) && day + 7 > last_day_of(date);
}

bool Pattern::has_day(year_month_day date) const {
    const unsigned month = static_cast<unsigned>(date.month());
    const unsigned day = static_cast<unsigned>(date.day());
    if (!dates_.empty()) {
        return std::ranges::any_of(dates_, [&](const Date& one) {
            return one.month == month && one.day == day &&
                   (!one.year || *one.year == static_cast<int>(date.year()));
        });
    }
    if (!has(months_, month)) return false;
    const bool of_month = has(days_, day) || (last_day_ && day == last_day_of(date));
    if (any_weekday_) return any_day_ || of_month;
    if (any_day_) return has_weekday(date);
    // As cron has always had it: where both are named, either will do.
    return of_month || has_weekday(date);
}

std::optional<seconds> Pattern::first_in_day(seconds from) const {
    if (!times_.empty()) {
        const auto found = std::ranges::lower_bound(times_, from);
        return found == times_.end() ? std::nullopt : std::optional(*found);
    }
    const auto at_hour = static_cast<unsigned>(from / kHour);
    const auto at_minute = static_cast<unsigned>(from % kHour / kMinute);
    const auto at_second = static_cast<unsigned>((from % kMinute).count());
    std::optional<unsigned> hour = next_bit(hours_, at_hour);
    if (!hour) return std::nullopt;
    if (*hour == at_hour) {
        std::optional<unsigned> minute = next_bit(minutes_, at_minute);
        if (minute == at_minute) {
            if (const auto second = next_bit(seconds_, at_second))
                return *hour * kHour + *minute * kMinute + seconds(*second);
            minute = next_bit(minutes_, at_minute + 1);
        }
        if (minute) return *hour * kHour + *minute * kMinute + seconds(*next_bit(seconds_, 0));
        hour = next_bit(hours_, at_hour + 1);
        if (!hour) return std::nullopt;
    }
    return *hour * kHour + *next_bit(minutes_, 0) * kMinute + seconds(*next_bit(seconds_, 0));
}

std::optional<CivilTime> Pattern::next(CivilTime after) const {
    const CivilTime from = after + seconds(1);
    local_days day = std::chrono::floor<days>(from);
    seconds in_day = from - day;
    const local_days end = day + kSearched;
    while (day < end) {
        const year_month_day date{day};
        if (!has(months_, static_cast<unsigned>(date.month()))) {
            const year_month_day month{date.year(), date.month(), std::chrono::day(1)};
            day = local_days(month + std::chrono::months(1));
            in_day = seconds(0);
            continue;
        }
        if (has_day(date)) {
            if (const auto found = first_in_day(in_day)) return day + *found;
        }
        day += days(1);
        in_day = seconds(0);
    }
    return std::nullopt;
}

bool Pattern::matches(CivilTime at) const {
    const local_days day = std::chrono::floor<days>(at);
    return has_day(year_month_day(day)) && first_in_day(at - day) == at - day;
}

CivilTime Pattern::matches_until(CivilTime at) const {
    const auto behind = [at](seconds unit) {
        return CivilTime((at.time_since_epoch() / unit + 1) * unit);
    };
    if (!times_.empty() || seconds_ != kAllSixty) return at + seconds(1);
    if (minutes_ != kAllSixty) return behind(kMinute);
    return behind(hours_ == kAllHours ? kDay : kHour);
}

bool Pattern::is_whole_days() const {
    return !dates_.empty() && times_.empty();
}

}  // namespace ff::calendar
