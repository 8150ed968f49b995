#include "http/endpoint_text.h"

#include <cstring>

#include <boost/asio/ip/tcp.hpp>

#include "http/listen_address.h"

namespace ff::http {
namespace {

using boost::asio::ip::tcp;

bool is_ip(const Endpoint& endpoint) {
    const int family = endpoint.protocol().family();
    return family == tcp::v4().family() || family == tcp::v6().family();
}

tcp::endpoint as_ip(const Endpoint& endpoint) {
    tcp::endpoint out;
    std::memcpy(out.data(), endpoint.data(), std::min(out.capacity(), endpoint.size()));
    return out;
}

}  // namespace

std::string text_of(const Endpoint& endpoint) {
    if (!is_ip(endpoint)) return "unix";
    const tcp::endpoint ip = as_ip(endpoint);
    return ListenAddress{.host = ip.address().to_string(), .port = ip.port()}.to_text();
}

std::uint16_t port_of(const Endpoint& endpoint) {
    return is_ip(endpoint) ? as_ip(endpoint).port() : std::uint16_t{0};
}

}  // namespace ff::http
