#include "keyspace/database.h"

#include <algorithm>

#include "base/assert.h"

namespace ff::keyspace {

const Entry* Database::find(std::string_view key, std::int64_t now_ms) {
    const Entry* entry = keys_.find(key);
    if (entry == nullptr || is_due(key, *entry, now_ms)) return nullptr;
    return entry;
}

Entry* Database::for_write(std::string_view key, std::int64_t now_ms) {
    Entry* entry = for_write(key);
    if (entry == nullptr || !is_due(key, *entry, now_ms)) return entry;
    effects_.begin(Effect::Delete, key);
    erase(key, *entry);
    return nullptr;
}

Entry* Database::for_write(std::string_view key) {
    Entry* entry = keys_.find(key);
    if (entry != nullptr && snapshot_active_) save(key, *entry);
    return entry;
}

Entry& Database::create(std::string_view key, Value value) {
    Entry& entry = keys_.create(key, std::move(value));
    entry.saved_in = snapshot_;
    if (undo_.active()) undo_.note(UndoLog::Step::KeyCreated, key);
    return entry;
}

void Database::erase(std::string_view key, Entry& entry) {
    if (undo_.active()) {
        UndoLog::Erased erased{.value = std::move(entry.value), .expires_at_ms = std::nullopt};
        if (entry.expires) erased.expires_at_ms = expiries_.at(key);
        undo_.note_erased(key, std::move(erased));
    }
    if (entry.expires) expiries_.erase(key);
    keys_.erase(key);
}

void Database::note_expiry(std::string_view key, const Entry& entry) {
    if (!undo_.active()) return;
    undo_.note(entry.expires ? UndoLog::Step::ExpiryPut : UndoLog::Step::ExpiryNew, key);
    if (entry.expires) undo_.number(static_cast<std::uint64_t>(expiries_.at(key)));
}

void Database::set_expiry(std::string_view key, Entry& entry, std::int64_t at_ms) {
    note_expiry(key, entry);
    expiries_.put(key, at_ms);
    entry.expires = true;
}

bool Database::clear_expiry(std::string_view key, Entry& entry) {
    if (!entry.expires) return false;
    note_expiry(key, entry);
    expiries_.erase(key);
    entry.expires = false;
    return true;
}

void Database::copy(std::string_view from, const Entry& entry, std::string_view to) {
    // Nothing may be read through `entry` once keys come or go.
    Value value = entry.value.clone();
    std::optional<std::int64_t> expiry;
    if (entry.expires) expiry = expiries_.at(from);
    Entry* replaced = for_write(to);
    if (replaced != nullptr) erase(to, *replaced);
    Entry& copied = create(to, std::move(value));
    if (expiry) set_expiry(to, copied, *expiry);
}

std::size_t Database::expire_due(std::int64_t now_ms, std::size_t limit) {
    std::size_t count = 0;
    for (; count < limit; ++count) {
        const auto first = expiries_.first_time();
        if (!first || *first > now_ms) break;
        const std::string key(expiries_.first_key());
        const Entry* gone = for_write(key, now_ms);
        FF_ASSERT(gone == nullptr);
    }
    return count;
}

void Database::save(std::string_view key, Entry& entry) {
    if (entry.saved_in == snapshot_) return;
    entry.saved_in = snapshot_;
    saved_.write_key(fields_, key, entry.value);
    if (entry.expires) saved_.write_expiry(key, expiries_.at(key));
}

void Database::begin_snapshot() {
    FF_ASSERT(!snapshot_active_);
    ++snapshot_;
    snapshot_active_ = true;
    snapshot_cursor_ = keys_.begin_walk();
}

bool Database::snapshot_step(std::size_t budget_bytes, ByteBuffer& out) {
    FF_ASSERT(snapshot_active_);
    const auto visit = [this](std::string_view key, Entry& entry) { save(key, entry); };
    const std::size_t budget = std::max<std::size_t>(budget_bytes, 1);
    bool more = true;
    while (more && saved_.bytes() < budget) more = keys_.walk_row(snapshot_cursor_, visit);
    saved_.seal();
    const std::size_t full = out.size() + budget;
    while (out.size() < full && saved_.take(out)) {
    }
    if (more || !saved_.empty()) return false;
    snapshot_active_ = false;
    return true;
}

void Database::abort_snapshot() {
    snapshot_active_ = false;
    saved_.clear();
}

void Database::for_each_key(
    const std::function<void(std::string_view key, std::string_view type)>& visit) {
    KeyTable::Cursor cursor = keys_.begin_walk();
    const auto visit_entry = [&visit](std::string_view key, const Entry& entry) {
        visit(key, entry.value.type_name());
    };
    while (keys_.walk_row(cursor, visit_entry)) {
    }
}

}  // namespace ff::keyspace
