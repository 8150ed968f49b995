#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "client.h"

namespace ff::testing {

struct LoadOptions {
    valkey::Options client{};
    int workers = 16;
    /// The call with this number; called on the load's thread.
    std::function<store::Call(std::uint64_t number)> make{};
    /// Between two calls of one worker.
    milliseconds pause{1};
};

/// A steady load on a client of its own in a thread of its own, so that the test can kill and
/// rearrange servers meanwhile. Every call has a number; its answer is kept.
class Load {
  public:
    explicit Load(LoadOptions options);
    /// Joins.
    ~Load();

    /// Answers so far, and those among them that are values.
    std::uint64_t answered() const { return answered_; }
    std::uint64_t succeeded() const { return succeeded_; }

    /// Lets the calls under way end. Everything below is for afterwards.
    void stop();
    /// number -> the value or the kind of failure
    const std::map<std::uint64_t, std::string>& answers() const { return answers_; }
    std::map<std::string, int> failures() const;
    /// The longest time from a call to its answer.
    milliseconds slowest() const { return slowest_; }
    const CountingProbe& probe() const { return probe_; }

  private:
    void run_thread();
    boost::asio::awaitable<void> worker(store::Store& store);

    LoadOptions options_;
    std::atomic<bool> stopping_ = false;
    std::atomic<std::uint64_t> answered_ = 0;
    std::atomic<std::uint64_t> succeeded_ = 0;
    std::uint64_t next_ = 0;
    std::map<std::uint64_t, std::string> answers_{};
    std::map<std::uint64_t, bool> failed_{};
    milliseconds slowest_{0};
    CountingProbe probe_{};
    std::thread thread_;
};

}  // namespace ff::testing
