#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include "app/instance.h"
#include "base/task_group.h"
#include "flowfabric/engine.h"

namespace ff::embed {

/// A server without HTTP on a thread of its own, for the program around it. The thread owns the
/// loop; everything of the instance lives there.
class LocalEngine {
  public:
    static flowfabric::Result<std::shared_ptr<LocalEngine>> open(app::Settings settings);
    /// As stop().
    ~LocalEngine();

    /// Ends waits, lets calls under way finish, closes the store. Once; later calls return at once.
    void stop();
    bool stopped() const { return stopped_; }

    /// Runs on the loop, if the engine still runs; `work` becomes a task of the engine. False
    /// when it has stopped.
    bool spawn(std::function<boost::asio::awaitable<void>(app::Instance&)> work);
    boost::asio::io_context& loop() { return loop_; }
    /// Any thread.
    void note_at_capacity() { instance_.note_at_capacity(); }

    /// Runs the task on the loop and waits for its value.
    template <class T>
    flowfabric::Result<T> wait_for(
        std::function<boost::asio::awaitable<Result<T>>(app::Instance&)> work);

  private:
    explicit LocalEngine(app::Settings settings);
    boost::asio::awaitable<void> boot(std::optional<Result<Done>>& started);
    boost::asio::awaitable<void> shut_down();

    boost::asio::io_context loop_{1};
    std::optional<boost::asio::executor_work_guard<boost::asio::io_context::executor_type>> busy_;
    app::Instance instance_;
    TaskGroup tasks_;
    std::mutex mutex_{};
    bool stopped_ = false;
    std::thread thread_{};
};

/// Where a waiting thread finds what the loop made for it.
template <class T>
class Promise {
  public:
    /// Whoever calls it keeps the promise until it returns: the waiter may be gone by then.
    void set(T value) {
        {
            const std::lock_guard lock(mutex_);
            value_.emplace(std::move(value));
        }
        // Outside: whoever wakes finds the lock free.
        set_.notify_all();
    }
    T wait() {
        std::unique_lock lock(mutex_);
        set_.wait(lock, [this] { return value_.has_value(); });
        return *std::move(value_);
    }
    /// Nothing when it was not there in time; wait() may follow.
    std::optional<T> wait_until(std::chrono::steady_clock::time_point until) {
        std::unique_lock lock(mutex_);
        if (!set_.wait_until(lock, until, [this] { return value_.has_value(); }))
            return std::nullopt;
        return *std::move(value_);
    }

  private:
    std::mutex mutex_{};
    std::condition_variable set_{};
    std::optional<T> value_{};
};

/// What every call gets once the engine has stopped.
flowfabric::Error shutting_down();
flowfabric::Error public_error(const Error& error);

template <class T>
boost::asio::awaitable<void> keep_result(boost::asio::awaitable<Result<T>> work,
                                         std::shared_ptr<Promise<Result<T>>> promise) {
    Result<T> result = co_await std::move(work);
    promise->set(std::move(result));
}

template <class T>
flowfabric::Result<T> LocalEngine::wait_for(
    std::function<boost::asio::awaitable<Result<T>>(app::Instance&)> work) {
    auto promise = std::make_shared<Promise<Result<T>>>();
    const bool runs = spawn([work = std::move(work), promise](app::Instance& instance) {
        return keep_result(work(instance), promise);
    });
    if (!runs) return shutting_down();
    Result<T> result = promise->wait();
    if (!result.has_value()) return public_error(result.error());
    return *std::move(result);
}

}  // namespace ff::embed
