#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/byte_buffer.h"

namespace ff::keyspace {

/// Writes into a buffer. Numbers are base 128, low digits first, the top bit marks that more
/// follow; bytes are their length and themselves; a score is its eight bytes as they lie in memory
/// (little endian). A task writes some four hundred pieces: each costs one look at the room that is
/// left, where a string would be asked once for every digit.
class WireWriter {
  public:
    explicit WireWriter(ByteBuffer& out) : out_(&out) {}

    void byte(std::uint8_t value) {
        char* to = out_->room(1);
        *to = static_cast<char>(value);
        out_->end_at(to + 1);
    }
    void number(std::uint64_t value) {
        out_->end_at(put_number(out_->room(kNumberBytesMax), value));
    }
    void bytes(std::string_view value) {
        char* to = put_number(out_->room(kNumberBytesMax + value.size()), value.size());
        if (!value.empty()) std::memcpy(to, value.data(), value.size());
        out_->end_at(to + value.size());
    }
    void score(double value) {
        char* to = out_->room(sizeof(value));
        std::memcpy(to, &value, sizeof(value));
        out_->end_at(to + sizeof(value));
    }
    /// What another writer made.
    void raw(std::string_view encoded) { out_->append(encoded); }

  private:
    static constexpr std::size_t kNumberBytesMax = 10;

    static char* put_number(char* to, std::uint64_t value) {
        for (; value >= 0x80; value >>= 7U) *to++ = static_cast<char>(value | 0x80U);
        *to++ = static_cast<char>(value);
        return to;
    }

    ByteBuffer* out_;
};

/// Reads what the writer wrote. Anything that does not fit makes it broken for good, and
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
