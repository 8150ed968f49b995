#include "valkey/event.h"

#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace ff::valkey {

namespace asio = boost::asio;

struct Event::Timer {
    asio::steady_timer timer;
};

Event::Event(asio::any_io_executor loop)
    : timer_(std::make_unique<Timer>(Timer{asio::steady_timer(std::move(loop))})) {}

Event::~Event() = default;

void Event::notify() {
    noticed_ = true;
    timer_->timer.cancel();
}

asio::awaitable<void> Event::wait(Deadline deadline) {
    if (!noticed_) {
        timer_->timer.expires_at(deadline.at());
        constexpr auto kAwait = asio::as_tuple(asio::use_awaitable);
        co_await timer_->timer.async_wait(kAwait);
    }
    noticed_ = false;
}

}  // namespace ff::valkey
