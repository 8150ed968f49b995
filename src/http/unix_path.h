#pragma once

#include <optional>
#include <string>

namespace ff::http {

/// Longest path of a unix socket that the system takes.
inline constexpr std::size_t kUnixPathBytesMax = 107;

/// Removes the socket at `path` if nobody answers there any more, as one that a killed process left
/// behind. Why a socket cannot be made there, in words; nothing when it can.
std::optional<std::string> clear_unix_path(const std::string& path);

}  // namespace ff::http
