#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "calendar/pattern.h"
#include "calendar/zone.h"

namespace ff::calendar {

/// What the change of clocks did to a tick.
enum class Shift : std::uint8_t {
    None,
    /// Its civil time does not exist that day: it fires when the gap ends.
    Gap,
    /// Its civil time comes twice: this is the first, or the second.
    First,
    Second,
};
/// Empty, `gap`, `first` or `second`.
std::string_view to_string(Shift shift);

struct Tick {
    Timestamp at{};
    Shift shift = Shift::None;
};

struct Interval {
    Millis every{};
    Millis offset{};
};

/// When a schedule fires (spec 08, section 2). Decides only; two of the same text are the same.
class Calendar {
  public:
    /// The `when` of a schedule, `place` being its name in the request.
    static Result<Calendar> parse(const json::Value& when, std::string_view place = "when");

    /// The first nominal time behind this one.
    std::optional<Tick> next(Timestamp after) const;
    /// The last one up to this time and not before `from`.
    std::optional<Tick> last(Timestamp from, Timestamp until) const;
    /// When the tick is due: its nominal time and the jitter, which depends on schedule and tick
    /// alone and ends before the next tick.
    Timestamp due(std::string_view schedule, Timestamp nominal) const;

    const Zone& zone() const { return zone_; }

  private:
    std::optional<Tick> next_unfiltered(Timestamp after) const;
    /// The end of what is left out around this time; nothing if it is not left out.
    std::optional<CivilTime> left_out_until(CivilTime at) const;
    Result<Done> check_fires() const;

    Zone zone_{};
    std::vector<Pattern> patterns_{};
    std::vector<Interval> intervals_{};
    std::vector<Pattern> exclusions_{};
    std::optional<Timestamp> start_{};
    std::optional<Timestamp> end_{};
    Millis jitter_{0};
};

/// The first instant behind `after` that a pattern names in a zone.
std::optional<Tick> next_of(const Pattern& pattern, const Zone& zone, Timestamp after);

}  // namespace ff::calendar
