#include "http/listen_address.h"

#include <array>
#include <limits>

#include <arpa/inet.h>

#include "base/numbers.h"

namespace ff::http {

Result<ListenAddress> ListenAddress::parse(std::string_view text, std::string_view field) {
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos) return invalid_input(field, "expected host:port");
    std::string_view host = text.substr(0, colon);
    const auto port = parse_canonical_u64(text.substr(colon + 1));
    if (!port || *port > std::numeric_limits<std::uint16_t>::max())
        return invalid_input(field, "the port is no number from 0 to 65535");
    const bool bracketed = host.starts_with('[') && host.ends_with(']');
    if (bracketed) host = host.substr(1, host.size() - 2);
    if (host.empty() || bracketed != (host.find(':') != std::string_view::npos))
        return invalid_input(field, "no host");
    return ListenAddress{.host = std::string(host), .port = static_cast<std::uint16_t>(*port)};
}

bool is_ip_address(std::string_view text) {
    const std::string address(text);
    std::array<std::uint8_t, sizeof(in6_addr)> parsed{};
    return inet_pton(AF_INET, address.c_str(), parsed.data()) == 1 ||
           inet_pton(AF_INET6, address.c_str(), parsed.data()) == 1;
}

std::string ListenAddress::to_text() const {
    const bool v6 = host.find(':') != std::string::npos;
    return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

}  // namespace ff::http
