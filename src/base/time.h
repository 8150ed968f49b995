#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace ff {

using Millis = std::chrono::milliseconds;

/// A point in time as stored and sent: whole milliseconds since the Unix epoch.
using Timestamp = std::chrono::time_point<std::chrono::system_clock, Millis>;

constexpr Timestamp timestamp_from_ms(std::int64_t ms) {
    return Timestamp(Millis(ms));
}
constexpr std::int64_t to_ms(Timestamp at) {
    return at.time_since_epoch().count();
}
inline std::string to_string(Timestamp at) {
    return std::to_string(to_ms(at));
}

}  // namespace ff
