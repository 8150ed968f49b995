#pragma once

#include <span>
#include <string_view>

namespace ff::console {

/// One file of the web console, as it leaves the server.
struct Asset {
    /// Below `/console/`; empty for the page itself.
    std::string_view path{};
    std::string_view content_type{};
    /// With its quotes.
    std::string_view etag{};
    /// The path changes with the content, so that caches may keep it for ever.
    bool immutable = false;
    /// Compressed with gzip.
    std::string_view body{};
};

/// Made by the build from `console/`; empty in a server that was built with `-DFF_CONSOLE=OFF`.
std::span<const Asset> assets();

}  // namespace ff::console
