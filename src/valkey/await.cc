#include "valkey/await.h"

#include <algorithm>
#include <utility>

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "store/reply_errors.h"
#include "valkey/event.h"
#include "valkey/pipeline.h"

namespace ff::valkey {
namespace {

namespace asio = boost::asio;

void give_up(std::span<Exchange> exchanges) {
    // The last one resumes the coroutine that owns them all: nothing is touched after it.
    auto open = std::ranges::count_if(
        exchanges, [](const Exchange& exchange) { return !exchange.finished(); });
    for (Exchange& exchange : exchanges) {
        if (exchange.finished()) continue;
        const bool last = --open == 0;
        exchange.pipeline->abandon(exchange, store::shutting_down());
        if (last) return;
    }
}

struct Await {
    template <class Handler>
    void operator()(Handler handler, std::span<Exchange> exchanges, Waiter* waiter) const {
        auto slot = asio::get_associated_cancellation_slot(handler);
        if (slot.is_connected()) {
            slot.assign([exchanges](asio::cancellation_type) {
                const std::span<Exchange> mine = exchanges;
                give_up(mine);
            });
        }
        waiter->resumption().set(std::move(handler));
    }
};

}  // namespace

asio::awaitable<void> answered(std::span<Exchange> exchanges, Waiter& waiter) {
    if (waiter.missing() == 0) co_return;
    co_await asio::async_initiate<const asio::use_awaitable_t<>, void()>(
        Await(), asio::use_awaitable, exchanges, &waiter);
}

asio::awaitable<void> pause(asio::any_io_executor loop, std::chrono::milliseconds span,
                            Deadline deadline) {
    Event never(std::move(loop));
    const Deadline end = Deadline::after(span);
    const Deadline first = end.at() < deadline.at() ? end : deadline;
    co_await never.wait(first);
}

}  // namespace ff::valkey
