#include "base/hash.h"

#include <array>

namespace ff {
namespace {

constexpr std::array<std::uint16_t, 256> make_crc_table() {
    std::array<std::uint16_t, 256> table{};
    for (unsigned i = 0; i < table.size(); ++i) {
        unsigned crc = i << 8;
        for (int bit = 0; bit < 8; ++bit) crc = (crc & 0x8000U) ? (crc << 1) ^ 0x1021U : crc << 1;
        table[i] = static_cast<std::uint16_t>(crc);
    }
    return table;
}

constexpr std::array<std::uint16_t, 256> kCrcTable = make_crc_table();

}  // namespace

std::uint16_t crc16(std::string_view bytes) {
    unsigned crc = 0;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        crc = ((crc << 8) & 0xffffU) ^ kCrcTable[(crc >> 8) ^ byte];
    }
    return static_cast<std::uint16_t>(crc);
}

std::uint64_t fnv1a64(std::string_view bytes) {
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const char c : bytes) {
        hash ^= static_cast<unsigned char>(c);
        hash *= 0x100000001b3ULL;
    }
    return hash;
}

std::string digest8(std::string_view bytes) {
    static constexpr std::string_view kDigits = "0123456789abcdef";
    const std::uint64_t hash = fnv1a64(bytes);
    auto word = static_cast<std::uint32_t>(hash ^ (hash >> 32));
    std::string out(8, '0');
    for (std::size_t i = out.size(); i-- > 0; word >>= 4) out[i] = kDigits[word & 0xfU];
    return out;
}

}  // namespace ff
