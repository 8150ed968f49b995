#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "base/deadline.h"
#include "base/task.h"
#include "base/task_group.h"
#include "base/timer.h"
#include "engine/flow_cancel.h"
#include "model/ids.h"
#include "model/partition.h"
#include "store/store.h"

namespace ff::service {

struct FlowCancelOptions {
    model::PartitionConfig partitions{};
    /// Flows whose members are being cancelled at a time.
    std::size_t flows_at_once_max = 16;
    /// Flows that wait for their turn. One more is left to the reconciler: its members are owed.
    std::size_t queue_max = 1'024;
    std::int64_t members_per_call = 500;
    /// Between attempts of one call; the last is the limit, not slept.
    std::vector<Millis> retry_pauses{Millis(100), Millis(500), Millis(2'000)};
};

/// What is left of a cancel after some passes over the owed members.
struct CancelPass {
    std::int64_t owed = 0;
    std::int64_t draining = 0;
    /// Members whose cancel raised an error.
    std::vector<std::string> failed{};
    /// The deadline passed first.
    bool timed_out = false;

    bool only_draining() const { return !timed_out && failed.empty() && owed == draining; }
};

/// Cancels the members that cancelled flows owe, in the background, each flow once at a time. What
/// it drops or cannot finish stays owed in the store, where any server's reconciler finds it. Lives
/// on one loop.
class FlowCancels {
  public:
    FlowCancels(boost::asio::any_io_executor loop, store::Store& store, FlowCancelOptions options);

    /// Passes over the owed members until nothing is owed, a whole pass cancels nobody, or the
    /// deadline. Errors that may pass are tried again.
    Task<CancelPass> run(model::FlowId flow, Deadline deadline);
    /// Does the same later, unless the flow is in hand already or too many wait.
    void dispatch(const model::FlowId& flow);

    /// Lets what is in hand finish until the deadline, then drops it. Nothing may be dispatched
    /// afterwards. False when something was dropped.
    boost::asio::awaitable<bool> stop(Deadline deadline);

    std::size_t running() const { return running_; }
    std::size_t waiting() const { return queue_.size(); }

  private:
    Task<engine::CancelFlowMembers::Outcome> call_patiently(engine::CancelFlowMembers call,
                                                            Deadline deadline);
    boost::asio::awaitable<void> serve(model::FlowId flow);
    void pump();

    boost::asio::any_io_executor loop_;
    store::Store& store_;
    FlowCancelOptions options_;
    std::deque<model::FlowId> queue_{};
    /// Waiting or running.
    std::set<model::FlowId> in_hand_{};
    std::size_t running_ = 0;
    bool stopped_ = false;
    /// Cancelled whenever a flow is done.
    Timer progress_;
    TaskGroup tasks_;
};

}  // namespace ff::service
