#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace ff::keyspace {

/// Numbers are base 128, low digits first, the top bit marks that more follow; bytes are their
/// length and themselves; a score is its eight bytes as they lie in memory (little endian).
inline void append_number(std::string& out, std::uint64_t value) {
    while (value >= 0x80) {
        out.push_back(static_cast<char>(value | 0x80U));
        value >>= 7U;
    }
    out.push_back(static_cast<char>(value));
}

inline void append_bytes(std::string& out, std::string_view bytes) {
    append_number(out, bytes.size());
    out.append(bytes);
}

inline void append_score(std::string& out, double score) {
    char raw[sizeof(score)];
    std::memcpy(raw, &score, sizeof(score));
    out.append(raw, sizeof(raw));
}

/// Reads what the functions above wrote. Anything that does not fit makes it broken for good, and
/// everything read from then on is empty: a caller checks once, after reading all it needs.
class WireReader {
  public:
    explicit WireReader(std::string_view bytes) : at_(bytes.data()), end_(at_ + bytes.size()) {}

    bool broken() const { return broken_; }
    bool done() const { return broken_ || at_ == end_; }
    std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
    const char* position() const { return at_; }

    /// What was read makes no sense to the caller.
    void spoil() { fail(); }

    std::uint8_t byte() {
        if (at_ == end_) return fail();
        return static_cast<std::uint8_t>(*at_++);
    }
    std::uint64_t number() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            if (at_ == end_) return fail();
            const auto digit = static_cast<std::uint8_t>(*at_++);
            if (shift == 63 && digit > 1) return fail();
            value |= static_cast<std::uint64_t>(digit & 0x7fU) << shift;
            if (digit < 0x80) return value;
        }
        return fail();
    }
    std::string_view bytes() {
        const std::uint64_t size = number();
        if (size > left()) {
            fail();
            return {};
        }
        const std::string_view view(at_, size);
        at_ += size;
        return view;
    }
    double score() {
        double value = 0;
        if (left() < sizeof(value)) return fail();
        std::memcpy(&value, at_, sizeof(value));
        at_ += sizeof(value);
        return value;
    }

  private:
    std::uint8_t fail() {
        broken_ = true;
        at_ = end_;
        return 0;
    }

    const char* at_;
    const char* end_;
    bool broken_ = false;
};

}  // namespace ff::keyspace
