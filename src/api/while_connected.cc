#include "api/while_connected.h"

#include <utility>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/this_coro.hpp>

namespace ff::api {
namespace asio = boost::asio;
namespace {

/// Leaving is the work's own decision: an exception from the middle of a wait would skip what it
/// has to put in order.
asio::awaitable<void> without_exceptions(asio::awaitable<void> work) {
    co_await asio::this_coro::throw_if_cancelled(false);
    co_await std::move(work);
}

}  // namespace

asio::awaitable<void> while_connected(http::Peer& peer, asio::awaitable<void> work) {
    using asio::experimental::awaitable_operators::operator||;
    auto gone = without_exceptions(peer.gone());
    auto either = without_exceptions(std::move(work)) || std::move(gone);
    co_await std::move(either);
}

asio::awaitable<bool> client_gone() {
    const asio::cancellation_state state = co_await asio::this_coro::cancellation_state;
    co_return state.cancelled() != asio::cancellation_type::none;
}

}  // namespace ff::api
