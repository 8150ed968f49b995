#include "net/address.h"

#include <limits>

#include "base/numbers.h"

namespace ff::net {
namespace {

constexpr std::string_view kUnix = "unix:";

Error bad_address(std::string_view text, std::string_view why) {
    return Error{.code = "invalid_client_config",
                 .message = "address " + std::string(text) + ": " + std::string(why)};
}

}  // namespace

std::string Address::text() const {
    if (is_unix()) return std::string(kUnix) + unix_path;
    const bool v6 = host.find(':') != std::string::npos;
    return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<Address> parse_address(std::string_view text) {
    if (text.starts_with(kUnix)) {
        const std::string_view path = text.substr(kUnix.size());
        if (path.empty()) return bad_address(text, "no path");
        return Address{.unix_path = std::string(path)};
    }
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return bad_address(text, "no port");
    std::string_view host = text.substr(0, colon);
    const bool bracketed = host.size() >= 2 && host.front() == '[' && host.back() == ']';
    if (bracketed) host = host.substr(1, host.size() - 2);
    if (host.empty()) return bad_address(text, "no host");
    if (!bracketed && host.find(':') != std::string_view::npos)
        return bad_address(text, "an IPv6 address needs brackets");
    const auto port = parse_u64(text.substr(colon + 1));
    if (!port || *port == 0 || *port > std::numeric_limits<std::uint16_t>::max())
        return bad_address(text, "the port is not 1..65535");
    return Address{.host = std::string(host), .port = static_cast<std::uint16_t>(*port)};
}

}  // namespace ff::net
