#pragma once

#include <chrono>

#include <boost/asio/awaitable.hpp>

#include "base/steady_clock.h"
#include "base/time.h"

namespace ff::scan {

/// Lets upkeep give way: after each piece it rests 399 times as long as the piece took, so that
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
    /// The piece that began when the last rest ended is done.
    boost::asio::awaitable<void> rest();

  private:
    SteadyClock::time_point piece_began_ = SteadyClock::now();
};

}  // namespace ff::scan
