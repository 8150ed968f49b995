#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ff::net {

/// Where a server listens: a host and a port, or a unix socket.
struct Address {
    std::string host{};
    std::uint16_t port = 0;
    std::string unix_path{};

    bool is_unix() const { return !unix_path.empty(); }
    /// `host:port`, `[::1]:port` or `unix:/path`; what parse_address reads.
    std::string text() const;

    auto operator<=>(const Address&) const = default;
};

/// A failure has the code `invalid_client_config`.
Result<Address> parse_address(std::string_view text);

}  // namespace ff::net
