#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include <boost/system/error_code.hpp>

#include "base/steady_clock.h"

namespace ff {

/// Time that passes only when it is told to, for everything this thread does between construction
/// and destruction: SteadyClock shows it, and every Timer made meanwhile waits for it. Timers that
/// are due at the same moment end in the order in which they began to wait.
class VirtualTime {
  public:
    using TimePoint = SteadyClock::time_point;

    /// The completion of one wait; called once, or destroyed with the time itself.
    class Wait {
      public:
        virtual ~Wait() = default;
        /// Hands the outcome to the waiting one's executor.
        virtual void end(boost::system::error_code outcome) = 0;
    };
    using Place = std::pair<TimePoint, std::uint64_t>;

    /// One at a time for each thread.
    explicit VirtualTime(TimePoint start);
    ~VirtualTime();
    VirtualTime(const VirtualTime&) = delete;
    VirtualTime& operator=(const VirtualTime&) = delete;

    TimePoint now() const { return now_; }
    /// Goes to the moment of the next timer and ends all waits that are due then. False if nothing
    /// waits for a moment that will come.
    bool advance();

    /// For timers: adds a wait, and takes one out that has not ended.
    Place add(TimePoint until, std::unique_ptr<Wait> wait);
    std::unique_ptr<Wait> remove(const Place& place);

  private:
    TimePoint now_;
    std::uint64_t next_ = 0;
    std::map<Place, std::unique_ptr<Wait>> waits_{};
};

}  // namespace ff
