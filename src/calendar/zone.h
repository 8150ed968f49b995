#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "calendar/civil.h"

namespace date {
class time_zone;
}  // namespace date

namespace ff::calendar {

/// A time zone of the system's IANA database (package tzdata). Cheap to copy.
class Zone {
  public:
    /// A stretch of time with one offset: from `begin` to before `end`.
    struct Period {
        Instant begin{};
        Instant end{};
        std::chrono::seconds offset{0};
        bool has_begin = false;
        bool has_end = false;

        CivilTime civil(Instant at) const { return CivilTime(at.time_since_epoch() + offset); }
        Instant instant(CivilTime at) const { return Instant(at.time_since_epoch() - offset); }
    };

    /// UTC, which needs no database.
    Zone() = default;
    /// `invalid_schedule` for a name that the database does not have.
    static Result<Zone> find(std::string_view name, std::string_view place);

    const std::string& name() const { return name_; }
    Period period_at(Instant at) const;
    /// When the clock first shows at least this.
    Instant first_instant(CivilTime at) const;

  private:
    std::string name_ = "UTC";
    /// Null for UTC. The database lives as long as the process.
    const date::time_zone* zone_ = nullptr;
};

}  // namespace ff::calendar
