#pragma once

#include <memory>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "base/clock.h"
#include "base/deadline.h"
#include "base/random.h"
#include "hub/completion_listener.h"
#include "scan/options.h"
#include "scan/probe.h"
#include "scan/scanners.h"
#include "sched/claimer.h"
#include "store/store.h"

namespace ff::app {

struct BackgroundOptions {
    /// False: this server answers requests only.
    bool scanners = true;
    scan::Options scan{};
    bool completion_listener = true;
    std::size_t dispatch_concurrency = 32;
    /// Outlives the background.
    hub::Probe* listener_probe = &hub::no_probe();
};

/// What a server does of its own accord: scanners, and flows that go on when a member has ended.
/// Lives on one loop; everything given outlives it.
class Background {
  public:
    Background(boost::asio::any_io_executor loop, store::Store& store, const Clock& clock,
               Random& random, sched::Claimer& claimer, BackgroundOptions options,
               scan::Probe& probe);

    void start();
    /// The store's time was moved: scanners look for what fell due.
    void time_moved();
    /// Lets everything finish its current item; false if the grace was not enough.
    boost::asio::awaitable<bool> stop(Deadline grace);

  private:
    hub::StoreCascade cascade_;
    std::unique_ptr<scan::Scanners> scanners_{};
    std::unique_ptr<hub::CompletionListener> listener_{};
};

}  // namespace ff::app
