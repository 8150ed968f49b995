#pragma once

#include <cstdint>
#include <string_view>

#include "base/byte_buffer.h"

namespace ff::journal {

/// The records of one tick, laid out as they will lie in the log with the heads still blank, so
/// that adding one costs a copy of its bytes and no allocation of its own.
class Records {
  public:
    /// At most kPayloadBytesMax bytes; may be empty.
    void add(std::string_view payload);
    /// Builds a payload in place: the buffer may be appended to between begin and end only.
    void begin();
    ByteBuffer& buffer() { return frames_; }
    void end();
    /// The same, but a payload without bytes is no record.
    void end_if_any();

    bool empty() const { return count_ == 0; }
    std::uint32_t count() const { return count_; }
    std::size_t bytes() const { return frames_.size(); }
    /// Keeps the capacity.
    void clear();
    /// Makes room for about so many bytes at once.
    void reserve(std::size_t bytes) { frames_.reserve(bytes); }

    /// Frames with length only; the journal completes the heads.
    std::string_view frames() const { return frames_.view(); }
    /// Leaves it empty, with the memory that `frames` had.
    void swap_frames(ByteBuffer& frames);
    std::size_t capacity() const { return frames_.capacity(); }

  private:
    ByteBuffer frames_{};
    std::size_t open_at_ = 0;
    std::uint32_t count_ = 0;
};

}  // namespace ff::journal
