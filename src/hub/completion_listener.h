#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "base/result.h"
#include "base/steady_clock.h"
#include "base/task.h"
#include "base/task_group.h"
#include "base/time.h"
#include "base/timer.h"
#include "hub/probe.h"
#include "model/execution_id.h"
#include "model/ids.h"
#include "model/partition.h"
#include "store/store.h"

namespace ff::hub {

/// A member of a flow that has ended.
struct Completion {
    model::ExecutionId execution_id;
    model::FlowId flow_id;

    /// What `ff:dag:completions` carries. Unknown members are ignored; ids that do not parse or do
    /// not fit the partitions are an error.
    static Result<Completion> parse(std::string_view message,
                                    const model::PartitionConfig& partitions);
};

/// Moves a flow on after one of its members has ended. May be asked twice for the same.
class Cascade {
  public:
    virtual ~Cascade() = default;
    virtual Task<Done> run(Completion completion) = 0;
};

/// By `ff_cascade_completion`, page after page.
class StoreCascade final : public Cascade {
  public:
    StoreCascade(store::Store& store, model::PartitionConfig partitions)
        : store_(store), partitions_(partitions) {}
    Task<Done> run(Completion completion) override;

  private:
    store::Store& store_;
    model::PartitionConfig partitions_;
};

struct ListenerOptions {
    model::PartitionConfig partitions{};
    std::size_t concurrency = 32;
    /// Completions that wait for their turn. When there are so many, messages are not read.
    std::size_t queue_max = 1024;
    /// Between attempts to subscribe.
    Millis subscribe_pause{1'000};
    std::vector<Millis> retry_pauses{Millis(100), Millis(500), Millis(2'000)};
    /// Of the unfinished cascades of one partition, how many one pass takes up.
    std::int64_t pending_max = 1'000;
    /// Outlives the listener.
    Probe* probe = &no_probe();
};

/// Runs a cascade for every completion that is published, and, when messages may have been missed,
/// for all that are marked as pending. A message is a hint: what is lost is found by the drainer.
/// Lives on one loop.
class CompletionListener {
  public:
    CompletionListener(boost::asio::any_io_executor loop, store::Store& store, Cascade& cascade,
                       ListenerOptions options);

    void start();
    boost::asio::awaitable<void> stop();

    std::size_t running() const { return running_; }
    std::uint64_t done() const { return done_; }
    std::uint64_t failed() const { return failed_; }
    std::uint64_t malformed() const { return malformed_; }
    /// How often it looked for what it may have missed.
    std::uint64_t passes() const { return passes_; }

  private:
    using Steady = SteadyClock;
    struct Queued {
        Completion completion;
        Steady::time_point since{};
    };
    enum class Progress : std::uint8_t { Queued, Running, RunningAndAgain };

    boost::asio::awaitable<void> listen();
    /// Until the subscription ends.
    boost::asio::awaitable<void> follow(store::Subscription& subscription);
    boost::asio::awaitable<void> take_up_pending();
    boost::asio::awaitable<void> take_up_members(std::vector<model::ExecutionId> members);
    /// Waits for room.
    boost::asio::awaitable<void> enqueue(Completion completion);
    void pump();
    boost::asio::awaitable<void> serve(Queued queued);
    boost::asio::awaitable<void> pause(Millis span);

    boost::asio::any_io_executor loop_;
    store::Store& store_;
    Cascade& cascade_;
    ListenerOptions options_;
    std::deque<Queued> queue_{};
    std::map<model::ExecutionId, Progress> progress_{};
    /// Cancelled when the queue shrinks.
    Timer room_;
    std::size_t running_ = 0;
    std::uint64_t done_ = 0;
    std::uint64_t failed_ = 0;
    std::uint64_t malformed_ = 0;
    std::uint64_t passes_ = 0;
    bool stopped_ = false;
    TaskGroup tasks_;
};

}  // namespace ff::hub
