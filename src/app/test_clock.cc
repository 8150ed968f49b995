#include "app/test_clock.h"

#include "base/error.h"

namespace ff::app {

Result<Millis> TestClock::advance(Millis by) {
    std::int64_t advanced = advanced_us_.load();
    for (;;) {
        const std::chrono::microseconds sum = std::chrono::microseconds(advanced) + by;
        if (sum > kAdvancedMost)
            return invalid_input("advance_ms", "all advances together are at most 36500 days");
        if (advanced_us_.compare_exchange_weak(advanced, sum.count()))
            return std::chrono::floor<Millis>(sum);
    }
}

}  // namespace ff::app
