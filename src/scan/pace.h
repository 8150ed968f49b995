#pragma once

#include <chrono>
#include <cstddef>

#include <boost/asio/awaitable.hpp>

#include "base/steady_clock.h"
#include "base/time.h"

namespace ff::scan {

/// Lets upkeep give way: after each 100 executions it rests 399 times as long as they took, so that
/// looking through everything takes a quarter of a percent of an idle store, however much there is,
/// and less of a busy one, which answers later. Lives as long as one cycle.
class Pace {
  public:
    using Span = SteadyClock::duration;

    /// Executions dealt with at a time: a caller waits behind no more than that.
    static constexpr std::size_t kPiece = 100;
    /// However busy the store, so many pieces a second are looked at.
    static constexpr Millis kRestMost{1'000};

    static Span rest_after(Span worked);
    /// So many more are done. Rests once there are as many as make a piece: what is only a few
    /// executions in all is looked through at once.
    boost::asio::awaitable<void> done(std::size_t count);

  private:
    std::size_t since_rest_ = 0;
    SteadyClock::time_point piece_began_ = SteadyClock::now();
};

}  // namespace ff::scan
