#pragma once

#include <cstdint>
#include <string>

#include <boost/asio/generic/stream_protocol.hpp>

namespace ff::http {

using Endpoint = boost::asio::generic::stream_protocol::endpoint;

/// `127.0.0.1:80`, `[::1]:80` or `unix`.
std::string text_of(const Endpoint& endpoint);
/// 0 of a unix socket.
std::uint16_t port_of(const Endpoint& endpoint);

}  // namespace ff::http
