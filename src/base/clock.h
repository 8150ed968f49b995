#pragma once

#include <atomic>
#include <chrono>

#include "base/time.h"

namespace ff {

/// Where wall-clock time comes from. Everything that decides by time takes one, so that tests and
/// simulations can hold it still.
class Clock {
  public:
    virtual ~Clock() = default;
    virtual std::chrono::microseconds now_us() const = 0;
    Timestamp now() const { return Timestamp(std::chrono::floor<Millis>(now_us())); }
};

class SystemClock final : public Clock {
  public:
    std::chrono::microseconds now_us() const override;
};

/// Stands still until told otherwise. Safe to move from another thread.
class ManualClock final : public Clock {
  public:
    explicit ManualClock(Timestamp start) : now_us_(to_ms(start) * 1000) {}
    std::chrono::microseconds now_us() const override {
        return std::chrono::microseconds(now_us_.load());
    }
    void set(Timestamp at) { now_us_ = to_ms(at) * 1000; }
    void advance(std::chrono::microseconds by) { now_us_ += by.count(); }

  private:
    std::atomic<std::int64_t> now_us_;
};

}  // namespace ff
