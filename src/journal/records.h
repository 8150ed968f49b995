#pragma once

#include <cstdint>
#include <string_view>

#include "base/byte_buffer.h"
#include "base/lent_pieces.h"

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
    /// Instead of being appended, bytes may be lent to the buffer: they are copied by the journal,
    /// and stay until the records are stored or `own` was called.
    LentPieces& lent() { return lent_; }
    void end();
    /// The same, but a payload without bytes is no record.
    void end_if_any();

    bool empty() const { return count_ == 0; }
    std::uint32_t count() const { return count_; }
    std::size_t bytes() const { return frames_.size() + lent_.bytes(); }
    /// Keeps the capacity.
    void clear();
    /// Copies what was lent.
    void own();
    /// Makes room for about so many bytes at once.
    void reserve(std::size_t bytes) { frames_.reserve(bytes); }

    /// Appends the frames, with length only; the journal completes the heads.
    void append_frames_to(ByteBuffer& group) const;
    /// The same for an empty `group`, whose memory is left here where nothing has to be copied.
    /// Clears.
    void move_frames_to(ByteBuffer& group);
    std::size_t capacity() const { return frames_.capacity(); }

  private:
    ByteBuffer frames_{};
    LentPieces lent_{};
    std::size_t open_at_ = 0;
    /// What had been lent before the open one.
    std::size_t open_lent_ = 0;
    std::uint32_t count_ = 0;
};

}  // namespace ff::journal
