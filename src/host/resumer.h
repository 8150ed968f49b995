#pragma once

#include <optional>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace ff::host {

/// A coroutine that waits for a shard. It lives in the coroutine's own frame, so waiting costs no
/// allocation.
class Resumable {
  public:
    using Handler = boost::asio::async_result<boost::asio::use_awaitable_t<>, void()>::handler_type;

    Resumable() = default;
    virtual ~Resumable() = default;
    Resumable(const Resumable&) = delete;
    Resumable& operator=(const Resumable&) = delete;

    /// The handler of the coroutine, and the executor it goes on with.
    void suspend(Handler handler);
    const boost::asio::any_io_executor& executor() const { return executor_; }
    /// On the coroutine's executor. This object is gone afterwards.
    void resume();
    /// Ends the coroutine without running it, because its executor is going down.
    void drop();

  private:
    friend class Resumer;
    friend class ResumeList;
    std::optional<Handler> handler_{};
    boost::asio::any_io_executor executor_{};
    Resumable* next_ = nullptr;
};

/// Gathers coroutines that may go on and wakes each executor once for all of its own.
class Resumer {
  public:
    Resumer() = default;
    /// Posts what was gathered.
    ~Resumer();
    Resumer(const Resumer&) = delete;
    Resumer& operator=(const Resumer&) = delete;

    /// In order, for each executor.
    void add(Resumable& waiting);

  private:
    struct Queue {
        boost::asio::any_io_executor executor{};
        Resumable* first = nullptr;
        Resumable* last = nullptr;
    };
    std::vector<Queue> queues_{};
};

}  // namespace ff::host
