#pragma once

#include <cstdint>
#include <string_view>

namespace ff::model {

constexpr std::uint16_t kSlotCount = 16384;

/// The text between the first `{` and the first following `}`; the whole key when there is no such
/// pair or nothing between them, as clusters have it.
std::string_view hash_tag(std::string_view key);

/// The cluster slot of a key: crc16 of its hash tag modulo 16384.
std::uint16_t slot_of(std::string_view key);

}  // namespace ff::model
