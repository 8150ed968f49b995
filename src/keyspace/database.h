#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "keyspace/effects.h"
#include "keyspace/expiry_index.h"
#include "keyspace/key_table.h"
#include "keyspace/keyspace.h"
#include "keyspace/snapshot_pieces.h"
#include "keyspace/undo_log.h"

namespace ff::keyspace {

/// Keys, their expiry, the log of effects and the snapshot under way: everything commands and
/// replay work on. Every change to a value is announced by `for_write`, which keeps what a snapshot
/// still needs.
class Database {
  public:
    explicit Database(KeyspaceOptions options) : options_(options) {}

    const KeyspaceOptions& options() const { return options_; }
    SymbolTable& fields() { return fields_; }
    EffectWriter& effects() { return effects_; }
    std::size_t key_count() const { return keys_.size(); }

    /// What a command sees: a key that is due does not exist.
    const Entry* find(std::string_view key, std::int64_t now_ms);
    /// The same, to be changed. A key that is due is deleted, and that is logged.
    Entry* for_write(std::string_view key, std::int64_t now_ms);

    /// What replay sees: the clock plays no part.
    Entry* for_write(std::string_view key);

    /// The key must be absent. Nothing below logs.
    Entry& create(std::string_view key, Value value);
    /// The key must be present and have come from for_write.
    void erase(std::string_view key, Entry& entry);
    void set_expiry(std::string_view key, Entry& entry, std::int64_t at_ms);
    /// False if there was none.
    bool clear_expiry(std::string_view key, Entry& entry);
    /// Gives `to`, whatever it was, the value and the expiry of another key.
    void copy(std::string_view from, const Entry& entry, std::string_view to);

    /// What is changed from here on can be undone, until it is kept.
    void begin_call();
    void keep_call();
    void undo_call();
    void begin_command() { undo_.begin_command(); }
    /// Where a change of a value says how to undo it; nullptr if nobody will ask. Keys and expiries
    /// are noted here.
    UndoLog* undo() { return undo_.active() ? &undo_ : nullptr; }
    /// Whether the call under way has changed this key, or any.
    bool has_written(std::string_view key) const { return undo_.names(key); }
    bool has_written() const { return !undo_.empty(); }
    /// An entry was added to this stream.
    void tell_append(std::string_view key);

    Result<Done> apply(std::string_view effects);
    std::size_t expire_due(std::int64_t now_ms, std::size_t limit);
    std::optional<std::int64_t> next_expiry() const { return expiries_.first_time(); }

    void begin_snapshot();
    bool snapshot_step(std::size_t budget_bytes, ByteBuffer& out);
    void abort_snapshot();

    void for_each_key(
        const std::function<void(std::string_view key, std::string_view type)>& visit);

    std::function<void(std::string_view key)> on_append;
    /// Of everything below, as far as it is metered.
    std::int64_t memory_bytes = 0;

  private:
    bool is_due(std::string_view key, const Entry& entry, std::int64_t now_ms) const {
        return entry.expires && expiries_.at(key) <= now_ms;
    }
    void save(std::string_view key, Entry& entry);
    void note_expiry(std::string_view key, const Entry& entry);

    KeyspaceOptions options_;
    KeyTable keys_;
    ExpiryIndex expiries_;
    SymbolTable fields_;
    EffectWriter effects_;
    UndoLog undo_;
    /// Of the call under way.
    EffectWriter::Mark effects_before_;

    // The snapshot under way. An entry whose saved_in is snapshot_ needs no saving: it has been
    // saved or is younger. `saved_` is what the next step hands out.
    std::uint32_t snapshot_ = 0;
    bool snapshot_active_ = false;
    KeyTable::Cursor snapshot_cursor_;
    SnapshotPieces saved_;
};

}  // namespace ff::keyspace
