#include "scan/pace.h"

#include <algorithm>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace ff::scan {
namespace asio = boost::asio;
namespace {

constexpr int kRestForWork = 9;

}  // namespace

Pace::Span Pace::rest_after(Span worked) {
    return std::min<Span>(worked * kRestForWork, kRestMost);
}

asio::awaitable<void> Pace::rest() {
    const auto executor = co_await asio::this_coro::executor;
    const Span rest = rest_after(std::chrono::steady_clock::now() - piece_began_);
    asio::steady_timer timer(executor, rest);
    co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
    piece_began_ = std::chrono::steady_clock::now();
}

}  // namespace ff::scan
