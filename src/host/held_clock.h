#pragma once

#include <atomic>
#include <mutex>

#include "base/clock.h"

namespace ff::host {

/// The time of a store: that of another clock, but it never goes back. When the other one is set
/// back, time goes on from where it was, at the other's pace. Any thread may call anything.
class HeldClock final : public Clock {
  public:
    /// `source` outlives it.
    explicit HeldClock(const Clock& source) : source_(source) {}

    std::chrono::microseconds now_us() const override;
    /// From now on it is `floor` or later.
    void raise(std::chrono::microseconds floor);

  private:
    /// How far the store's time is ahead of a source that says `now`.
    std::int64_t ahead_of(std::int64_t now) const;

    const Clock& source_;
    mutable std::atomic<std::int64_t> last_{0};
    mutable std::mutex mutex_{};
    /// Zero unless the source was set back; changes under the mutex.
    mutable std::atomic<std::int64_t> ahead_{0};
};

}  // namespace ff::host
