#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ff::http {

/// Under what address people and programs elsewhere reach this server: `https://ff.example.org`,
/// or below a path of another one, `https://example.org/fabric`.
struct PublicUrl {
    /// http or https.
    std::string scheme{};
    /// A name or an IP address, of IPv6 in brackets; lower case.
    std::string host{};
    /// 0: that of the scheme.
    std::uint16_t port = 0;
    /// Empty, or from its slash on, without one at its end.
    std::string path{};

    /// `invalid_input` naming `field` when the text is no such address.
    static Result<PublicUrl> parse(std::string_view text, std::string_view field);
    /// As browsers write it in `Origin`.
    std::string origin() const;
    /// Without a slash at its end.
    std::string to_text() const { return origin() + path; }

    bool operator==(const PublicUrl&) const = default;
};

}  // namespace ff::http
