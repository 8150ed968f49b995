#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ff {

/// CRC-16/XMODEM: polynomial 0x1021, start 0, no reflection; the checksum of cluster slots.
std::uint16_t crc16(std::string_view bytes);

/// FNV-1a, 64 bit. Spreads scan starts and makes digests for logs; not for security.
std::uint64_t fnv1a64(std::string_view bytes);

/// Eight lower-case hex digits: both halves of fnv1a64 xored.
std::string digest8(std::string_view bytes);

}  // namespace ff
