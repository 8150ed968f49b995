#pragma once

#include <chrono>
#include <memory>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "base/random.h"
#include "base/steady_clock.h"
#include "base/task.h"
#include "base/timer.h"
#include "scan/cycle.h"
#include "scan/scanner.h"

namespace ff::scan {

/// Runs one scanner: a cycle an interval, and between cycles whenever something of its falls due
/// or it is nudged. After a failure it begins again. Lives on one loop.
class Loop {
  public:
    static constexpr std::chrono::seconds kPauseAfterError{1};
    static constexpr std::chrono::seconds kPauseAfterCrash{5};
    /// Between cycles that are begun before their time.
    static constexpr Millis kCyclesApart{250};

    Loop(boost::asio::any_io_executor executor, Random& random, Ground& ground,
         std::unique_ptr<Scanner> scanner);

    /// Until the ground says that it is stopping.
    boost::asio::awaitable<void> run();
    /// One cycle, now. Not while `run` is under way.
    Task<Done> run_once();
    /// What is due by now. Not while `run` is under way.
    Task<Done> run_due();

    /// Serves what is due or asked for without waiting for the cycle.
    void nudge();
    /// The next cycle begins as soon as may be.
    void begin_again();
    /// To be called after the ground was told to stop.
    void wake();
    void hear(const Announcement& announcement);
    Scanner& scanner() { return *scanner_; }

  private:
    using SteadyTime = SteadyClock::time_point;

    /// Answers errors and whatever was thrown with a pause.
    boost::asio::awaitable<std::chrono::milliseconds> attempt(bool full);
    Task<Done> one(bool full);
    Task<Timestamp> store_time();
    boost::asio::awaitable<void> wait();
    SteadyTime due_time() const;
    /// Whether the scanner may do nothing at the moment.
    bool is_held() const;

    Random& random_;
    Ground& ground_;
    std::unique_ptr<Scanner> scanner_;
    Setbacks setbacks_{};
    Timer timer_;
    SteadyTime next_cycle_{};
    SteadyTime last_cycle_{};
    /// Neither a cycle nor anything else before that: something has failed.
    SteadyTime not_before_{};
    bool nudged_ = false;
    bool waiting_ = false;
    /// What to add to the steady clock's time to get the store's.
    Millis store_ahead_{0};
    bool store_ahead_known_ = false;
};

}  // namespace ff::scan
