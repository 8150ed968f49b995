#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace ff::service {

/// What ended in a lane in one span of time, and how much there was to do at its end.
struct LanePoint {
    std::int64_t completed = 0;
    std::int64_t failed = 0;
    std::int64_t waiting = 0;
    std::int64_t running = 0;
};

/// The last hour of each lane in points of 30 s, in memory only. Spans begin at whole multiples of
/// their length, so that the points of all servers have the same borders.
class LaneFigures {
  public:
    static constexpr Millis kSpan{30'000};
    static constexpr std::size_t kPointsMax = 120;
    /// Lanes beyond these have no figures.
    static constexpr std::size_t kLanesMax = 256;

    explicit LaneFigures(Timestamp start) : first_(span_of(start)) {}

    void ended(std::string_view lane, std::int64_t completed, std::int64_t failed, Timestamp now);
    void counted(std::string_view lane, std::int64_t waiting, std::int64_t running, Timestamp now);

    /// Where the oldest point begins: an hour ago, or when the server started.
    Timestamp from(Timestamp now) const;
    /// Oldest first; the last one is the span that has not ended yet. The same number for every
    /// lane, zeros where nothing is known. A span without a count has that of the one before it.
    std::vector<LanePoint> points(std::string_view lane, Timestamp now) const;

  private:
    struct Slot {
        /// Which span this is; that of an hour ago counts as empty.
        std::int64_t span = -1;
        bool is_counted = false;
        LanePoint point{};
    };
    using Ring = std::array<Slot, kPointsMax>;

    static std::int64_t span_of(Timestamp at) { return to_ms(at) / kSpan.count(); }
    /// Nothing for a lane beyond the last that is kept.
    Slot* slot(std::string_view lane, Timestamp now);

    std::int64_t first_;
    std::map<std::string, Ring, std::less<>> lanes_{};
};

}  // namespace ff::service
