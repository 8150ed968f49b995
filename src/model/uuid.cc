#include "model/uuid.h"

#include <algorithm>

#include "base/digest.h"
#include "model/key_text.h"
#include "model/refusal.h"

namespace ff::model {
namespace {

constexpr bool is_hyphen_position(std::size_t at) {
    return at == 8 || at == 13 || at == 18 || at == 23;
}

/// The value of every character as a hex digit; -1 for no digit.
constexpr auto kHexDigits = [] {
    std::array<std::int8_t, 256> values{};
    values.fill(-1);
    for (std::int8_t i = 0; i < 10; ++i) values[static_cast<std::size_t>('0' + i)] = i;
    for (std::int8_t i = 0; i < 6; ++i) {
        const auto value = static_cast<std::int8_t>(10 + i);
        values[static_cast<std::size_t>('a' + i)] = value;
        values[static_cast<std::size_t>('A' + i)] = value;
    }
    return values;
}();

int hex_digit(char c) {
    return kHexDigits[static_cast<unsigned char>(c)];
}

void stamp(Uuid::Raw& raw, unsigned version) {
    raw[6] = static_cast<std::uint8_t>((raw[6] & 0x0fU) | (version << 4U));
    raw[8] = static_cast<std::uint8_t>((raw[8] & 0x3fU) | 0x80U);
}

}  // namespace

Result<Uuid> Uuid::parse(std::string_view text) {
    if (text.size() != kTextSize) return refuse_with("InvalidUuid", text);
    Raw raw{};
    std::size_t byte = 0;
    for (std::size_t at = 0; at < kTextSize;) {
        if (is_hyphen_position(at)) {
            if (text[at] != '-') return refuse_with("InvalidUuid", text);
            ++at;
            continue;
        }
        const int high = hex_digit(text[at]);
        const int low = hex_digit(text[at + 1]);
        if (high < 0 || low < 0) return refuse_with("InvalidUuid", text);
        raw[byte++] = static_cast<std::uint8_t>(high * 16 + low);
        at += 2;
    }
    return Uuid(raw);
}

Uuid Uuid::mint_v4(Random& random) {
    Raw raw{};
    random.fill(raw);
    stamp(raw, 4);
    return Uuid(raw);
}

Uuid Uuid::mint_v7(Random& random, const Clock& clock) {
    Raw raw{};
    random.fill(raw);
    auto ms = static_cast<std::uint64_t>(to_ms(clock.now()));
    for (std::size_t at = 6; at-- > 0;) {
        raw[at] = static_cast<std::uint8_t>(ms & 0xffU);
        ms >>= 8U;
    }
    stamp(raw, 7);
    return Uuid(raw);
}

Uuid Uuid::named(const Uuid& space, std::string_view name) {
    const Bytes digest = sha1(concat({space.bytes(), name}));
    Raw raw{};
    std::copy_n(digest.begin(), raw.size(), raw.begin());
    stamp(raw, 5);
    return Uuid(raw);
}

std::string Uuid::to_string() const {
    static constexpr std::string_view kDigits = "0123456789abcdef";
    std::string out(kTextSize, '-');
    std::size_t at = 0;
    for (const std::uint8_t byte : raw_) {
        if (is_hyphen_position(at)) ++at;
        out[at++] = kDigits[byte >> 4U];
        out[at++] = kDigits[byte & 0xfU];
    }
    return out;
}

}  // namespace ff::model
