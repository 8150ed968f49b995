#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

namespace ff {

/// Bytes written one after the other. Unlike a string it can be written into before its size is
/// known: `room` gives a place, `end_at` says how much of it was used. Moved from, it is empty.
class ByteBuffer {
  public:
    ByteBuffer() = default;
    explicit ByteBuffer(std::string_view bytes) { append(bytes); }
    ByteBuffer(ByteBuffer&& other) noexcept { swap(other); }
    ByteBuffer& operator=(ByteBuffer&& other) noexcept {
        ByteBuffer taken(std::move(other));
        swap(taken);
        return *this;
    }

    std::string_view view() const { return {block_.get(), size()}; }
    char* data() { return block_.get(); }
    std::size_t size() const { return static_cast<std::size_t>(end_ - block_.get()); }
    bool empty() const { return end_ == block_.get(); }
    std::size_t capacity() const { return static_cast<std::size_t>(limit_ - block_.get()); }

    /// The end, with room for this many bytes behind it.
    char* room(std::size_t bytes) {
        if (static_cast<std::size_t>(limit_ - end_) < bytes) grow(bytes);
        return end_;
    }
    /// Not beyond the room that was asked for.
    void end_at(char* end) { end_ = end; }
    void append(std::string_view bytes) {
        char* to = room(bytes.size());
        if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
        end_ = to + bytes.size();
    }
    void append(std::size_t count, char byte) {
        char* to = room(count);
        std::fill_n(to, count, byte);
        end_ = to + count;
    }
    /// Keeps the first `bytes` of what is there.
    void cut(std::size_t bytes) { end_ = block_.get() + bytes; }
    /// Keeps the memory.
    void clear() { end_ = block_.get(); }
    /// At least so much room in all.
    void reserve(std::size_t bytes) {
        if (bytes > capacity()) move_to(bytes);
    }

    void swap(ByteBuffer& other) noexcept {
        std::swap(block_, other.block_);
        std::swap(end_, other.end_);
        std::swap(limit_, other.limit_);
    }

  private:
    static constexpr std::size_t kFirstBytes = 4096;

    void grow(std::size_t more) { move_to(std::max({kFirstBytes, capacity() * 2, size() + more})); }
    void move_to(std::size_t capacity) {
        const std::size_t used = size();
        auto block = std::make_unique_for_overwrite<char[]>(capacity);
        if (used > 0) std::memcpy(block.get(), block_.get(), used);
        block_ = std::move(block);
        end_ = block_.get() + used;
        limit_ = block_.get() + capacity;
    }

    std::unique_ptr<char[]> block_{};
    char* end_ = nullptr;
    char* limit_ = nullptr;
};

}  // namespace ff
