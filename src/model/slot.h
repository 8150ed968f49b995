#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ff::model {

constexpr std::uint16_t kSlotCount = 16384;

/// The text between the first `{` and the first following `}`; the whole key when there is no such
/// pair or nothing between them, as clusters have it.
std::string_view hash_tag(std::string_view key);

/// The cluster slot of a key: crc16 of its hash tag modulo 16384.
std::uint16_t slot_of(std::string_view key);

/// The slot that all keys of one call share, none for a call without keys. Keys of two tags are a
/// `storage_error` of kind `cross_slot`, found here so that no store has to be asked.
Result<std::optional<std::uint16_t>> slot_of_call(std::span<const std::string> keys);

}  // namespace ff::model
