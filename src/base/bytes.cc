#include "base/bytes.h"

#include <array>
#include <cstdint>
#include <cstring>

#include <openssl/crypto.h>

namespace ff {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::string_view kBase64Digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

constexpr std::array<std::int8_t, 256> make_base64_table() {
    std::array<std::int8_t, 256> table{};
    for (auto& entry : table) entry = -1;
    for (std::size_t i = 0; i < kBase64Digits.size(); ++i)
        table[static_cast<unsigned char>(kBase64Digits[i])] = static_cast<std::int8_t>(i);
    return table;
}

constexpr std::array<std::int8_t, 256> kBase64Values = make_base64_table();

}  // namespace

std::string to_hex(std::string_view bytes) {
    std::string out;
    out.reserve(bytes.size() * 2);
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        out.push_back(kHexDigits[byte >> 4]);
        out.push_back(kHexDigits[byte & 0xf]);
    }
    return out;
}

std::optional<Bytes> from_hex(std::string_view text) {
    if (text.size() % 2 != 0) return std::nullopt;
    Bytes out;
    out.reserve(text.size() / 2);
    for (std::size_t i = 0; i < text.size(); i += 2) {
        const int high = hex_value(text[i]);
        const int low = hex_value(text[i + 1]);
        if (high < 0 || low < 0) return std::nullopt;
        out.push_back(static_cast<char>(high * 16 + low));
    }
    return out;
}

std::string to_base64(std::string_view bytes) {
    std::string out((bytes.size() + 2) / 3 * 4, '=');
    char* to = out.data();
    const auto byte = [&](std::size_t i) {
        return std::uint32_t{static_cast<unsigned char>(bytes[i])};
    };
    const auto digit = [](std::uint32_t word, unsigned shift) {
        return kBase64Digits[(word >> shift) & 0x3fU];
    };
    std::size_t i = 0;
    for (; i + 3 <= bytes.size(); i += 3, to += 4) {
        const std::uint32_t word = byte(i) << 16U | byte(i + 1) << 8U | byte(i + 2);
        to[0] = digit(word, 18);
        to[1] = digit(word, 12);
        to[2] = digit(word, 6);
        to[3] = digit(word, 0);
    }
    if (i == bytes.size()) return out;
    const bool two = i + 2 == bytes.size();
    const std::uint32_t word = byte(i) << 16U | (two ? byte(i + 1) << 8U : 0U);
    to[0] = digit(word, 18);
    to[1] = digit(word, 12);
    if (two) to[2] = digit(word, 6);
    return out;
}

std::optional<Bytes> from_base64(std::string_view text) {
    const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
    if (padding != 0 && text.size() % 4 != 0) return std::nullopt;
    text.remove_suffix(padding);
    if (text.size() % 4 == 1) return std::nullopt;
    Bytes out;
    out.reserve(text.size() / 4 * 3 + 2);
    std::uint32_t word = 0;
    unsigned bits = 0;
    for (const char c : text) {
        const std::int8_t value = kBase64Values[static_cast<unsigned char>(c)];
        if (value < 0) return std::nullopt;
        word = (word << 6) | static_cast<std::uint32_t>(value);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            out.push_back(static_cast<char>((word >> bits) & 0xffU));
        }
    }
    if ((word & ((1U << bits) - 1U)) != 0) return std::nullopt;
    return out;
}

bool constant_time_equal(std::string_view a, std::string_view b) {
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

namespace {

bool are_ascii(const char* eight) {
    std::uint64_t word = 0;
    std::memcpy(&word, eight, sizeof word);
    return (word & 0x8080808080808080U) == 0;
}

constexpr std::size_t kBlockBytes = 64;

/// Without a branch inside, so that the compiler makes vectors of it.
bool is_ascii_block(const char* block) {
    unsigned char bits = 0;
    for (std::size_t i = 0; i < kBlockBytes; ++i)
        bits = static_cast<unsigned char>(bits | static_cast<unsigned char>(block[i]));
    return bits < 0x80;
}

}  // namespace

bool is_utf8(std::string_view bytes) {
    const auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
    for (std::size_t i = 0; i < bytes.size();) {
        const unsigned lead = at(i);
        if (lead < 0x80 && i + kBlockBytes <= bytes.size() && is_ascii_block(bytes.data() + i)) {
            i += kBlockBytes;
            continue;
        }
        if (lead < 0x80 && i + 8 <= bytes.size() && are_ascii(bytes.data() + i)) {
            i += 8;
            continue;
        }
        const std::size_t length = lead < 0x80                    ? 1
                                   : lead >= 0xc2 && lead <= 0xdf ? 2
                                   : (lead & 0xf0) == 0xe0        ? 3
                                   : lead >= 0xf0 && lead <= 0xf4 ? 4
                                                                  : 0;
        if (length == 0 || i + length > bytes.size()) return false;
        if (length >= 3) {
            const unsigned second = at(i + 1);
            if (lead == 0xe0 && second < 0xa0) return false;
            if (lead == 0xed && second > 0x9f) return false;
            if (lead == 0xf0 && second < 0x90) return false;
            if (lead == 0xf4 && second > 0x8f) return false;
        }
        for (std::size_t j = 1; j < length; ++j)
            if ((at(i + j) & 0xc0U) != 0x80U) return false;
        i += length;
    }
    return true;
}

}  // namespace ff
