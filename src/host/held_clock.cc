#include "host/held_clock.h"

#include <algorithm>
#include <ctime>

#include "base/log.h"

namespace ff::host {
namespace {

/// A reading that is behind by less than this came from a thread that was held up after it looked
/// at the clock, or from a small correction of the clock. Time stands still until the clock is
/// there again: if each such reading moved it on for good, the store's time would run away.
constexpr std::int64_t kSetBackUs = 1'000'000;
/// Two beats: a process that was held up for less has lost no more than a loaded machine takes.
constexpr std::int64_t kLeapUs = 2'000'000;
constexpr std::int64_t kLookUs = 500'000;

/// Raises `time` to `to` unless it is later already. Returns the later of the two.
std::int64_t raise_to(std::atomic<std::int64_t>& time, std::int64_t to) {
    std::int64_t seen = time.load(std::memory_order_relaxed);
    while (seen < to) {
        if (time.compare_exchange_weak(seen, to, std::memory_order_relaxed)) return to;
    }
    return seen;
}

std::chrono::microseconds time_since_boot() {
    timespec at{};
    clock_gettime(CLOCK_BOOTTIME, &at);
    return std::chrono::seconds(at.tv_sec) +
           std::chrono::floor<std::chrono::microseconds>(std::chrono::nanoseconds(at.tv_nsec));
}

std::int64_t us(Millis span) {
    return std::chrono::microseconds(span).count();
}

}  // namespace

HeldClock::HeldClock(const Clock& source, ClockDoubts doubts) : source_(source), doubts_(doubts) {
    if (doubts_.elapsed == nullptr) doubts_.elapsed = time_since_boot;
}

std::chrono::microseconds HeldClock::now_us() const {
    const std::int64_t now = source_.now_us().count();
    if (doubts() && now - seen_.load(std::memory_order_acquire) >= kLookUs) look(now);
    const std::int64_t last = last_.load(std::memory_order_relaxed);
    const bool is_set = ahead_.load(std::memory_order_relaxed) != 0 || last - now >= kSetBackUs;
    const std::int64_t time = now + (is_set ? ahead_of(now) : 0);
    if (doubts() && last != 0 && time - last >= kLeapUs) leap(last, time);
    return std::chrono::microseconds(raise_to(last_, time));
}

void HeldClock::look(std::int64_t now) const {
    const std::lock_guard lock(mutex_);
    const std::int64_t seen = seen_.load(std::memory_order_relaxed);
    if (now - seen < kLookUs) return;
    const std::int64_t elapsed = doubts_.elapsed().count();
    const std::int64_t jump = (now - seen) - (elapsed - seen_elapsed_);
    const std::int64_t ahead = ahead_.load(std::memory_order_relaxed) - jump;
    const bool is_leap = seen != 0 && jump > us(doubts_.jump_max);
    // A clock that was set back before may only be right again, or less wrong than it was.
    if (is_leap && ahead < -us(doubts_.jump_max)) doubt(ahead, jump, elapsed);
    if (is_leap && ahead > 0) ahead_.store(ahead, std::memory_order_relaxed);
    note_seen(now, elapsed);
}

/// After what follows from it: whoever finds it need not look.
void HeldClock::note_seen(std::int64_t now, std::int64_t elapsed) const {
    seen_elapsed_ = elapsed;
    seen_.store(now, std::memory_order_release);
}

void HeldClock::doubt(std::int64_t ahead, std::int64_t jump, std::int64_t elapsed) const {
    if (ahead_.exchange(ahead, std::memory_order_relaxed) >= 0)
        doubted_until_ = elapsed + us(doubts_.grace);
    log::warn("host", "clock_jumped_ahead",
              {{"by_ms", jump / 1000},
               {"does", "goes on without the jump; follows it unless the clock is set back"},
               {"follows_in_ms", (doubted_until_ - elapsed) / 1000}});
}

std::int64_t HeldClock::ahead_of(std::int64_t now) const {
    const std::lock_guard lock(mutex_);
    const std::int64_t last = last_.load(std::memory_order_relaxed);
    const std::int64_t before = ahead_.load(std::memory_order_relaxed);
    std::int64_t ahead = before;
    if (ahead > 0 && now >= last) ahead = 0;
    if (last - (now + ahead) >= kSetBackUs) {
        ahead = last - now;
        note_seen(now, doubts_.elapsed().count());
        log::warn("host", "clock_set_back", {{"by_ms", (ahead - before) / 1000}});
    }
    const bool is_small = ahead >= -us(doubts_.jump_max);
    if (ahead < 0 && (is_small || doubts_.elapsed().count() >= doubted_until_)) {
        if (!is_small) log::warn("host", "clock_jump_followed", {{"by_ms", -ahead / 1000}});
        ahead = 0;
    }
    ahead_.store(ahead, std::memory_order_relaxed);
    return ahead;
}

void HeldClock::leap(std::int64_t from, std::int64_t to) const {
    const std::lock_guard lock(mutex_);
    // Another thread may have been here with the same two readings.
    if (last_.load(std::memory_order_relaxed) > from) return;
    hold_leases(from, to);
}

/// Under the mutex.
void HeldClock::hold_leases(std::int64_t from, std::int64_t to) const {
    const std::int64_t grace = std::min(to - from, us(doubts_.lease_grace_max));
    // Who could not renew after the last leap yet was held up once more.
    const bool again = from < leases_until_.load(std::memory_order_relaxed);
    if (!again) leases_at_.store(from, std::memory_order_relaxed);
    leases_until_.store(to + grace, std::memory_order_release);
    raise_to(last_, to);
    log::warn("host", "time_leapt",
              {{"by_ms", (to - from) / 1000}, {"leases_held_for_ms", grace / 1000}});
}

void HeldClock::resume(std::chrono::microseconds last) {
    const std::int64_t from = last.count();
    raise_to(last_, from);
    if (!doubts() || from == 0) return;
    const std::int64_t now = source_.now_us().count();
    // Whoever has asked for the time while the store was opened has not used it.
    if (now > from) {
        const std::lock_guard lock(mutex_);
        hold_leases(from, now);
    }
    if (now - from <= us(doubts_.jump_max)) return;
    held_from_.store(from);
    held_to_.store(now);
    held_until_.store(now + us(doubts_.grace));
    log::warn("host", "time_passed_unseen",
              {{"ms", (now - from) / 1000},
               {"does", "deletes nothing and ends nothing at its deadline for a while"},
               {"for_ms", doubts_.grace.count()}});
}

std::chrono::microseconds HeldClock::lease_time(std::chrono::microseconds now) const {
    if (now.count() >= leases_until_.load(std::memory_order_acquire)) return now;
    return std::chrono::microseconds(leases_at_.load(std::memory_order_relaxed));
}

std::optional<ClockHold> HeldClock::hold() const {
    if (!doubts()) return std::nullopt;
    const std::int64_t now = now_us().count();
    const auto ms = [](std::int64_t span) {
        return std::chrono::ceil<Millis>(std::chrono::microseconds(span));
    };
    if (now < held_until_.load()) {
        return ClockHold{.leap = ms(held_to_.load() - held_from_.load()),
                         .left = ms(held_until_.load() - now),
                         .over_restart = true};
    }
    const std::lock_guard lock(mutex_);
    const std::int64_t ahead = ahead_.load(std::memory_order_relaxed);
    if (ahead >= 0) return std::nullopt;
    const std::int64_t left = doubted_until_ - doubts_.elapsed().count();
    return ClockHold{.leap = ms(-ahead), .left = ms(std::max<std::int64_t>(left, 0))};
}

std::chrono::microseconds HeldClock::Recorded::now_us() const {
    const std::chrono::microseconds now = clock_.now_us();
    if (now.count() >= clock_.held_until_.load()) return now;
    return std::chrono::microseconds(clock_.held_from_.load());
}

}  // namespace ff::host
