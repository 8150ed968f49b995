#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "keyspace/value.h"
#include "keyspace/wire.h"

namespace ff::keyspace {

/// What the call under way has found where it wrote, so that all of it can be put back: steps, each
/// of which undoes one change of one key, to be taken from the last to the first. Texts are copied,
/// because most of them are shorter than a pointer to them would be; values of keys that were
/// deleted are moved here, and go when the call is kept.
class UndoLog {
  public:
    /// What a change was, and in brackets what is kept of it.
    enum class Step : std::uint8_t {
        KeyCreated,    // -
        KeyErased,     // value and expiry, in `erased`
        ExpiryPut,     // time before
        ExpiryNew,     // -
        StringPut,     // bytes before
        FieldsPut,     // field by field, each with what it held
        MemberErased,  // member, position, 1 if the last one took its place or 0
        MemberNew,     // member
        ListGrown,     // items before
        ScorePut,      // member, score before; put anew or erased
        ScoreNew,      // member
        EntryNew,      // ms and seq of the last id before
        EntryDropped,  // ms, seq, fields
    };
    struct Erased {
        Value value;
        std::optional<std::int64_t> expires_at_ms;
    };

    UndoLog() = default;
    UndoLog(const UndoLog&) = delete;
    UndoLog& operator=(const UndoLog&) = delete;

    bool active() const { return active_; }
    void begin() { active_ = true; }
    /// Nothing is noted any more; what was is still there, until it is cleared.
    void end() { active_ = false; }
    /// Keeps the memory, up to a bound.
    void clear();

    /// Texts of keys may lie elsewhere from now on.
    void begin_command() { last_key_ = {}; }
    /// Starts a step; what is kept follows through the functions below.
    void note(Step step, std::string_view key) {
        steps_.push_back(texts_.size());
        const bool same = key.data() == last_key_.data() && key.size() == last_key_.size() &&
                          key.data() != nullptr;
        out_.byte(static_cast<std::uint8_t>(step) | (same ? kSameKey : 0U));
        if (same) return;
        out_.bytes(key);
        last_key_ = key;
    }
    void number(std::uint64_t value) { out_.number(value); }
    void bytes(std::string_view value) { out_.bytes(value); }
    void score(double value) { out_.score(value); }
    void note_erased(std::string_view key, Erased erased) {
        note(Step::KeyErased, key);
        erased_.push_back(std::move(erased));
    }
    /// A field of FieldsPut that is about to be replaced or erased. Its symbol, if it has one, is
    /// as good as its name.
    void field(SymbolTable::Symbol symbol, std::string_view name, const ByteString& before) {
        put_field(symbol, before.object());
        if (symbol == SymbolTable::kNoSymbol) out_.bytes(name);
        if (is_long(before.object())) out_.bytes(before.view());
    }
    /// One that is new.
    void new_field(SymbolTable::Symbol symbol, std::string_view name) {
        constexpr std::size_t kTag = ByteString::kObjectBytes - 1;
        char none[ByteString::kObjectBytes] = {};
        none[kTag] = kNoFieldTag;
        put_field(symbol, none);
        if (symbol == SymbolTable::kNoSymbol) out_.bytes(name);
    }
    /// Entries were added to this stream; who waits for them hears of it when the call is kept.
    /// The last step is of the same key.
    void note_append() { appended_.push_back(steps_.size() - 1); }

    /// A step, as it is taken back.
    struct Place {
        Step step{};
        std::string_view key{};
        std::string_view content{};
    };
    std::vector<Place> steps() const;
    bool empty() const { return steps_.empty(); }
    /// Whether a step is of this key. Looks at them one by one.
    bool names(std::string_view key) const;
    /// Of FieldsPut.
    struct Field {
        SymbolTable::Symbol symbol = SymbolTable::kNoSymbol;
        /// If there is no symbol.
        std::string_view name{};
        /// Nothing: the field was new.
        std::optional<std::string_view> before{};
    };
    static std::vector<Field> fields(std::string_view content);
    /// The last one of a key that was erased and not taken yet.
    Erased take_erased();
    /// visit(std::string_view key) for every note_append, in order.
    template <class Visit>
    void for_each_append(Visit&& visit) const {
        for (const std::size_t step : appended_) visit(key_of(step));
    }

  private:
    static constexpr std::size_t kKeptBytesMax = std::size_t{4} << 20U;

    /// The key is that of the step before.
    static constexpr std::uint8_t kSameKey = 0x80;
    /// In place of a string that is not there.
    static constexpr char kNoFieldTag = static_cast<char>(0xfe);

    std::string_view key_of(std::size_t step) const;
    static bool is_long(const char* object) {
        return static_cast<unsigned char>(object[ByteString::kObjectBytes - 1]) >
               ByteString::kInPlaceMax;
    }
    void put_field(SymbolTable::Symbol symbol, const char* object) {
        char* to = texts_.room(sizeof(symbol) + ByteString::kObjectBytes);
        std::memcpy(to, &symbol, sizeof(symbol));
        std::memcpy(to + sizeof(symbol), object, ByteString::kObjectBytes);
        texts_.end_at(to + sizeof(symbol) + ByteString::kObjectBytes);
    }

    bool active_ = false;
    ByteBuffer texts_{};
    WireWriter out_{texts_};
    /// Where in the texts each step begins.
    std::vector<std::uint64_t> steps_{};
    std::vector<Erased> erased_{};
    /// Steps.
    std::vector<std::size_t> appended_{};
    /// Of the command under way: the next step of the same key need not spell it.
    std::string_view last_key_{};
};

}  // namespace ff::keyspace
