#include "calendar/zone.h"

#include <exception>

#include <date/tz.h>

#include "calendar/refusal.h"

namespace ff::calendar {
namespace {

using std::chrono::seconds;

/// Beyond this the database says "for ever".
constexpr Instant kFar{seconds{253'402'300'800}};  // year 10000

}  // namespace

Result<Zone> Zone::find(std::string_view name, std::string_view place) {
    Zone zone;
    if (name == "UTC") return zone;
    try {
        zone.zone_ = date::locate_zone(std::string(name));
    } catch (const std::exception&) {
        return refuse(place, "there is no time zone `" + std::string(name.substr(0, 64)) +
                                 "` in the system's database; zones are named as in Europe/Berlin");
    }
    zone.name_ = std::string(name);
    return zone;
}

Zone::Period Zone::period_at(Instant at) const {
    if (zone_ == nullptr) return {.begin = -kFar.time_since_epoch() + Instant{}, .end = kFar};
    const date::sys_info info = zone_->get_info(date::sys_seconds(at.time_since_epoch()));
    const Instant begin(info.begin.time_since_epoch());
    const Instant end(info.end.time_since_epoch());
    return {.begin = begin,
            .end = end,
            .offset = info.offset,
            .has_begin = begin.time_since_epoch() > -kFar.time_since_epoch(),
            .has_end = end < kFar};
}

Instant Zone::first_instant(CivilTime at) const {
    // No offset is more than a day: whatever shows this lies in one of these periods.
    Period period = period_at(Instant(at.time_since_epoch()) - std::chrono::hours(26));
    while (period.has_end && period.civil(period.end) <= at) period = period_at(period.end);
    const Instant found = period.instant(at);
    // In a gap the clock shows more than this from the first moment of the period on.
    return period.has_begin && found < period.begin ? period.begin : found;
}

}  // namespace ff::calendar
