#pragma once

#include <chrono>

namespace ff {

class VirtualTime;

/// The machine's steady clock, or the virtual one while this thread runs a simulation. What waits
/// or measures reads this clock; its points in time are those of the standard clock.
struct SteadyClock {
    using duration = std::chrono::steady_clock::duration;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::steady_clock::time_point;
    static constexpr bool is_steady = true;

    static time_point now() noexcept {
        return virtual_time == nullptr ? std::chrono::steady_clock::now() : virtual_now();
    }

  private:
    friend class VirtualTime;
    friend class Timer;
    static time_point virtual_now() noexcept;

    /// Of this thread; empty but in a simulation.
    static inline constinit thread_local VirtualTime* virtual_time = nullptr;
};

}  // namespace ff
