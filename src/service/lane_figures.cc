#include "service/lane_figures.h"

#include <algorithm>

namespace ff::service {

LaneFigures::Slot* LaneFigures::slot(std::string_view lane, Timestamp now) {
    auto found = lanes_.find(lane);
    if (found == lanes_.end()) {
        if (lanes_.size() >= kLanesMax) return nullptr;
        found = lanes_.emplace(std::string(lane), Ring{}).first;
    }
    const std::int64_t span = span_of(now);
    Slot& slot = found->second.at(static_cast<std::size_t>(span) % kPointsMax);
    if (slot.span != span) slot = {.span = span};
    return &slot;
}

void LaneFigures::ended(std::string_view lane, std::int64_t completed, std::int64_t failed,
                        Timestamp now) {
    Slot* const found = slot(lane, now);
    if (found == nullptr) return;
    found->point.completed += completed;
    found->point.failed += failed;
}

void LaneFigures::counted(std::string_view lane, std::int64_t waiting, std::int64_t running,
                          Timestamp now) {
    Slot* const found = slot(lane, now);
    if (found == nullptr) return;
    found->is_counted = true;
    found->point.waiting = waiting;
    found->point.running = running;
}

Timestamp LaneFigures::from(Timestamp now) const {
    constexpr auto kBefore = static_cast<std::int64_t>(kPointsMax) - 1;
    const std::int64_t last = span_of(now);
    // A clock that was set back must not leave the answer without any point.
    const std::int64_t first = std::min(last, std::max(first_, last - kBefore));
    return timestamp_from_ms(first * kSpan.count());
}

std::vector<LanePoint> LaneFigures::points(std::string_view lane, Timestamp now) const {
    const std::int64_t first = span_of(from(now));
    std::vector<LanePoint> points(static_cast<std::size_t>(span_of(now) - first + 1));
    const auto found = lanes_.find(lane);
    if (found == lanes_.end()) return points;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const std::int64_t span = first + static_cast<std::int64_t>(i);
        const Slot& slot = found->second.at(static_cast<std::size_t>(span) % kPointsMax);
        const bool known = slot.span == span;
        if (known) points[i] = slot.point;
        if (i == 0 || (known && slot.is_counted)) continue;
        points[i].waiting = points[i - 1].waiting;
        points[i].running = points[i - 1].running;
    }
    return points;
}

}  // namespace ff::service
