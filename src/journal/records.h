#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ff::journal {

/// The records of one tick, laid out as they will lie in the log with the heads still blank, so
/// that adding one costs a copy of its bytes and no allocation of its own.
class Records {
  public:
    /// At most kPayloadBytesMax bytes; may be empty.
    void add(std::string_view payload);
    /// Builds a payload in place: `text()` may be appended to between begin and end only.
    void begin();
    std::string& text() { return frames_; }
    void end();

    bool empty() const { return count_ == 0; }
    std::uint32_t count() const { return count_; }
    std::size_t bytes() const { return frames_.size(); }
    /// Keeps the capacity.
    void clear();
    /// Makes room for about so many bytes at once.
    void reserve(std::size_t bytes) { frames_.reserve(bytes); }

    /// Frames with length only; the journal completes the heads.
    const std::string& frames() const { return frames_; }
    /// Leaves it empty, with the memory that `frames` had.
    void swap_frames(std::string& frames);
    std::size_t capacity() const { return frames_.capacity(); }

  private:
    std::string frames_;
    std::size_t open_at_ = 0;
    std::uint32_t count_ = 0;
};

}  // namespace ff::journal
