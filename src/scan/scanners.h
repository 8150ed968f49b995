#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "base/clock.h"
#include "base/deadline.h"
#include "base/random.h"
#include "base/task.h"
#include "base/task_group.h"
#include "scan/cycle.h"
#include "scan/loop.h"
#include "scan/options.h"
#include "scan/probe.h"
#include "scan/scanner.h"
#include "store/store.h"

namespace ff::scan {

class CancelReconciler;
class FlowProjector;
class GrantExpiry;
class ShardWatch;
class Unblock;

/// All scanners of a server (docs/internals/scanners.md). Everything it does may be done by other
/// servers at the same time. Lives on one loop: construct, call and destroy it there.
class Scanners {
  public:
    /// Everything given outlives it.
    Scanners(boost::asio::any_io_executor loop, store::Store& store, const Clock& clock,
             Random& random, Options options, Probe& probe);
    ~Scanners();

    void start();
    /// Lets every scanner finish its current item; after the grace they leave at their next wait.
    /// Returns when all have left; false if the grace was not enough.
    boost::asio::awaitable<bool> stop(Deadline grace);

    /// One cycle of one scanner, now, whatever its interval says. Only while not started.
    Task<Done> run_once(Kind kind);
    /// What a scanner knows to be due by now. Only while not started.
    Task<Done> run_due(Kind kind);
    /// The scanner serves what was asked of it without waiting for its next cycle.
    void nudge(Kind kind);
    /// The store's time is another than they know: each begins a cycle as soon as may be.
    void time_moved();
    /// True once messages of functions are heard.
    bool listening() const { return listening_; }
    const Shard& shard() const { return options_.shard; }

  private:
    boost::asio::awaitable<void> listen();
    boost::asio::awaitable<void> follow(store::Subscription& subscription);
    void hear(const store::Notice& notice);
    /// A cycle of those whom messages concern.
    void make_up_for_lost_messages();
    void hear_due(const std::string& message);
    void hear_flow(const std::string& message);
    Loop& loop_of(Kind kind);
    void add(std::unique_ptr<Scanner> scanner);

    boost::asio::any_io_executor executor_;
    Random& random_;
    Options options_;
    Territory territory_;
    Ground ground_;
    std::map<Kind, std::unique_ptr<Loop>> loops_{};
    /// Owned by their loops.
    Unblock* unblock_ = nullptr;
    CancelReconciler* cancels_ = nullptr;
    FlowProjector* projector_ = nullptr;
    std::unique_ptr<GrantExpiry> grants_;
    std::unique_ptr<ShardWatch> shards_;
    TaskGroup tasks_;
    /// What waits for messages; cancelled by a stop, unlike the scanners themselves.
    TaskGroup listener_;
    bool listening_ = false;
};

}  // namespace ff::scan
