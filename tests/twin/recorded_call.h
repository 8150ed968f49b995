#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace ff::twin {

/// A command with the time at which both states are told that it came.
struct RecordedCall {
    std::chrono::microseconds now{};
    std::vector<std::string> argv{};
};

/// The name of the function of an FCALL, otherwise that of the command.
std::string_view name_of(const RecordedCall& call);

/// One line; long arguments and long lists are cut, and say so.
std::string to_text(const RecordedCall& call);

/// Deletes what is due, as a shard does between calls. No command of a store: the pair of states
/// knows it.
inline constexpr std::string_view kExpireDue = "(expire due)";

}  // namespace ff::twin
