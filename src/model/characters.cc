#include "model/characters.h"

#include <cstdint>

#include "base/bytes.h"

namespace ff::model {
namespace {

bool is_control(std::uint32_t point) {
    return point < 0x20 || (point >= 0x7f && point <= 0x9f);
}

/// The White_Space property of Unicode 15.
bool is_whitespace(std::uint32_t point) {
    if (point >= 0x09 && point <= 0x0d) return true;
    if (point >= 0x2000 && point <= 0x200a) return true;
    switch (point) {
        case 0x20:
        case 0x85:
        case 0xa0:
        case 0x1680:
        case 0x2028:
        case 0x2029:
        case 0x202f:
        case 0x205f:
        case 0x3000:
            return true;
        default:
            return false;
    }
}

/// Bytes in the sequence that a lead byte opens; the text is known to be well-formed.
std::size_t sequence_size(unsigned char lead) {
    if (lead < 0x80) return 1;
    if (lead < 0xe0) return 2;
    return lead < 0xf0 ? 3 : 4;
}

std::uint32_t code_point(std::string_view sequence) {
    const auto lead = static_cast<unsigned char>(sequence[0]);
    if (sequence.size() == 1) return lead;
    std::uint32_t point = lead & (0x7fU >> sequence.size());
    for (const char c : sequence.substr(1))
        point = (point << 6U) | (static_cast<unsigned char>(c) & 0x3fU);
    return point;
}

}  // namespace

Characters characters_of(std::string_view text) {
    Characters found;
    const bool by_point = is_utf8(text);
    while (!text.empty()) {
        const auto lead = static_cast<unsigned char>(text[0]);
        const std::size_t size = by_point ? sequence_size(lead) : 1;
        if (by_point || lead < 0x80) {
            const std::uint32_t point = code_point(text.substr(0, size));
            found.control = found.control || is_control(point);
            found.whitespace = found.whitespace || is_whitespace(point);
        }
        text.remove_prefix(size);
    }
    return found;
}

}  // namespace ff::model
