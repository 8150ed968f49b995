#include "host/held_clock.h"

#include "base/log.h"

namespace ff::host {
namespace {

/// A reading that is behind by less than this came from a thread that was held up after it looked
/// at the clock, or from a small correction of the clock. Time stands still until the clock is
/// there again: if each such reading moved it on for good, the store's time would run away.
constexpr std::int64_t kSetBackUs = 1'000'000;

/// Raises `time` to `to` unless it is later already. Returns the later of the two.
std::int64_t raise_to(std::atomic<std::int64_t>& time, std::int64_t to) {
    std::int64_t seen = time.load(std::memory_order_relaxed);
    while (seen < to) {
        if (time.compare_exchange_weak(seen, to, std::memory_order_relaxed)) return to;
    }
    return seen;
}

}  // namespace

std::chrono::microseconds HeldClock::now_us() const {
    const std::int64_t now = source_.now_us().count();
    const bool is_behind = last_.load(std::memory_order_relaxed) - now >= kSetBackUs;
    const std::int64_t ahead =
        is_behind || ahead_.load(std::memory_order_relaxed) != 0 ? ahead_of(now) : 0;
    return std::chrono::microseconds(raise_to(last_, now + ahead));
}

std::int64_t HeldClock::ahead_of(std::int64_t now) const {
    const std::lock_guard lock(mutex_);
    const std::int64_t last = last_.load(std::memory_order_relaxed);
    const std::int64_t before = ahead_.load(std::memory_order_relaxed);
    std::int64_t ahead = before;
    if (now >= last) ahead = 0;
    if (last - (now + ahead) >= kSetBackUs) {
        ahead = last - now;
        log::warn("host", "clock_set_back", {{"by_ms", (ahead - before) / 1000}});
    }
    ahead_.store(ahead, std::memory_order_relaxed);
    return ahead;
}

void HeldClock::raise(std::chrono::microseconds floor) {
    raise_to(last_, floor.count());
}

}  // namespace ff::host
