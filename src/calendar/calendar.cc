#include "calendar/calendar.h"

#include <algorithm>

#include "base/hash.h"
#include "base/numbers.h"
#include "calendar/refusal.h"
#include "calendar/when_fields.h"

namespace ff::calendar {
namespace {

using std::chrono::seconds;

constexpr std::size_t kEntriesMax = 32;
constexpr std::int64_t kSecondMs = 1'000;
constexpr std::int64_t kIntervalMsMax = 315'360'000'000;  // ten years
constexpr std::int64_t kJitterMsMax = 86'400'000;
/// Stretches left out one after the other; days, where whole days are left out.
constexpr int kLeftOutMax = 20'000;
constexpr Timestamp kEpoch{};

/// Whole seconds only, so that no two ticks are closer than one.
Result<Millis> whole_seconds(const WhenFields& fields, std::string_view name,
                             std::optional<std::int64_t> given) {
    if (!given) return Millis(0);
    if (*given % kSecondMs != 0)
        return refuse(fields.name_of(name),
                      "whole seconds are needed: a schedule fires at most once a second");
    return Millis(*given);
}

Result<Interval> parse_interval(const json::Value& entry, const std::string& place) {
    const WhenFields fields(entry, place);
    FF_CHECK(fields.only({"every_ms", "offset_ms"}));
    FF_TRY(const auto every, fields.integer("every_ms", 1, kIntervalMsMax));
    FF_TRY(const auto offset, fields.integer("offset_ms", 0, kIntervalMsMax));
    if (!every) return refuse(fields.name_of("every_ms"), "is missing");
    if (*every < kSecondMs)
        return refuse(fields.name_of("every_ms"), "fires more often than once a second");
    if (offset.value_or(0) >= *every)
        return refuse(fields.name_of("offset_ms"), "must be less than every_ms");
    Interval interval;
    FF_TRY(interval.every, whole_seconds(fields, "every_ms", every));
    FF_TRY(interval.offset, whole_seconds(fields, "offset_ms", offset));
    return interval;
}

Result<Done> read_patterns(const WhenFields& fields, bool excludes, std::vector<Pattern>& into) {
    const auto seconds = excludes ? Pattern::Seconds::All : Pattern::Seconds::First;
    FF_TRY(const auto lines, fields.texts("cron", kEntriesMax));
    for (std::size_t i = 0; i < lines.size(); ++i) {
        FF_TRY(Pattern line, Pattern::of_cron(lines[i], fields.name_of("cron", i), seconds));
        into.push_back(std::move(line));
    }
    FF_TRY(const auto lists, fields.list("calendars", kEntriesMax));
    for (std::size_t i = 0; i < lists.size(); ++i) {
        const std::string place = fields.name_of("calendars", i);
        FF_TRY(Pattern list, Pattern::of_dates(lists[i], place));
        if (!excludes && list.is_whole_days())
            return refuse(place + ".times", "at least one time is needed");
        into.push_back(std::move(list));
    }
    return Done{};
}

std::optional<Timestamp> next_of(const Interval& interval, Timestamp after) {
    const Millis past = after - kEpoch - interval.offset;
    std::int64_t turns = past / interval.every;
    if (past < Millis(0) && past % interval.every != Millis(0)) --turns;
    return kEpoch + interval.offset + (turns + 1) * interval.every;
}

}  // namespace

std::string_view to_string(Shift shift) {
    switch (shift) {
        case Shift::None:
            return "";
        case Shift::Gap:
            return "gap";
        case Shift::First:
            return "first";
        case Shift::Second:
            return "second";
    }
    return "";
}

Result<Calendar> Calendar::parse(const json::Value& when, std::string_view place) {
    const WhenFields fields(when, std::string(place));
    FF_CHECK(fields.only({"time_zone", "cron", "intervals", "calendars", "exclude", "start_at",
                          "end_at", "jitter_ms"}));
    Calendar calendar;
    if (const auto zone = fields.find("time_zone")) {
        FF_TRY(calendar.zone_,
               Zone::find(zone->as_string().value_or(""), fields.name_of("time_zone")));
    }
    FF_CHECK(read_patterns(fields, false, calendar.patterns_));
    FF_TRY(const auto intervals, fields.list("intervals", kEntriesMax));
    for (std::size_t i = 0; i < intervals.size(); ++i) {
        FF_TRY(const Interval interval,
               parse_interval(intervals[i], fields.name_of("intervals", i)));
        calendar.intervals_.push_back(interval);
    }
    if (const auto exclude = fields.find("exclude")) {
        const WhenFields left_out(*exclude, fields.name_of("exclude"));
        FF_CHECK(left_out.only({"cron", "calendars"}));
        FF_CHECK(read_patterns(left_out, true, calendar.exclusions_));
    }
    FF_TRY(const auto start, fields.integer("start_at", 0, kSafeIntegerMax));
    FF_TRY(const auto end, fields.integer("end_at", 0, kSafeIntegerMax));
    FF_TRY(const auto jitter, fields.integer("jitter_ms", 0, kJitterMsMax));
    if (start) calendar.start_ = timestamp_from_ms(*start);
    if (end) calendar.end_ = timestamp_from_ms(*end);
    calendar.jitter_ = Millis(jitter.value_or(0));
    if (calendar.patterns_.empty() && calendar.intervals_.empty())
        return refuse(place, "at least one of cron, intervals and calendars is needed");
    if (start && end && *end < *start)
        return refuse(fields.name_of("end_at"), "is before start_at");
    if (!calendar.next(calendar.start_.value_or(kEpoch)))
        return refuse(place,
                      "it can never fire: all its times are left out, or outside of start_at "
                      "and end_at");
    return calendar;
}

std::optional<Tick> Calendar::next_unfiltered(Timestamp after) const {
    std::optional<Tick> first;
    const auto offer = [&first](std::optional<Tick> tick) {
        if (tick && (!first || tick->at < first->at)) first = tick;
    };
    for (const Pattern& pattern : patterns_) offer(calendar::next_of(pattern, zone_, after));
    for (const Interval& interval : intervals_) offer(Tick{.at = *next_of(interval, after)});
    return first;
}

std::optional<CivilTime> Calendar::left_out_until(CivilTime at) const {
    std::optional<CivilTime> until;
    for (const Pattern& pattern : exclusions_) {
        if (!pattern.matches(at)) continue;
        until = std::max(until.value_or(at), pattern.matches_until(at));
    }
    return until;
}

std::optional<Tick> Calendar::next(Timestamp after) const {
    if (start_ && after < *start_) after = *start_ - Millis(1);
    for (int i = 0; i < kLeftOutMax; ++i) {
        const std::optional<Tick> tick = next_unfiltered(after);
        if (!tick || (end_ && tick->at > *end_)) return std::nullopt;
        if (exclusions_.empty()) return tick;
        const Instant at = std::chrono::floor<seconds>(tick->at);
        const auto until = left_out_until(zone_.period_at(at).civil(at));
        if (!until) return tick;
        after = std::max<Timestamp>(tick->at, zone_.first_instant(*until) - Millis(1));
    }
    return std::nullopt;
}

std::optional<Tick> Calendar::last(Timestamp from, Timestamp until) const {
    // From ever further back, so that a long time of short intervals is not walked through.
    std::optional<Tick> found;
    for (Millis back{1'000}; !found; back *= 4) {
        const bool all = until - from <= back;
        std::optional<Tick> tick = next((all ? from : until - back) - Millis(1));
        while (tick && tick->at <= until) {
            found = tick;
            tick = next(tick->at);
        }
        if (all) break;
    }
    return found;
}

Timestamp Calendar::due(std::string_view schedule, Timestamp nominal) const {
    if (jitter_ == Millis(0)) return nominal;
    std::int64_t most = jitter_.count();
    const std::optional<Tick> following = next(nominal);
    if (following) most = std::min(most, (following->at - nominal).count() - 1);
    const std::uint64_t drawn =
        fnv1a64(std::string(schedule) + "@" + std::to_string(to_ms(nominal)));
    return nominal + Millis(drawn % static_cast<std::uint64_t>(most + 1));
}

}  // namespace ff::calendar
