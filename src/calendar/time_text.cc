#include "calendar/time_text.h"

#include <array>
#include <cstdio>

namespace ff::calendar {
namespace {

using std::chrono::seconds;

std::string civil_text(CivilTime at, Millis fraction) {
    const auto day = std::chrono::floor<std::chrono::days>(at);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss time{at - day};
    std::array<char, 64> text{};
    int size = std::snprintf(
        text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d", static_cast<int>(date.year()),
        static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
        static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
        static_cast<int>(time.seconds().count()));
    std::string all(text.data(), static_cast<std::size_t>(size));
    if (fraction.count() == 0) return all;
    size = std::snprintf(text.data(), text.size(), ".%03d", static_cast<int>(fraction.count()));
    return all + std::string(text.data(), static_cast<std::size_t>(size));
}

}  // namespace

std::string utc_text(Timestamp at) {
    const Instant whole = std::chrono::floor<seconds>(at);
    return civil_text(CivilTime(whole.time_since_epoch()), at - whole) + "Z";
}

std::string zone_text(Timestamp at, const Zone& zone) {
    const Instant whole = std::chrono::floor<seconds>(at);
    const Zone::Period period = zone.period_at(whole);
    const bool west = period.offset < seconds(0);
    const std::chrono::hh_mm_ss offset{west ? -period.offset : period.offset};
    std::array<char, 16> text{};
    const int size = std::snprintf(text.data(), text.size(), "%c%02d:%02d", west ? '-' : '+',
                                   static_cast<int>(offset.hours().count()),
                                   static_cast<int>(offset.minutes().count()));
    return civil_text(period.civil(whole), at - whole) +
           std::string(text.data(), static_cast<std::size_t>(size));
}

}  // namespace ff::calendar
