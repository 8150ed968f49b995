#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/handler.h"

namespace ff::api {

/// Runs `work`; when the client has gone before it ends, `work` is asked to leave: its waits end at
/// once, as if their time were up. Returns when it has left.
boost::asio::awaitable<void> while_connected(http::Peer& peer, boost::asio::awaitable<void> work);

/// Within such work: the client has gone.
boost::asio::awaitable<bool> client_gone();

}  // namespace ff::api
