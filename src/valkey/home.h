#pragma once

#include <memory>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/task_group.h"

namespace ff::valkey {

/// The one loop that a store lives on, for callers that may be on others.
class Home {
  public:
    explicit Home(boost::asio::any_io_executor loop)
        : loop_(std::move(loop)), visitors_(loop_, "valkey calls from elsewhere") {}

    const boost::asio::any_io_executor& loop() const { return loop_; }

    /// Whether this is the loop's thread.
    bool here() const {
        const auto* known = loop_.target<boost::asio::io_context::executor_type>();
        return known != nullptr && known->running_in_this_thread();
    }

    /// Does the work on the loop; the caller goes on where it was. At home that is the work itself.
    /// From elsewhere it is not cancelled with its caller: it ends by its own deadline.
    template <class T>
    boost::asio::awaitable<T> bring(boost::asio::awaitable<T> work) {
        if (here()) return work;
        return from_elsewhere(std::move(work));
    }

    /// Returns when the work of all who came from elsewhere has ended. On the loop.
    boost::asio::awaitable<void> join() { return visitors_.join(); }

  private:
    /// `stay` keeps the caller's loop from running dry while its only coroutine is away. It ends
    /// there, with the answer: once that is out, the loop may be gone.
    template <class T, class Handler, class Guard>
    static boost::asio::awaitable<void> deliver(boost::asio::awaitable<T> work, Handler handler,
                                                Guard stay) {
        co_await boost::asio::this_coro::throw_if_cancelled(false);
        T value = co_await std::move(work);
        const auto executor = boost::asio::get_associated_executor(handler);
        auto resume = [to = std::move(handler), answer = std::move(value),
                       held = std::move(stay)]() mutable { std::move(to)(std::move(answer)); };
        boost::asio::post(executor, std::move(resume));
    }

    struct Visit {
        template <class Handler, class T>
        void operator()(Handler handler, Home* home, boost::asio::awaitable<T> work) const {
            auto busy = boost::asio::make_work_guard(boost::asio::get_associated_executor(handler));
            boost::asio::post(home->loop_, [home, stay = std::move(busy), from = std::move(handler),
                                            errand = std::move(work)]() mutable {
                home->visitors_.spawn(deliver(std::move(errand), std::move(from), std::move(stay)));
            });
        }
    };

    template <class T>
    boost::asio::awaitable<T> from_elsewhere(boost::asio::awaitable<T> work) {
        Home* home = this;
        co_return co_await boost::asio::async_initiate<const boost::asio::use_awaitable_t<>,
                                                       void(T)>(Visit(), boost::asio::use_awaitable,
                                                                home, std::move(work));
    }

    boost::asio::any_io_executor loop_;
    TaskGroup visitors_;
};

}  // namespace ff::valkey
