#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "flowfabric/result.h"
#include "sdk/door.h"

namespace ff::sdk {

struct TaskState;

/// Renews the leases of one worker's tasks, all that are due in one call, on a thread of its own;
/// and keeps its registration alive.
class LeaseKeeper {
  public:
    struct Options {
        std::shared_ptr<Door> door{};
        std::string worker_id{};
        std::string worker_instance_id{};
        flowfabric::Millis lease_ttl{30'000};
        /// Called on the thread every third of the lease's life.
        std::function<void()> heartbeat{};
    };

    explicit LeaseKeeper(Options options);
    /// As stop().
    ~LeaseKeeper();

    void start();
    /// Nothing is renewed any more when this returns.
    void stop();
    void watch(const std::shared_ptr<TaskState>& task);
    void forget(const TaskState* task);

  private:
    using Time = std::chrono::steady_clock::time_point;
    struct Watched {
        std::weak_ptr<TaskState> task{};
        Time due{};
    };

    void run(const std::stop_token& stopped);
    /// What is due now; its next turn is set.
    std::vector<std::shared_ptr<TaskState>> take_due(Time now);
    void renew(const std::vector<std::shared_ptr<TaskState>>& tasks);
    void renew_batch(const std::vector<std::shared_ptr<TaskState>>& tasks);

    Options options_;
    std::mutex mutex_{};
    std::condition_variable_any changed_{};
    /// The keys are compared, never followed: a task may be gone without a word.
    std::unordered_map<const TaskState*, Watched> watched_{};
    Time heartbeat_due_{};
    std::jthread thread_{};
};

}  // namespace ff::sdk
