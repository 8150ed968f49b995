#pragma once

#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

#include "base/assert.h"
#include "keyspace/memory_meter.h"

namespace ff::keyspace {

/// Owned bytes in 16 bytes: up to 15 of them in place, more on the heap. A copy must be asked for.
///
/// The last byte is the length of the bytes in place, or kOnHeap; then the first eight bytes are
/// the pointer and the next four the length.
class ByteString {
  public:
    static constexpr std::size_t kInPlaceMax = 15;

    ByteString() noexcept { raw_[kTag] = 0; }
    explicit ByteString(std::string_view bytes) { fill(bytes); }
    ByteString(ByteString&& other) noexcept { take(other); }
    ByteString& operator=(ByteString&& other) noexcept {
        if (this != &other) {
            release();
            take(other);
        }
        return *this;
    }
    ~ByteString() { release(); }

    std::string_view view() const {
        const auto tag = static_cast<unsigned char>(raw_[kTag]);
        if (tag != kOnHeap) return {raw_, tag};
        return {pointer(), length()};
    }
    std::size_t size() const { return view().size(); }

    static constexpr std::size_t kObjectBytes = 16;
    /// The object itself. Its last byte is at most kInPlaceMax if the string is all there: it is
    /// the length then.
    const char* object() const { return raw_; }

    /// `bytes` may not point into this string.
    void assign(std::string_view bytes) {
        if (on_heap() && bytes.size() == length()) {
            std::memcpy(pointer(), bytes.data(), bytes.size());
            return;
        }
        release();
        fill(bytes);
    }
    ByteString clone() const { return ByteString(view()); }

  private:
    static constexpr std::size_t kTag = 15;
    static constexpr unsigned char kOnHeap = 0xff;

    bool on_heap() const { return static_cast<unsigned char>(raw_[kTag]) == kOnHeap; }
    char* pointer() const {
        char* at = nullptr;
        std::memcpy(&at, raw_, sizeof(at));
        return at;
    }
    std::uint32_t length() const {
        std::uint32_t n = 0;
        std::memcpy(&n, raw_ + sizeof(char*), sizeof(n));
        return n;
    }
    void fill(std::string_view bytes) {
        if (bytes.size() <= kInPlaceMax) {
            if (!bytes.empty()) std::memcpy(raw_, bytes.data(), bytes.size());
            raw_[kTag] = static_cast<char>(bytes.size());
            return;
        }
        FF_ASSERT(bytes.size() <= std::numeric_limits<std::uint32_t>::max());
        char* at = MeteredAllocator<char>().allocate(bytes.size());
        std::memcpy(at, bytes.data(), bytes.size());
        const auto n = static_cast<std::uint32_t>(bytes.size());
        std::memcpy(raw_, &at, sizeof(at));
        std::memcpy(raw_ + sizeof(at), &n, sizeof(n));
        raw_[kTag] = static_cast<char>(kOnHeap);
    }
    void take(ByteString& other) {
        std::memcpy(raw_, other.raw_, sizeof(raw_));
        other.raw_[kTag] = 0;
    }
    void release() {
        if (on_heap()) MeteredAllocator<char>().deallocate(pointer(), length());
        raw_[kTag] = 0;
    }

    alignas(8) char raw_[16];
};

static_assert(sizeof(ByteString) == 16);

}  // namespace ff::keyspace
