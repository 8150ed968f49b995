#pragma once

#include <cstdint>
#include <string_view>

namespace ff::journal {

/// All numbers in the journal's files are little endian.
template <class Number>
void put(char* at, Number value) {
    for (std::size_t i = 0; i < sizeof value; ++i) {
        at[i] = static_cast<char>(static_cast<unsigned char>(value >> (8 * i)));
    }
}

template <class Number>
Number get(std::string_view bytes, std::uint64_t offset) {
    Number value = 0;
    for (std::size_t i = 0; i < sizeof value; ++i) {
        const auto byte = static_cast<unsigned char>(bytes[offset + i]);
        value = static_cast<Number>(value | (static_cast<Number>(byte) << (8 * i)));
    }
    return value;
}

}  // namespace ff::journal
