#include "flowfabric/async.h"

#include <deque>
#include <thread>
#include <vector>

namespace flowfabric::detail {
namespace {

/// Calls block, so each has a thread to itself while it runs; threads stay for the next calls.
/// The end of the program waits for what is under way.
class CallThreads {
  public:
    static constexpr std::size_t kThreadsMax = 1024;

    ~CallThreads() {
        {
            const std::lock_guard lock(mutex_);
            closed_ = true;
        }
        changed_.notify_all();
        for (std::thread& thread : threads_) thread.join();
    }

    bool run(std::function<void()> call) {
        const std::lock_guard lock(mutex_);
        if (closed_) return false;
        if (idle_ == calls_.size()) {
            if (threads_.size() == kThreadsMax) return false;
            threads_.emplace_back([this] { serve(); });
            ++idle_;
        }
        calls_.push_back(std::move(call));
        changed_.notify_one();
        return true;
    }

  private:
    void serve() {
        std::unique_lock lock(mutex_);
        while (true) {
            changed_.wait(lock, [this] { return closed_ || !calls_.empty(); });
            if (calls_.empty()) return;
            std::function<void()> call = std::move(calls_.front());
            calls_.pop_front();
            --idle_;
            lock.unlock();
            call();
            call = nullptr;
            lock.lock();
            ++idle_;
        }
    }

    std::mutex mutex_{};
    std::condition_variable changed_{};
    std::deque<std::function<void()>> calls_{};
    /// Threads that run nothing; at least one for every call in the queue.
    std::size_t idle_ = 0;
    bool closed_ = false;
    std::vector<std::thread> threads_{};
};

CallThreads& call_threads() {
    static CallThreads threads;
    return threads;
}

}  // namespace

bool run_async(std::function<void()> call) {
    return call_threads().run(std::move(call));
}

Error too_many_calls() {
    return {.code = "too_many_requests",
            .cls = ErrorClass::Retryable,
            .kind = "too_many_requests",
            .message = "as many calls as there may be are under way"};
}

}  // namespace flowfabric::detail
