#pragma once

#include <atomic>
#include <mutex>

#include "base/clock.h"

namespace ff::host {

/// The time of a store: that of another clock, but it never goes back. While the other one is
/// behind, time goes on from where it was, at the other's pace. Any thread may call anything.
class HeldClock final : public Clock {
  public:
    /// `source` outlives it.
    explicit HeldClock(const Clock& source) : source_(source) {}

    std::chrono::microseconds now_us() const override;
    /// It is at least so late.
    void raise(std::chrono::microseconds floor);

  private:
    std::chrono::microseconds ahead_of(std::chrono::microseconds now) const;

    const Clock& source_;
    mutable std::atomic<std::int64_t> last_{0};
    mutable std::mutex mutex_{};
    /// How far the source is behind.
    mutable std::atomic<std::int64_t> ahead_{0};
};

}  // namespace ff::host
