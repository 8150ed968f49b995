#pragma once

#include <chrono>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "base/steady_clock.h"
#include "base/task.h"
#include "base/timer.h"
#include "scan/options.h"
#include "store/store.h"

namespace ff::scan {

/// Says that a shard has a server, and takes over those that have none. What several servers scan
/// at a time is only scanned more often than needed. Lives on one loop.
class ShardWatch {
  public:
    /// All outlive it; `options.shard` is what it changes.
    ShardWatch(boost::asio::any_io_executor loop, store::Store& store, Options& options);

    /// Until stop(). Returns at once where one shard is all.
    boost::asio::awaitable<void> run();
    void stop();

  private:
    Task<Done> look();
    boost::asio::awaitable<void> leave();

    store::Store& store_;
    Options& options_;
    Timer timer_;
    SteadyClock::time_point begun_{};
    bool stopped_ = false;
};

}  // namespace ff::scan
