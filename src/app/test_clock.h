#pragma once

#include <atomic>
#include <chrono>

#include "base/clock.h"
#include "base/result.h"

namespace ff::app {

/// The machine's clock and what a test has added to it (FF_TEST_CLOCK). Any thread may call
/// anything.
class TestClock final : public Clock {
  public:
    /// Of all advances together: about a hundred years, so that no sum of times overflows.
    static constexpr std::chrono::days kAdvancedMost{36'500};

    std::chrono::microseconds now_us() const override {
        return system_.now_us() + std::chrono::microseconds(advanced_us_.load());
    }
    /// Moves the time ahead at once. Returns how far it is ahead of the machine's clock now;
    /// refuses more than `kAdvancedMost` in all.
    Result<Millis> advance(Millis by);

  private:
    SystemClock system_{};
    std::atomic<std::int64_t> advanced_us_{0};
};

}  // namespace ff::app
