#include "journal/crc32c.h"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace ff::journal {
namespace {

constexpr std::uint32_t kPolynomialReflected = 0x82f63b78U;
constexpr std::size_t kSlices = 8;

using Tables = std::array<std::array<std::uint32_t, 256>, kSlices>;

constexpr Tables make_tables() {
    Tables tables{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t crc = byte;
        for (int bit = 0; bit < 8; ++bit) {
            crc = (crc >> 1) ^ ((crc & 1U) != 0 ? kPolynomialReflected : 0U);
        }
        tables[0][byte] = crc;
    }
    for (std::size_t slice = 1; slice < kSlices; ++slice) {
        for (std::size_t byte = 0; byte < 256; ++byte) {
            const std::uint32_t before = tables[slice - 1][byte];
            tables[slice][byte] = (before >> 8) ^ tables[0][before & 0xffU];
        }
    }
    return tables;
}

constexpr Tables kTables = make_tables();

std::uint64_t load_u64(const char* at) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < 8; ++i) {
        value |= std::uint64_t{static_cast<unsigned char>(at[i])} << (8 * i);
    }
    return value;
}

#if defined(__x86_64__)
/// The instruction takes three cycles, and another one can begin in each of them: long texts are
/// cut into three lanes, which are summed side by side.
constexpr std::size_t kLaneBytes = 1024;

using LaneTables = std::array<std::array<std::uint32_t, 256>, 4>;

/// What every byte of a sum becomes when a lane of zeros follows; a sum of texts is the sum of what
/// their parts become, because nothing but exclusive-or joins them.
constexpr LaneTables make_lane_tables() {
    std::array<std::uint32_t, 32> bits{};
    for (std::size_t bit = 0; bit < bits.size(); ++bit) {
        std::uint32_t crc = 1U << bit;
        for (std::size_t i = 0; i < kLaneBytes; ++i) crc = (crc >> 8) ^ kTables[0][crc & 0xffU];
        bits[bit] = crc;
    }
    LaneTables tables{};
    for (std::size_t byte = 0; byte < tables.size(); ++byte) {
        for (std::size_t value = 0; value < 256; ++value) {
            for (std::size_t bit = 0; bit < 8; ++bit) {
                if ((value >> bit & 1U) != 0) tables[byte][value] ^= bits[byte * 8 + bit];
            }
        }
    }
    return tables;
}

constexpr LaneTables kLaneTables = make_lane_tables();

std::uint32_t past_a_lane(std::uint64_t crc) {
    return kLaneTables[0][crc & 0xffU] ^ kLaneTables[1][crc >> 8 & 0xffU] ^
           kLaneTables[2][crc >> 16 & 0xffU] ^ kLaneTables[3][crc >> 24 & 0xffU];
}

std::uint64_t word_at(const char* at) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    return word;
}

__attribute__((target("sse4.2"))) std::uint32_t crc32c_instruction(std::string_view bytes,
                                                                   std::uint32_t seed) {
    std::uint64_t crc = ~seed;
    const char* at = bytes.data();
    std::size_t left = bytes.size();
    for (; left >= 3 * kLaneBytes; left -= 3 * kLaneBytes, at += 3 * kLaneBytes) {
        std::uint64_t second = 0;
        std::uint64_t third = 0;
        for (std::size_t i = 0; i < kLaneBytes; i += 8) {
            crc = _mm_crc32_u64(crc, word_at(at + i));
            second = _mm_crc32_u64(second, word_at(at + kLaneBytes + i));
            third = _mm_crc32_u64(third, word_at(at + 2 * kLaneBytes + i));
        }
        crc = past_a_lane(past_a_lane(crc) ^ second) ^ third;
    }
    for (; left >= 8; left -= 8, at += 8) crc = _mm_crc32_u64(crc, word_at(at));
    auto narrow = static_cast<std::uint32_t>(crc);
    for (; left > 0; --left, ++at) narrow = _mm_crc32_u8(narrow, static_cast<unsigned char>(*at));
    return ~narrow;
}
#endif

}  // namespace

std::uint32_t crc32c_portable(std::string_view bytes, std::uint32_t seed) {
    std::uint32_t crc = ~seed;
    const char* at = bytes.data();
    std::size_t left = bytes.size();
    for (; left >= 8; left -= 8, at += 8) {
        const std::uint64_t word = load_u64(at) ^ crc;
        crc = 0;
        for (std::size_t i = 0; i < 8; ++i) crc ^= kTables[7 - i][(word >> (8 * i)) & 0xffU];
    }
    for (; left > 0; --left, ++at) {
        crc = (crc >> 8) ^ kTables[0][(crc ^ static_cast<unsigned char>(*at)) & 0xffU];
    }
    return ~crc;
}

std::uint32_t crc32c(std::string_view bytes, std::uint32_t seed) {
#if defined(__x86_64__)
    static const bool kHasInstruction = __builtin_cpu_supports("sse4.2") != 0;
    if (kHasInstruction) return crc32c_instruction(bytes, seed);
#endif
    return crc32c_portable(bytes, seed);
}

}  // namespace ff::journal
