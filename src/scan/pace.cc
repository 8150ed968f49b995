#include "scan/pace.h"

#include <algorithm>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/steady_clock.h"
#include "base/timer.h"

namespace ff::scan {
namespace asio = boost::asio;
namespace {

constexpr int kRestForWork = 399;

}  // namespace

Pace::Span Pace::rest_after(Span worked) {
    return std::min<Span>(worked * kRestForWork, kRestMost);
}

asio::awaitable<void> Pace::done(std::size_t count) {
    since_rest_ += count;
    if (since_rest_ < kPiece) co_return;
    since_rest_ = 0;
    const auto executor = co_await asio::this_coro::executor;
    const Span rest = rest_after(SteadyClock::now() - piece_began_);
    Timer timer(executor, rest);
    co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
    piece_began_ = SteadyClock::now();
}

}  // namespace ff::scan
