#include <cmath>

#include "keyspace/database.h"

namespace ff::keyspace {
namespace {

/// Applies effects one by one. Nothing in them is trusted: whatever does not fit spoils the reader,
/// and the effect at which that happened changes nothing more.
class Replay {
  public:
    Replay(Database& database, std::string_view effects) : db_(database), reader_(effects) {}

    /// False at the damage.
    bool run() {
        while (!reader_.wire.done()) {
            Effect effect{};
            key_ = reader_.next(effect);
            if (!reader_.wire.broken()) apply(effect);
        }
        return !reader_.wire.broken();
    }

  private:
    void apply(Effect effect);

    void delete_key();
    void expire();
    void persist();
    void copy();
    void put_string();
    void put_fields();
    void erase_fields();
    void add_members();
    void erase_members();
    void append_items();
    void put_sorted();
    void erase_sorted();
    void cut_sorted();
    void add_entry();
    void cut_stream();
    void set_stream_state();

    void spoil() { reader_.wire.spoil(); }
    /// A count of things that each take at least one byte; 0 and more than can follow are damage.
    std::uint64_t count() {
        const std::uint64_t n = reader_.wire.number();
        if (n == 0 || n > reader_.wire.left()) spoil();
        return reader_.wire.broken() ? 0 : n;
    }
    /// nullptr, and spoilt, if the key is absent or holds another type.
    template <class T>
    T* existing() {
        Entry* entry = db_.for_write(key_);
        T* value = entry == nullptr ? nullptr : entry->value.get<T>();
        if (value == nullptr) spoil();
        return value;
    }
    /// nullptr, and spoilt, if the key holds another type.
    template <class T>
    T* existing_or_new() {
        Entry* entry = db_.for_write(key_);
        if (entry == nullptr) entry = &db_.create(key_, Value::empty<T>());
        T* value = entry->value.get<T>();
        if (value == nullptr) spoil();
        return value;
    }
    /// Calls visit(bytes) for what follows a count. Read twice, so that damage changes nothing.
    template <class Visit>
    bool for_texts(std::uint64_t n, Visit&& visit) {
        WireReader probe = reader_.wire;
        for (std::uint64_t i = 0; i < n; ++i) probe.bytes();
        if (probe.broken() || n == 0) {
            spoil();
            return false;
        }
        for (std::uint64_t i = 0; i < n; ++i) visit(reader_.wire.bytes());
        return true;
    }
    template <class T>
    void drop_if_empty(const T& value) {
        if (value.size() != 0) return;
        db_.erase(key_, *db_.for_write(key_));
    }

    Database& db_;
    EffectReader reader_;
    std::string_view key_;
};

void Replay::delete_key() {
    Entry* entry = db_.for_write(key_);
    if (entry == nullptr) return spoil();
    db_.erase(key_, *entry);
}

void Replay::expire() {
    const auto at_ms = static_cast<std::int64_t>(reader_.wire.number());
    Entry* entry = db_.for_write(key_);
    if (entry == nullptr || reader_.wire.broken()) return spoil();
    db_.set_expiry(key_, *entry, at_ms);
}

void Replay::persist() {
    Entry* entry = db_.for_write(key_);
    if (entry == nullptr) return spoil();
    db_.clear_expiry(key_, *entry);
}

void Replay::copy() {
    const std::string_view source = reader_.wire.bytes();
    const Entry* from = db_.for_write(source);
    if (reader_.wire.broken() || from == nullptr || source == key_) return spoil();
    db_.copy(source, *from, key_);
}

void Replay::put_string() {
    const std::string_view bytes = reader_.wire.bytes();
    if (reader_.wire.broken()) return;
    if (auto* text = existing_or_new<ByteString>()) text->assign(bytes);
}

void Replay::put_fields() {
    const std::uint64_t n = count();
    auto* hash = existing_or_new<HashValue>();
    if (hash == nullptr) return;
    hash->reserve(n);
    std::string_view field;
    bool is_value = false;
    const bool whole = for_texts(n * 2, [&](std::string_view text) {
        if (is_value) hash->put(db_.fields(), field, text);
        field = text;
        is_value = !is_value;
    });
    if (!whole) drop_if_empty(*hash);
}

void Replay::erase_fields() {
    auto* hash = existing<HashValue>();
    if (hash == nullptr) return;
    for_texts(count(), [&](std::string_view field) { hash->erase(db_.fields(), field); });
    drop_if_empty(*hash);
}

void Replay::add_members() {
    const std::uint64_t n = count();
    auto* set = existing_or_new<SetValue>();
    if (set == nullptr) return;
    const bool whole = for_texts(n, [set](std::string_view member) {
        if (set->find(member) == SetValue::kNowhere) {
            set->append(SetMember{.bytes = ByteString(member)});
        }
    });
    if (!whole) drop_if_empty(*set);
}

void Replay::erase_members() {
    auto* set = existing<SetValue>();
    if (set == nullptr) return;
    for_texts(count(), [set](std::string_view member) {
        const std::uint32_t at = set->find(member);
        if (at != SetValue::kNowhere) set->erase(at);
    });
    drop_if_empty(*set);
}

void Replay::append_items() {
    const std::uint64_t n = count();
    auto* list = existing_or_new<ListValue>();
    if (list == nullptr) return;
    for_texts(n, [list](std::string_view item) { list->emplace_back(item); });
    drop_if_empty(*list);
}

void Replay::put_sorted() {
    const std::uint64_t n = count();
    auto* sorted = existing_or_new<SortedSet>();
    if (sorted == nullptr) return;
    for (std::uint64_t i = 0; i < n; ++i) {
        const double score = reader_.wire.score();
        const std::string_view member = reader_.wire.bytes();
        if (reader_.wire.broken() || std::isnan(score)) {
            spoil();
            break;
        }
        sorted->put(score, member);
    }
    drop_if_empty(*sorted);
}

void Replay::erase_sorted() {
    auto* sorted = existing<SortedSet>();
    if (sorted == nullptr) return;
    for_texts(count(), [sorted](std::string_view member) { sorted->erase(member); });
    drop_if_empty(*sorted);
}

void Replay::cut_sorted() {
    const std::uint64_t first = reader_.wire.number();
    const std::uint64_t n = reader_.wire.number();
    auto* sorted = existing<SortedSet>();
    if (sorted == nullptr || reader_.wire.broken()) return;
    if (first > sorted->size() || n > sorted->size() - first) return spoil();
    sorted->erase_ranks(static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(n));
    drop_if_empty(*sorted);
}

void Replay::add_entry() {
    StreamId id;
    id.ms = reader_.wire.number();
    id.seq = reader_.wire.number();
    const char* begin = reader_.wire.position();
    for_texts(count(), [](std::string_view) {});
    if (reader_.wire.broken()) return;
    const auto bytes = static_cast<std::size_t>(reader_.wire.position() - begin);
    if (id == StreamId{}) return spoil();
    auto* stream = existing_or_new<StreamValue>();
    if (stream == nullptr) return;
    if (id <= stream->last_id()) return spoil();
    stream->append(id, {begin, bytes}, db_.options().stream_trim_entries);
}

void Replay::cut_stream() {
    const std::uint64_t n = reader_.wire.number();
    auto* stream = existing<StreamValue>();
    if (stream == nullptr || reader_.wire.broken()) return;
    if (n > stream->size()) return spoil();
    stream->drop_front(static_cast<std::size_t>(n));
}

void Replay::set_stream_state() {
    StreamId id;
    id.ms = reader_.wire.number();
    id.seq = reader_.wire.number();
    if (reader_.wire.broken()) return;
    auto* stream = existing_or_new<StreamValue>();
    if (stream == nullptr) return;
    if (id < stream->last_id()) return spoil();
    stream->set_last_id(id);
}

void Replay::apply(Effect effect) {
    switch (effect) {
        case Effect::Delete:
            return delete_key();
        case Effect::Expire:
            return expire();
        case Effect::Persist:
            return persist();
        case Effect::String:
            return put_string();
        case Effect::HashPut:
            return put_fields();
        case Effect::HashErase:
            return erase_fields();
        case Effect::SetAdd:
            return add_members();
        case Effect::SetErase:
            return erase_members();
        case Effect::ListAppend:
            return append_items();
        case Effect::SortedPut:
            return put_sorted();
        case Effect::SortedErase:
            return erase_sorted();
        case Effect::SortedCut:
            return cut_sorted();
        case Effect::StreamAdd:
            return add_entry();
        case Effect::StreamCut:
            return cut_stream();
        case Effect::StreamState:
            return set_stream_state();
        case Effect::Copy:
            return copy();
    }
    spoil();
}

}  // namespace

Result<Done> Database::apply(std::string_view effects) {
    if (Replay(*this, effects).run()) return Done{};
    return Error{.code = "corruption", .message = "effects that cannot be replayed"};
}

}  // namespace ff::keyspace
