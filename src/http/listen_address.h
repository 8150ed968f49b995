#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ff::http {

/// Where a server listens: `host:port`, with an IPv6 address in brackets.
struct ListenAddress {
    std::string host{};
    std::uint16_t port = 0;

    /// `invalid_input` naming `field` when the text is no such address. Port 0 is any free one.
    static Result<ListenAddress> parse(std::string_view text, std::string_view field);
    std::string to_text() const;

    bool operator==(const ListenAddress&) const = default;
};

/// An IPv4 or IPv6 address, the latter without brackets.
bool is_ip_address(std::string_view text);

}  // namespace ff::http
