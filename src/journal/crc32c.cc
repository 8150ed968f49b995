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
__attribute__((target("sse4.2"))) std::uint32_t crc32c_instruction(std::string_view bytes,
                                                                   std::uint32_t seed) {
    std::uint64_t crc = ~seed;
    const char* at = bytes.data();
    std::size_t left = bytes.size();
    for (; left >= 8; left -= 8, at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, at, sizeof word);
        crc = _mm_crc32_u64(crc, word);
    }
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
