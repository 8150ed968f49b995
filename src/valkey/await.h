#pragma once

#include <span>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "base/deadline.h"
#include "valkey/exchange.h"

namespace ff::valkey {

/// Returns when every exchange of the waiter has its outcome. On the loop of their connections. A
/// coroutine that is cancelled meanwhile gives its exchanges up.
boost::asio::awaitable<void> answered(std::span<Exchange> exchanges, Waiter& waiter);
inline boost::asio::awaitable<void> answered(Exchange& exchange, Waiter& waiter) {
    return answered(std::span<Exchange>(&exchange, 1), waiter);
}

/// Returns after the pause, or at the deadline if that is earlier.
boost::asio::awaitable<void> pause(boost::asio::any_io_executor loop,
                                   std::chrono::milliseconds span, Deadline deadline);

}  // namespace ff::valkey
