#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/virtual_time.h"

namespace ff {

/// As boost::asio::steady_timer, but it waits for the virtual time of a simulation where it was
/// made in one. Every room that waits does it with this.
class Timer {
  public:
    using time_point = SteadyClock::time_point;
    using duration = SteadyClock::duration;

    explicit Timer(boost::asio::any_io_executor executor)
        : Timer(std::move(executor), time_point()) {}
    Timer(boost::asio::any_io_executor executor, time_point at);
    Timer(boost::asio::any_io_executor executor, duration after)
        : Timer(std::move(executor), SteadyClock::now() + after) {}
    ~Timer() { cancel(); }
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

    /// Both end all waits with `operation_aborted`.
    void expires_at(time_point at);
    void expires_after(duration after) { expires_at(SteadyClock::now() + after); }
    /// The same.
    void cancel();

    template <class Token>
    auto async_wait(Token&& token) {
        return boost::asio::async_initiate<Token, void(boost::system::error_code)>(
            [](auto handler, Timer* timer) { timer->wait(std::move(handler)); }, token, this);
    }

  private:
    template <class Handler>
    class HandlerWait final : public VirtualTime::Wait {
      public:
        HandlerWait(Handler handler, boost::asio::any_io_executor executor)
            : handler_(std::move(handler)), executor_(std::move(executor)) {}
        void end(boost::system::error_code outcome) override {
            auto slot = boost::asio::get_associated_cancellation_slot(handler_);
            if (slot.is_connected()) slot.clear();
            auto executor = boost::asio::get_associated_executor(handler_, executor_);
            boost::asio::post(executor, [handler = std::move(handler_), outcome]() mutable {
                std::move(handler)(outcome);
            });
        }

      private:
        Handler handler_;
        boost::asio::any_io_executor executor_;
    };

    template <class Handler>
    void wait(Handler handler) {
        if (real_.has_value()) return real_->async_wait(std::move(handler));
        auto slot = boost::asio::get_associated_cancellation_slot(handler);
        const VirtualTime::Place place =
            add(std::make_unique<HandlerWait<Handler>>(std::move(handler), executor_));
        if (slot.is_connected()) slot.assign(Cancel{place});
    }

    /// Ends one wait when its coroutine is cancelled.
    struct Cancel {
        VirtualTime::Place place;
        void operator()(boost::asio::cancellation_type) const { abort(place); }
    };
    static void abort(const VirtualTime::Place& place);
    VirtualTime::Place add(std::unique_ptr<VirtualTime::Wait> wait);

    std::optional<boost::asio::steady_timer> real_{};  // but in a simulation
    boost::asio::any_io_executor executor_;
    time_point at_;
    std::vector<VirtualTime::Place> places_{};
};

}  // namespace ff
