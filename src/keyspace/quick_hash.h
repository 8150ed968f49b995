#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace ff::keyspace {

/// Drawn when the process starts, so that nobody outside can choose colliding keys. Nothing that
/// can be seen depends on it: no order and no stored byte.
extern const std::uint64_t kHashSeed;

inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

/// A fast hash of bytes for tables in memory.
inline std::uint64_t quick_hash(std::string_view bytes) {
    const auto word = [](const char* at) {
        std::uint64_t value = 0;
        std::memcpy(&value, at, sizeof(value));
        return value;
    };
    const auto half = [](const char* at) {
        std::uint32_t value = 0;
        std::memcpy(&value, at, sizeof(value));
        return std::uint64_t{value};
    };
    constexpr std::uint64_t kA = 0x9fb21c651e98df25U;
    constexpr std::uint64_t kB = 0xd6e8feb86659fd93U;
    const char* at = bytes.data();
    std::size_t left = bytes.size();
    std::uint64_t state = kHashSeed ^ (left * kA);
    while (left > 16) {
        state = mix(word(at) ^ kA, word(at + 8) ^ state);
        at += 16;
        left -= 16;
    }
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    if (left >= 8) {
        low = word(at);
        high = word(at + left - 8);
    } else if (left >= 4) {
        low = half(at);
        high = half(at + left - 4);
    } else if (left > 0) {
        const auto byte = [at](std::size_t i) {
            return std::uint64_t{static_cast<unsigned char>(at[i])};
        };
        low = byte(0) | (byte(left / 2) << 8U) | (byte(left - 1) << 16U);
    }
    return mix(mix(low ^ kB, high ^ state), kA);
}

inline std::uint32_t quick_hash32(std::string_view bytes) {
    const std::uint64_t hash = quick_hash(bytes);
    return static_cast<std::uint32_t>(hash ^ (hash >> 32U));
}

}  // namespace ff::keyspace
