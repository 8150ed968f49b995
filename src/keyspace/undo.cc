#include "base/assert.h"
#include "keyspace/database.h"

namespace ff::keyspace {
namespace {

using Step = UndoLog::Step;

/// Undoes one step after the other. Each finds the keyspace as its change had left it, and a
/// snapshot under way has had what it needs of the key since before that change.
class Undo {
  public:
    explicit Undo(Database& database) : db_(database) {}

    /// Of a change to the value of the key.
    void change(const UndoLog::Place& place) {
        const auto& [step, key, bytes] = place;
        WireReader content(bytes);
        Entry* entry = db_.for_write(key);
        FF_ASSERT(entry != nullptr);
        Value& value = entry->value;
        switch (step) {
            case Step::StringPut:
                return value.get<ByteString>()->assign(content.bytes());
            case Step::FieldsPut:
                return fields(*value.get<HashValue>(), place.content);
            case Step::MemberErased:
            case Step::MemberNew:
                return member(step, *value.get<SetValue>(), content);
            case Step::ListGrown: {
                auto& list = *value.get<ListValue>();
                list.erase(list.begin() + static_cast<std::ptrdiff_t>(content.number()),
                           list.end());
                return;
            }
            case Step::ScorePut:
            case Step::ScoreNew:
                return score(step, *value.get<SortedSet>(), content);
            case Step::EntryNew:
            case Step::EntryDropped:
                return stream_entry(step, *value.get<StreamValue>(), content);
            case Step::ExpiryPut:
                return db_.set_expiry(key, *entry, static_cast<std::int64_t>(content.number()));
            case Step::ExpiryNew:
                db_.clear_expiry(key, *entry);
                return;
            case Step::KeyCreated:
                return db_.erase(key, *entry);
            case Step::KeyErased:
                break;
        }
        FF_ASSERT(false);
    }
    void restore(std::string_view key, UndoLog::Erased erased) {
        Entry& entry = db_.create(key, std::move(erased.value));
        if (erased.expires_at_ms) db_.set_expiry(key, entry, *erased.expires_at_ms);
    }

  private:
    void fields(HashValue& hash, std::string_view content) {
        const std::vector<UndoLog::Field> all = UndoLog::fields(content);
        for (std::size_t i = all.size(); i > 0; --i) {
            const UndoLog::Field& field = all[i - 1];
            const bool has_symbol = field.symbol != SymbolTable::kNoSymbol;
            // A name in the table may move when another is put there.
            const std::string name(has_symbol ? db_.fields().name(field.symbol) : field.name);
            if (field.before)
                hash.put(db_.fields(), name, *field.before);
            else
                hash.erase(db_.fields(), name);
        }
    }
    /// Positions come back, too: a scan of the set may be under way.
    static void member(Step step, SetValue& set, WireReader& content) {
        const std::string_view member = content.bytes();
        if (step == Step::MemberNew) return set.erase(set.find(member));
        SetValue::Gap gap{.position = static_cast<std::uint32_t>(content.number())};
        gap.took_last = content.number() != 0;
        set.restore(gap, SetMember{.bytes = ByteString(member)});
    }
    static void score(Step step, SortedSet& sorted, WireReader& content) {
        const std::string_view member = content.bytes();
        if (step == Step::ScorePut)
            sorted.put(content.score(), member);
        else
            sorted.erase(member);
    }
    void stream_entry(Step step, StreamValue& stream, WireReader& content) {
        StreamId id;
        id.ms = content.number();
        id.seq = content.number();
        if (step == Step::EntryNew)
            stream.drop_back(id);
        else
            stream.prepend(id, content.bytes(), db_.options().stream_trim_entries);
    }

    Database& db_;
};

}  // namespace

void Database::begin_call() {
    FF_ASSERT(!undo_.active());
    effects_before_ = effects_.mark();
    undo_.begin();
}

void Database::keep_call() {
    undo_.end();
    if (on_append) undo_.for_each_append(on_append);
    undo_.clear();
}

void Database::undo_call() {
    undo_.end();
    effects_.cut(std::move(effects_before_));
    Undo undo(*this);
    const std::vector<UndoLog::Place> steps = undo_.steps();
    for (std::size_t i = steps.size(); i > 0; --i) {
        const UndoLog::Place& place = steps[i - 1];
        if (place.step == Step::KeyErased)
            undo.restore(place.key, undo_.take_erased());
        else
            undo.change(place);
    }
    undo_.clear();
}

void Database::tell_append(std::string_view key) {
    if (!on_append) return;
    if (undo_.active())
        undo_.note_append();
    else
        on_append(key);
}

}  // namespace ff::keyspace
