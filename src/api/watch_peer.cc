#include "api/watch_peer.h"

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/this_coro.hpp>

namespace ff::api {
namespace {

boost::asio::awaitable<void> undisturbed(boost::asio::awaitable<void> work) {
    auto state = boost::asio::disable_cancellation();
    co_await boost::asio::this_coro::reset_cancellation_state(state);
    co_await std::move(work);
}

boost::asio::awaitable<void> tell(http::Peer& peer, std::function<void()> left, const bool& ended) {
    co_await peer.gone();
    if (!ended) left();
}

boost::asio::awaitable<void> mark_end(boost::asio::awaitable<void> work, bool& ended) {
    co_await undisturbed(std::move(work));
    ended = true;
}

}  // namespace

boost::asio::awaitable<void> watch_peer(http::Peer& peer, boost::asio::awaitable<void> work,
                                        std::function<void()> left) {
    using namespace boost::asio::experimental::awaitable_operators;  // NOLINT: the operator below
    bool ended = false;
    auto both = mark_end(std::move(work), ended) || tell(peer, std::move(left), ended);
    co_await std::move(both);
}

}  // namespace ff::api
