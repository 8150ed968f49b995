#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ff {

/// The largest integer that Lua, JSON and sorted-set scores all hold exactly: 2^53 - 1.
constexpr std::int64_t kSafeIntegerMax = 9007199254740991;

/// `-?[0-9]+`, nothing around it, within the type; anything else is nullopt. No `+`, no blanks.
std::optional<std::int64_t> parse_i64(std::string_view text);
std::optional<std::uint64_t> parse_u64(std::string_view text);
/// As parse_u64, but refuses leading zeros: each number has exactly one spelling.
std::optional<std::uint64_t> parse_canonical_u64(std::string_view text);

}  // namespace ff
