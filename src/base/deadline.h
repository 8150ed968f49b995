#pragma once

#include <algorithm>
#include <chrono>

#include "base/steady_clock.h"

namespace ff {

/// A point in time by which an operation must have answered. Handed down unchanged, so that no
/// layer adds a timeout of its own on top.
class Deadline {
  public:
    static Deadline after(std::chrono::milliseconds span) {
        return Deadline(SteadyClock::now() + span);
    }
    static Deadline never() { return Deadline(SteadyClock::time_point::max()); }

    bool is_never() const { return at_ == SteadyClock::time_point::max(); }
    bool passed() const { return SteadyClock::now() >= at_; }
    SteadyClock::time_point at() const { return at_; }
    /// Never negative.
    SteadyClock::duration remaining() const {
        return std::max(at_ - SteadyClock::now(), SteadyClock::duration::zero());
    }

  private:
    explicit Deadline(SteadyClock::time_point at) : at_(at) {}
    SteadyClock::time_point at_;
};

}  // namespace ff
