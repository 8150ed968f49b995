#pragma once

#include <memory>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "base/deadline.h"

namespace ff::valkey {

/// Wakes the one coroutine that waits for it. Lives on one loop.
class Event {
  public:
    explicit Event(boost::asio::any_io_executor loop);
    ~Event();

    /// A notice while nobody waits is kept for the next who does.
    void notify();
    /// Returns at a notice, at the deadline, or when the coroutine is cancelled.
    boost::asio::awaitable<void> wait(Deadline deadline);

  private:
    struct Timer;
    std::unique_ptr<Timer> timer_;
    bool noticed_ = false;
};

}  // namespace ff::valkey
