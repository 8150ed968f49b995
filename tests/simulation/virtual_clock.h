#pragma once

#include "base/clock.h"
#include "base/steady_clock.h"

namespace ff::simulation {

/// Virtual time began here.
constexpr SteadyClock::time_point kBegin{std::chrono::hours(1)};
constexpr std::int64_t kBeginMs = 1'700'000'000'000;

/// The wall clock of one machine: virtual time, and how far that machine is off.
class VirtualClock final : public Clock {
  public:
    explicit VirtualClock(Millis skew = Millis(0)) : skew_(skew) {}
    /// Somebody sets it forward, or back.
    void jump(Millis span) { skew_ += span; }
    std::chrono::microseconds now_us() const override {
        return std::chrono::duration_cast<std::chrono::microseconds>(SteadyClock::now() - kBegin) +
               Millis(kBeginMs) + skew_;
    }

  private:
    Millis skew_;
};

}  // namespace ff::simulation
