#pragma once

#include <cstdint>
#include <string_view>

namespace ff::journal {

/// CRC-32C (Castagnoli) of `bytes`, going on from `seed`: crc32c(b, crc32c(a)) is that of a and b
/// together. Uses the processor's instruction where there is one.
std::uint32_t crc32c(std::string_view bytes, std::uint32_t seed = 0);

/// The same without special instructions; crc32c falls back on it.
std::uint32_t crc32c_portable(std::string_view bytes, std::uint32_t seed = 0);

}  // namespace ff::journal
