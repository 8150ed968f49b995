#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "keyspace/dense_index.h"
#include "keyspace/key_group.h"

namespace ff::keyspace {

/// All keys. Those of one execution, flow or waitpoint share a group: one look-up finds it, the
/// last one is remembered, and a key costs its group two bytes instead of its text. Keys of another
/// spelling stand alone. Pointers to entries are valid until a key is created or erased.
class KeyTable {
  public:
    KeyTable();

    std::size_t size() const { return size_; }
    Entry* find(std::string_view key);
    /// The key must be absent.
    Entry& create(std::string_view key, Value value);
    /// The key must be present.
    void erase(std::string_view key);

    /// A way through the table that a change does not disturb: whatever is there for all of the
    /// time is met at least once. A row is a group or a single key; rows are met from the last to
    /// the first, and a change only ever moves a row forward.
    struct Cursor {
        std::uint32_t groups_left = 0;
        std::uint32_t singles_left = 0;
    };
    Cursor begin_walk() const;
    /// visit(std::string_view key, Entry&) for the keys of the next row; false at the end.
    template <class Visit>
    bool walk_row(Cursor& cursor, Visit&& visit) {
        cursor.groups_left = std::min(cursor.groups_left, groups_.size());
        if (cursor.groups_left > 0) {
            const KeyGroup& group = groups_.at(--cursor.groups_left);
            std::string key;
            for (Entry& entry : group.entries()) {
                spell(group, entry.part, key);
                visit(std::string_view(key), entry);
            }
            return true;
        }
        cursor.singles_left = std::min(cursor.singles_left, singles_.size());
        if (cursor.singles_left == 0) return false;
        Single& single = singles_.at(--cursor.singles_left);
        visit(single.key(), single.entry);
        return true;
    }

  private:
    struct Single {
        ByteString name;
        Entry entry;
        std::string_view key() const { return name.view(); }
    };
    /// Where a key belongs.
    struct Spot {
        KeyGroup* group = nullptr;
        SymbolTable::Symbol part = SymbolTable::kNoSymbol;
    };
    static constexpr std::size_t kRememberedBytesMax = 96;

    /// With `make` the group is created if the key's spelling allows one; without, it is not.
    /// No group: the key stands alone.
    Spot spot_of(std::string_view key, bool make);
    SymbolTable::Symbol part_of(std::string_view head, std::string_view tail, bool make);
    void remember(std::string_view body, std::uint32_t position);
    void spell(const KeyGroup& group, SymbolTable::Symbol part, std::string& key) const;

    SymbolTable parts_;
    SymbolTable places_;
    DenseIndex<KeyGroup> groups_;
    DenseIndex<Single> singles_;
    std::size_t size_ = 0;

    // The body of the last group touched and its place in groups_, which is no longer right once
    // groups come and go: it is forgotten then.
    char body_[kRememberedBytesMax];
    std::size_t body_bytes_ = 0;
    std::uint32_t remembered_ = DenseIndex<KeyGroup>::kNowhere;
};

}  // namespace ff::keyspace
