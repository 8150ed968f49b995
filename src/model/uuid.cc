#include "model/uuid.h"

#include <algorithm>

#include "base/digest.h"
#include "model/key_text.h"
#include "model/refusal.h"

namespace ff::model {
namespace {

constexpr std::array<std::uint8_t, 4> kHyphens = {8, 13, 18, 23};
/// Where the two digits of every byte stand.
constexpr std::array<std::uint8_t, 16> kDigitPairs = {0,  2,  4,  6,  9,  11, 14, 16,
                                                      19, 21, 24, 26, 28, 30, 32, 34};

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
    for (const std::uint8_t at : kHyphens) {
        if (text[at] != '-') return refuse_with("InvalidUuid", text);
    }
    Raw raw{};
    int all = 0;  // negative as soon as one of them is
    for (std::size_t byte = 0; byte < raw.size(); ++byte) {
        const int high = hex_digit(text[kDigitPairs[byte]]);
        const int low = hex_digit(text[kDigitPairs[byte] + 1U]);
        all |= high | low;
        raw[byte] = static_cast<std::uint8_t>(high * 16 + low);
    }
    if (all < 0) return refuse_with("InvalidUuid", text);
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
    char text[kTextSize];
    write_text(text);
    return {text, kTextSize};
}

char* Uuid::write_text(char* to) const {
    static constexpr std::string_view kDigits = "0123456789abcdef";
    for (const std::uint8_t at : kHyphens) to[at] = '-';
    for (std::size_t byte = 0; byte < raw_.size(); ++byte) {
        to[kDigitPairs[byte]] = kDigits[raw_[byte] >> 4U];
        to[kDigitPairs[byte] + 1U] = kDigits[raw_[byte] & 0xfU];
    }
    return to + kTextSize;
}

}  // namespace ff::model
