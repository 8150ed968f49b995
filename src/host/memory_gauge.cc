#include "host/memory_gauge.h"

#include <algorithm>

#include "base/log.h"

namespace ff::host {

std::string_view to_string(MemoryGauge::State state) {
    switch (state) {
        case MemoryGauge::State::Good:
            return "good";
        case MemoryGauge::State::Warning:
            return "warning";
        case MemoryGauge::State::Full:
            return "full";
    }
    return "";
}

std::uint64_t MemoryGauge::used() const {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(used_.load(), 0));
}

MemoryGauge::State MemoryGauge::judge(std::uint64_t used, State former) const {
    const auto reached = [this, used](std::uint64_t percent) {
        return used >= limit_ / 100 * percent;
    };
    if (limit_ == 0) return State::Good;
    if (reached(former == State::Full ? kRoomAgainPercent : kFullPercent)) return State::Full;
    return reached(kWarningPercent) ? State::Warning : State::Good;
}

void MemoryGauge::add(std::int64_t bytes) {
    if (bytes == 0) return;
    const std::int64_t sum = used_.fetch_add(bytes) + bytes;
    const State former = state();
    const State now = judge(static_cast<std::uint64_t>(std::max<std::int64_t>(sum, 0)), former);
    State expected = former;
    // Of shards that notice it together one tells.
    if (now == former || !state_.compare_exchange_strong(expected, now)) return;
    const log::Fields facts{{"state", to_string(now)}, {"used", sum}, {"limit", limit_}};
    if (now == State::Good)
        log::info("host", "memory", facts);
    else
        log::warn("host", "memory", facts);
}

}  // namespace ff::host
