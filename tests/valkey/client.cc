#include "client.h"

#include <boost/asio/this_coro.hpp>

namespace ff::testing {

boost::asio::awaitable<void> Background::perform(store::Store& store, store::Call call,
                                                 bool blocking, std::size_t index) {
    co_await boost::asio::this_coro::throw_if_cancelled(false);
    if (blocking) {
        const Result<store::Reply> reply = co_await store.blocking_read(std::move(call));
        answers_[index] = shown(reply);
    } else {
        const Result<store::Reply> reply = co_await store.fcall(std::move(call));
        answers_[index] = shown(reply);
    }
}

}  // namespace ff::testing
