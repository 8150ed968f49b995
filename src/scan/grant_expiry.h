#pragma once

#include <map>
#include <string>
#include <utility>

#include <boost/asio/any_io_executor.hpp>

#include "base/clock.h"
#include "base/timer.h"
#include "scan/options.h"
#include "scan/scanner.h"

namespace ff::scan {

/// Wakes a waiting claim of this server when a grant has run out: if it was not used, its execution
/// may be claimed again, and nothing in the store changes at that moment (spec 00, ruling 29).
/// Every server does this for its own waiters, whatever its shard. Lives on one loop.
class GrantExpiry {
  public:
    /// More grants than that are left to the sweep of the waiting claims.
    static constexpr std::size_t kGrantsMax = 10'000;

    GrantExpiry(boost::asio::any_io_executor loop, const Clock& clock, const Options& options);

    /// True if it tells of a grant.
    bool announced(const Announcement& announcement);
    /// The clock was moved: looks again.
    void time_moved() { arm(); }
    void stop();

  private:
    void arm();
    void ring();

    const Clock& clock_;
    const Options& options_;
    Timer timer_;
    /// By the time at which they run out: lane and partition.
    std::multimap<Timestamp, std::pair<std::string, std::uint16_t>> grants_{};
    bool stopped_ = false;
};

}  // namespace ff::scan
