#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/lent_pieces.h"
#include "keyspace/wire.h"

namespace ff::keyspace {

/// What a write did. An effect is one byte (the kind, and above it how the key is spelled), the
/// key, and what the kind says here; wire.h has the spelling of numbers, bytes and scores. Numbers
/// are part of the journal's format: they are never reused.
enum class Effect : std::uint8_t {
    Delete = 1,        // -
    Expire = 2,        // time in ms since the epoch
    Persist = 3,       // -
    String = 4,        // bytes; the expiry of the key stays
    HashPut = 5,       // n, n times field and value
    HashErase = 6,     // n, n fields
    SetAdd = 7,        // n, n members
    SetErase = 8,      // n, n members
    ListAppend = 9,    // n, n items
    SortedPut = 10,    // n, n times score and member
    SortedErase = 11,  // n, n members
    SortedCut = 12,    // first rank, number of members
    StreamAdd = 13,    // ms, seq, n, n texts: fields and values
    StreamCut = 14,    // number of oldest entries
    StreamState = 15,  // ms and seq of the last id; makes an empty stream if there is none
    Copy = 16,         // bytes: the other key, whose value and expiry this one gets
};

/// How an effect names its key: in full, as the one before, or, sharing the body of the one before
/// (key_shape.h), by head and tail.
enum class KeySpelling : std::uint8_t { Whole = 0, Same = 1, Sibling = 2 };

/// The key of the last effect, kept alike by the writer and the reader.
class KeyMemory {
  public:
    std::string_view key() const { return key_; }
    std::string_view body() const { return std::string_view(key_).substr(body_at_, body_bytes_); }
    void set(std::string_view key);
    /// The key with this head and tail around the body, which stays.
    void set_sibling(std::string_view head, std::string_view tail);
    void clear();

  private:
    std::string key_;
    std::size_t body_at_ = 0;
    std::size_t body_bytes_ = 0;
};

/// Writes effects one after the other, into a buffer of its own or of somebody else. What lies
/// between two clears must stay together.
class EffectWriter {
  public:
    EffectWriter() = default;
    EffectWriter(const EffectWriter&) = delete;
    EffectWriter& operator=(const EffectWriter&) = delete;

    /// What comes is appended there; without a buffer, to its own again. Clears. `lent`: takes
    /// what `stays`, if given.
    void write_to(ByteBuffer* buffer, LentPieces* lent);
    /// Only these bytes stay until the effects are stored.
    void set_staying(std::string_view bytes) { stays_ = bytes; }
    /// Starts an effect; its content follows through the functions below.
    void begin(Effect effect, std::string_view key);
    void number(std::uint64_t value) { out_.number(value); }
    void bytes(std::string_view value) { out_.bytes(value); }
    /// The same for what may be long, and stay.
    void long_bytes(std::string_view value);
    void score(double value) { out_.score(value); }
    void raw(std::string_view encoded) { out_.raw(encoded); }

    std::string_view view() const { return buffer_->view().substr(start_); }
    std::size_t size() const { return buffer_->size() - start_; }
    /// Where it stands.
    struct Mark {
        std::size_t bytes = 0;
        std::size_t lent = 0;
        KeyMemory memory{};
    };
    Mark mark() const;
    /// As if nothing had been written since.
    void cut(Mark mark);
    /// Its own buffer becomes empty and keeps the memory, up to a bound; another stays as it is.
    void clear();
    /// All that its own buffer holds, the memory with it. The next buffer is as large at once.
    ByteBuffer take();

  private:
    static constexpr std::size_t kKeptBytesMax = std::size_t{4} << 20U;
    /// Less is copied sooner than noted.
    static constexpr std::size_t kLentBytesLeast = 512;

    ByteBuffer own_{};
    ByteBuffer* buffer_ = &own_;
    WireWriter out_{own_};
    LentPieces* lent_ = nullptr;
    std::string_view stays_{};
    /// Where in the buffer the first effect begins.
    std::size_t start_ = 0;
    KeyMemory memory_;
};

/// Reads the head of an effect. What is broken shows in the reader.
class EffectReader {
  public:
    explicit EffectReader(std::string_view effects) : wire(effects) {}

    /// Valid until the next call.
    std::string_view next(Effect& effect);

    WireReader wire;

  private:
    KeyMemory memory_;
};

}  // namespace ff::keyspace
