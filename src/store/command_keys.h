#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"

namespace ff::store {

/// The keys among the arguments of a command (args[0] is its name, in any letter case). A command
/// that is not known here, or has no key, has none.
std::span<const std::string_view> keys_of(std::span<const std::string_view> args);

/// The slot that all keys of a command share; nothing if it has none. Keys of several slots are a
/// `storage_error` of kind `cross_slot`, a call with fewer keys than it says one of kind
/// `response_error`.
Result<std::optional<std::uint16_t>> slot_of(std::span<const std::string_view> args);

}  // namespace ff::store
