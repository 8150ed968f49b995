#pragma once

#include <functional>

#include <boost/asio/awaitable.hpp>

#include "http/handler.h"

namespace ff::api {

/// Awaits `work` to its end, whatever happens, and calls `left` if the client goes away meanwhile.
/// Nothing is cancelled: `left` says how the work learns of it.
boost::asio::awaitable<void> watch_peer(http::Peer& peer, boost::asio::awaitable<void> work,
                                        std::function<void()> left);

}  // namespace ff::api
