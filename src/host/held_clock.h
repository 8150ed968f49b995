#pragma once

#include <atomic>
#include <mutex>
#include <optional>

#include "base/clock.h"

namespace ff::host {

/// How far the store's time may leap before it is doubted. Zeros: as far as it likes.
struct ClockDoubts {
    /// Above it, a leap of the source is not followed for the grace, and one over a restart holds
    /// what destroys data for as long.
    Millis jump_max{0};
    Millis grace{0};
    /// After a leap leases live on for as long as it was, but no longer than this.
    Millis lease_grace_max{0};
    /// Time that passes whatever anybody sets, suspensions of the machine included; null: the
    /// system's.
    std::chrono::microseconds (*elapsed)() = nullptr;
};

/// A leap that is doubted.
struct ClockHold {
    Millis leap{0};
    /// Until it is taken for true.
    Millis left{0};
    /// It happened while the store was not running: its time has followed, and what destroys data
    /// waits. Otherwise its time has not followed.
    bool over_restart = false;
};

/// The time of a store: that of another clock, but it never goes back, and does not leap ahead
/// without being doubted. When the other one is set, time goes on from where it was, at the other's
/// pace. Any thread may call anything.
class HeldClock final : public Clock {
  public:
    /// Where leaps are doubted, somebody must read the time at least this often, to tell a leap
    /// from a time in which nobody looked.
    static constexpr std::chrono::seconds kBeat{1};

    /// `source` outlives it.
    explicit HeldClock(const Clock& source, ClockDoubts doubts = {});

    std::chrono::microseconds now_us() const override;
    /// The store was last in use then: it is that time or later from now on. Zero: nobody knows.
    void resume(std::chrono::microseconds last);
    /// What leases are judged by at `now`: it stands still while a leap is fresh, because nobody
    /// could renew a lease in the meantime.
    std::chrono::microseconds lease_time(std::chrono::microseconds now) const;
    std::optional<ClockHold> hold() const;
    /// What a later start may rely on: a leap that is still doubted is no part of it.
    const Clock& recorded() const { return recorded_; }

  private:
    class Recorded final : public Clock {
      public:
        explicit Recorded(const HeldClock& clock) : clock_(clock) {}
        std::chrono::microseconds now_us() const override;

      private:
        const HeldClock& clock_;
    };

    bool doubts() const { return doubts_.jump_max.count() > 0; }
    /// How far the store's time is ahead of a source that says `now`; behind, if negative.
    std::int64_t ahead_of(std::int64_t now) const;
    /// Compares a source that says `now` with the time that has passed.
    void look(std::int64_t now) const;
    void note_seen(std::int64_t now, std::int64_t elapsed) const;
    void doubt(std::int64_t ahead, std::int64_t jump, std::int64_t elapsed) const;
    void leap(std::int64_t from, std::int64_t to) const;
    void hold_leases(std::int64_t from, std::int64_t to) const;

    const Clock& source_;
    ClockDoubts doubts_;
    Recorded recorded_{*this};
    mutable std::atomic<std::int64_t> last_{0};
    /// When the source was last compared with the time that had passed; zero: never.
    mutable std::atomic<std::int64_t> seen_{0};
    /// Leases are judged by the first until the store's time is the second.
    mutable std::atomic<std::int64_t> leases_at_{0};
    mutable std::atomic<std::int64_t> leases_until_{0};
    /// Of a leap over a restart, by the store's time.
    std::atomic<std::int64_t> held_from_{0};
    std::atomic<std::int64_t> held_to_{0};
    std::atomic<std::int64_t> held_until_{0};

    mutable std::mutex mutex_{};
    /// Zero unless the source was set; changes under the mutex.
    mutable std::atomic<std::int64_t> ahead_{0};
    mutable std::int64_t seen_elapsed_ = 0;
    /// A leap ahead is not followed until so much time has passed.
    mutable std::int64_t doubted_until_ = 0;
};

}  // namespace ff::host
