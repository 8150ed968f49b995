#include "keyspace/key_shape.h"

#include <cstdint>

namespace ff::keyspace {
namespace {

/// Has bits that no digit has.
constexpr std::uint8_t kNoDigit = 0xff;

constexpr std::array<std::uint8_t, 256> kHexDigits = [] {
    std::array<std::uint8_t, 256> digits{};
    digits.fill(kNoDigit);
    for (std::uint8_t i = 0; i < 10; ++i) digits[std::size_t{'0'} + i] = i;
    for (std::uint8_t i = 0; i < 6; ++i) {
        digits[std::size_t{'a'} + i] = static_cast<std::uint8_t>(10 + i);
    }
    return digits;
}();

constexpr bool is_hyphen_position(std::size_t i) {
    return i == 8 || i == 13 || i == 18 || i == 23;
}

bool has_hyphens(std::string_view text) {
    return text[8] == '-' && text[13] == '-' && text[18] == '-' && text[23] == '-';
}

bool parse_uuid(std::string_view text, KeyShape::Uuid& uuid) {
    if (!has_hyphens(text)) return false;
    unsigned seen = 0;
    std::size_t from = 0;
    for (char& byte : uuid) {
        if (is_hyphen_position(from)) ++from;
        const unsigned high = kHexDigits[static_cast<unsigned char>(text[from])];
        const unsigned low = kHexDigits[static_cast<unsigned char>(text[from + 1])];
        seen |= high | low;
        byte = static_cast<char>((high & 15U) << 4U | (low & 15U));
        from += 2;
    }
    return seen < 16;
}

/// The position behind "}:" of the tag that opens at `open`, or npos.
std::size_t end_of_tag(std::string_view key, std::size_t open) {
    const std::size_t close = key.find('}', open);
    if (close == std::string_view::npos || close + 1 >= key.size() || key[close + 1] != ':') {
        return std::string_view::npos;
    }
    return close + 2;
}

/// Where a uuid would begin behind the tag that opens at `open`, or npos if there is no room for
/// one.
std::size_t uuid_at(std::string_view key, std::size_t open) {
    std::size_t at = end_of_tag(key, open);
    if (at < key.size() && key[at] == '{') at = end_of_tag(key, at);
    if (at == std::string_view::npos || key.size() - at < KeyShape::kUuidTextBytes)
        return std::string_view::npos;
    return at;
}

}  // namespace

KeyShape::Body KeyShape::body_of(std::string_view key) {
    const std::size_t open = key.find('{');
    if (open == std::string_view::npos) return {};
    const std::size_t at = uuid_at(key, open);
    if (at == std::string_view::npos || !has_hyphens(key.substr(at))) return {};
    return {.at = open, .bytes = at - open + kUuidTextBytes};
}

std::optional<KeyShape> KeyShape::of(std::string_view key) {
    const std::size_t open = key.find('{');
    if (open == std::string_view::npos) return std::nullopt;
    const std::size_t at = uuid_at(key, open);
    if (at == std::string_view::npos) return std::nullopt;
    KeyShape shape;
    if (!parse_uuid(key.substr(at, kUuidTextBytes), shape.uuid)) return std::nullopt;
    shape.head = key.substr(0, open);
    shape.place = key.substr(open, at - open);
    shape.tail = key.substr(at + kUuidTextBytes);
    return shape;
}

void append_uuid_text(std::string& out, const KeyShape::Uuid& uuid) {
    static constexpr std::string_view kDigits = "0123456789abcdef";
    std::size_t written = 0;
    for (const char byte : uuid) {
        if (is_hyphen_position(written)) {
            out.push_back('-');
            ++written;
        }
        const auto value = static_cast<unsigned char>(byte);
        out.push_back(kDigits[value >> 4U]);
        out.push_back(kDigits[value & 15U]);
        written += 2;
    }
}

}  // namespace ff::keyspace
