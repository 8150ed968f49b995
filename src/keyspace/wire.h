#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

namespace ff::keyspace {

/// Bytes written one after the other. Numbers are base 128, low digits first, the top bit marks
/// that more follow; bytes are their length and themselves; a score is its eight bytes as they lie
/// in memory (little endian). A task writes some four hundred pieces: each costs one look at the
/// room that is left, where a string would be asked once for every digit.
class WireWriter {
  public:
    WireWriter() = default;
    WireWriter(const WireWriter&) = delete;
    WireWriter& operator=(const WireWriter&) = delete;

    void byte(std::uint8_t value) {
        char* to = room(1);
        *to = static_cast<char>(value);
        end_ = to + 1;
    }
    void number(std::uint64_t value) { end_ = put_number(room(kNumberBytesMax), value); }
    void bytes(std::string_view value) {
        char* to = put_number(room(kNumberBytesMax + value.size()), value.size());
        end_ = put(to, value);
    }
    void score(double value) {
        char* to = room(sizeof(value));
        std::memcpy(to, &value, sizeof(value));
        end_ = to + sizeof(value);
    }
    /// What another writer made.
    void raw(std::string_view encoded) { end_ = put(room(encoded.size()), encoded); }

    std::string_view view() const { return {block_.get(), size()}; }
    std::size_t size() const { return static_cast<std::size_t>(end_ - block_.get()); }
    bool empty() const { return end_ == block_.get(); }
    /// Keeps the memory, up to so many bytes.
    void clear(std::size_t kept_bytes_max) {
        if (static_cast<std::size_t>(limit_ - block_.get()) > kept_bytes_max) {
            block_.reset();
            limit_ = nullptr;
        }
        end_ = block_.get();
    }

  private:
    static constexpr std::size_t kNumberBytesMax = 10;
    static constexpr std::size_t kFirstBytes = 4096;

    static char* put_number(char* to, std::uint64_t value) {
        for (; value >= 0x80; value >>= 7U) *to++ = static_cast<char>(value | 0x80U);
        *to++ = static_cast<char>(value);
        return to;
    }
    static char* put(char* to, std::string_view value) {
        if (!value.empty()) std::memcpy(to, value.data(), value.size());
        return to + value.size();
    }
    char* room(std::size_t bytes) {
        if (static_cast<std::size_t>(limit_ - end_) < bytes) grow(bytes);
        return end_;
    }
    void grow(std::size_t more) {
        const std::size_t used = size();
        const std::size_t wanted = std::max({kFirstBytes, used * 2, used + more});
        auto block = std::make_unique_for_overwrite<char[]>(wanted);
        if (used > 0) std::memcpy(block.get(), block_.get(), used);
        block_ = std::move(block);
        end_ = block_.get() + used;
        limit_ = block_.get() + wanted;
    }

    std::unique_ptr<char[]> block_{};
    char* end_ = nullptr;
    char* limit_ = nullptr;
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
