#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/settings.h"
#include "base/result.h"

namespace ff::app {

// Readers of single values; `field` names the setting in the error.

/// `1 true yes on` and `0 false no off` in any case.
Result<bool> read_boolean(const std::string& text, std::string_view field);
struct Bounds {
    std::uint64_t least = 0;
    std::uint64_t most = 0;
};
Result<std::uint64_t> read_number(const std::string& text, Bounds bounds, std::string_view field);
/// Bytes with or without a unit, `<n>%`, or `off`.
Result<MemoryLimit> read_memory_limit(const std::string& text, std::string_view field);
/// Comma separated, trimmed, none twice.
Result<std::vector<model::LaneId>> read_lanes(const std::string& text, std::string_view field);
Result<Cors> read_cors(const std::string& text, std::string_view field);
/// Non-empty, an even number of hex digits.
Result<std::string> read_secret(const std::string& text, std::string_view field);
/// Items between commas, without the blanks around them.
std::vector<std::string> split_list(std::string_view text);

}  // namespace ff::app
