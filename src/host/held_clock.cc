#include "host/held_clock.h"

#include <algorithm>

#include "base/log.h"

namespace ff::host {
namespace {

/// Threads that look at the same time may see each other's; a clock that was set back is worth a
/// word.
constexpr std::chrono::microseconds kWorthTelling = std::chrono::seconds(1);

}  // namespace

std::chrono::microseconds HeldClock::now_us() const {
    const std::chrono::microseconds now = source_.now_us();
    std::int64_t last = last_.load(std::memory_order_relaxed);
    if (ahead_.load(std::memory_order_relaxed) != 0) return ahead_of(now);
    while (last < now.count()) {
        if (last_.compare_exchange_weak(last, now.count(), std::memory_order_relaxed)) return now;
    }
    return last == now.count() ? now : ahead_of(now);
}

std::chrono::microseconds HeldClock::ahead_of(std::chrono::microseconds now) const {
    const std::lock_guard lock(mutex_);
    const std::int64_t last = last_.load(std::memory_order_relaxed);
    const std::int64_t before = ahead_.load(std::memory_order_relaxed);
    // Caught up: from here on the source alone counts.
    const std::int64_t ahead = now.count() >= last ? 0 : std::max(before, last - now.count());
    if (ahead - before >= kWorthTelling.count())
        log::warn("host", "clock_set_back", {{"by_ms", (ahead - before) / 1000}});
    ahead_.store(ahead, std::memory_order_relaxed);
    last_.store(std::max(last, now.count() + ahead), std::memory_order_relaxed);
    return std::chrono::microseconds(now.count() + ahead);
}

void HeldClock::raise(std::chrono::microseconds floor) {
    const std::lock_guard lock(mutex_);
    last_.store(std::max(last_.load(std::memory_order_relaxed), floor.count()),
                std::memory_order_relaxed);
}

}  // namespace ff::host
