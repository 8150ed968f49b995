#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "base/byte_buffer.h"

namespace ff {

/// Bytes of others that belong into a buffer, each at its place. Whoever writes a buffer in a hurry
/// leaves it to a later reader to copy them; they must stay until then.
class LentPieces {
  public:
    LentPieces() = default;
    LentPieces(LentPieces&& other) noexcept
        : pieces_(std::exchange(other.pieces_, {})), bytes_(std::exchange(other.bytes_, 0)) {}
    LentPieces& operator=(LentPieces&& other) noexcept {
        pieces_ = std::exchange(other.pieces_, {});
        bytes_ = std::exchange(other.bytes_, 0);
        return *this;
    }

    /// `at`: how much of the buffer itself comes before them, never less than for the last ones.
    void add(std::size_t at, std::string_view bytes) {
        pieces_.push_back({.at = at, .bytes = bytes});
        bytes_ += bytes.size();
    }
    bool empty() const { return pieces_.empty(); }
    std::size_t bytes() const { return bytes_; }
    std::size_t count() const { return pieces_.size(); }
    /// Keeps the first `count` of them.
    void cut(std::size_t count) {
        for (; pieces_.size() > count; pieces_.pop_back()) bytes_ -= pieces_.back().bytes.size();
    }
    void clear() {
        pieces_.clear();
        bytes_ = 0;
    }
    /// Appends `buffer` with all of them in their places.
    void append_joined(std::string_view buffer, ByteBuffer& to) const {
        to.room(buffer.size() + bytes_);
        std::size_t done = 0;
        for (const Piece& piece : pieces_) {
            to.append(buffer.substr(done, piece.at - done));
            to.append(piece.bytes);
            done = piece.at;
        }
        to.append(buffer.substr(done));
    }

  private:
    struct Piece {
        std::size_t at = 0;
        std::string_view bytes{};
    };

    std::vector<Piece> pieces_{};
    std::size_t bytes_ = 0;
};

}  // namespace ff
