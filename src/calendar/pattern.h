#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "calendar/civil.h"

namespace ff::calendar {

/// A date, of one year or of every year.
struct Date {
    std::optional<int> year{};
    unsigned month = 1;
    unsigned day = 1;
};

/// Civil times that a cron line or a list of dates names. Decides only.
class Pattern {
  public:
    /// What a line of five fields says of the seconds: it fires at the first one of a minute, and
    /// leaves out all of them.
    enum class Seconds : std::uint8_t { First, All };
    /// Five fields, six with seconds in front, or a name such as `@daily`. `place` is where the
    /// line stands in the request. Refuses with `invalid_schedule`, also a line that can never
    /// fire.
    static Result<Pattern> of_cron(std::string_view line, std::string_view place,
                                   Seconds seconds = Seconds::First);
    /// `dates` and `times`; without times all of each day.
    static Result<Pattern> of_dates(const json::Value& entry, std::string_view place);

    /// The first civil time behind this one, within fifty years.
    std::optional<CivilTime> next(CivilTime after) const;
    bool matches(CivilTime at) const;
    /// Of a time that matches: the end of the unbroken stretch it is known to be in, at least a
    /// second later.
    CivilTime matches_until(CivilTime at) const;
    /// Every hour of the day: such a line follows elapsed time where clocks are changed.
    bool is_hourly() const { return hours_ == kAllHours && times_.empty(); }
    /// Dates without times: only fit to be left out.
    bool is_whole_days() const;

  private:
    friend class CronReader;
    static constexpr std::uint32_t kAllHours = (1U << 24U) - 1;
    static constexpr std::uint64_t kAllSixty = (std::uint64_t{1} << 60U) - 1;

    bool has_day(std::chrono::year_month_day date) const;
    bool has_weekday(std::chrono::year_month_day date) const;
    std::optional<std::chrono::seconds> first_in_day(std::chrono::seconds from) const;

    std::uint64_t seconds_ = kAllSixty;
    std::uint64_t minutes_ = kAllSixty;
    std::uint32_t hours_ = kAllHours;
    std::uint32_t months_ = 0;  // bit 1 is January
    std::uint32_t days_ = 0;
    std::uint32_t weekdays_ = 0;  // bit 0 is Sunday
    /// Bit n of element d: the n-th such weekday of the month.
    std::uint32_t nth_[7] = {};
    std::uint32_t last_weekdays_ = 0;
    bool last_day_ = false;
    bool any_day_ = false;
    bool any_weekday_ = false;
    std::vector<Date> dates_{};
    /// Seconds of the day in order; empty: what the bits above say.
    std::vector<std::chrono::seconds> times_{};
};

}  // namespace ff::calendar
