#include "calendar/calendar.h"

namespace ff::calendar {
namespace {

using std::chrono::seconds;

/// Whether the clock shows the same once more when the period has ended.
bool comes_again(const Zone& zone, const Zone::Period& period, Instant at) {
    constexpr std::chrono::hours kLongest{26};
    if (!period.has_end || period.end - at > kLongest) return false;
    return zone.period_at(period.end).civil(period.end) <= period.civil(at);
}

}  // namespace

std::optional<Tick> next_of(const Pattern& pattern, const Zone& zone, Timestamp after) {
    const Instant from = std::chrono::floor<seconds>(after);
    Zone::Period period = zone.period_at(from);
    CivilTime base = period.civil(from);
    // What the clock has shown before, when it was set back at the beginning of the period.
    std::optional<CivilTime> shown;
    if (period.has_begin) {
        const CivilTime before = zone.period_at(period.begin - seconds(1)).civil(period.begin);
        if (before > period.civil(period.begin)) shown = before;
    }
    for (;;) {
        const std::optional<CivilTime> found = pattern.next(base);
        if (!found) return std::nullopt;
        const bool repeated = shown && *found < *shown;
        if (repeated && !pattern.is_hourly()) {
            base = *shown - seconds(1);
            continue;
        }
        if (!period.has_end || *found < period.civil(period.end)) {
            const Instant at = period.instant(*found);
            const Shift shift = repeated                        ? Shift::Second
                                : comes_again(zone, period, at) ? Shift::First
                                                                : Shift::None;
            return Tick{.at = at, .shift = shift};
        }
        const Zone::Period following = zone.period_at(period.end);
        const CivilTime old_end = period.civil(period.end);
        const CivilTime new_begin = following.civil(period.end);
        if (new_begin > old_end && *found < new_begin && !pattern.is_hourly()) {
            return Tick{.at = period.end, .shift = Shift::Gap};
        }
        shown = new_begin < old_end ? std::optional(old_end) : std::nullopt;
        base = new_begin - seconds(1);
        period = following;
    }
}

}  // namespace ff::calendar
