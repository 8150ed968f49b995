#pragma once

#include <cstdint>
#include <deque>
#include <string_view>

#include "keyspace/effects.h"
#include "keyspace/value.h"

namespace ff::keyspace {

/// Effects that build keys anew, in pieces each of which stands alone: a key larger than a piece is
/// spread over several.
class SnapshotPieces {
  public:
    static constexpr std::size_t kPieceBytes = std::size_t{256} << 10U;
    /// Of a collection; one effect holds no more.
    static constexpr std::size_t kItemsPerEffect = 128;

    /// The key is absent where the effects will be applied.
    void write_key(const SymbolTable& fields, std::string_view key, const Value& value);
    void write_expiry(std::string_view key, std::int64_t at_ms);

    /// Written and not taken yet.
    std::size_t bytes() const { return whole_bytes_ + open_.size(); }
    /// Ends the piece being written.
    void seal();
    /// Appends the oldest whole piece to `out`; false if there is none.
    bool take(ByteBuffer& out);
    bool empty() const { return bytes() == 0; }
    void clear();

  private:
    class Items;

    void write_stream(std::string_view key, const StreamValue& stream);
    /// Starts an effect, in a new piece if this one is full.
    EffectWriter& begin(Effect effect, std::string_view key);

    EffectWriter open_;
    std::deque<ByteBuffer> whole_;
    std::size_t whole_bytes_ = 0;
};

}  // namespace ff::keyspace
