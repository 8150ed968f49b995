#include "keyspace/key_effects.h"

#include <limits>

namespace ff::keyspace {
namespace {

void write_hash(EffectWriter& out, const SymbolTable& fields, std::string_view key,
                const HashValue& hash) {
    out.begin(Effect::HashPut, key);
    out.number(hash.size());
    hash.for_each(fields, [&out](std::string_view field, std::string_view value) {
        out.bytes(field);
        out.bytes(value);
    });
}

void write_sorted(EffectWriter& out, std::string_view key, const SortedSet& sorted) {
    out.begin(Effect::SortedPut, key);
    out.number(sorted.size());
    sorted.for_ranks(0, sorted.size(), false, [&out](std::string_view member, double score) {
        out.score(score);
        out.bytes(member);
    });
}

void write_stream(EffectWriter& out, std::string_view key, const StreamValue& stream) {
    const auto write_entry = [&](StreamId id, std::string_view entry_fields) {
        out.begin(Effect::StreamAdd, key);
        out.number(id.ms);
        out.number(id.seq);
        out.raw(entry_fields);
    };
    stream.for_range({}, StreamId::max(), false, std::numeric_limits<std::size_t>::max(),
                     write_entry);
    out.begin(Effect::StreamState, key);
    out.number(stream.last_id().ms);
    out.number(stream.last_id().seq);
}

}  // namespace

void write_key(EffectWriter& out, const SymbolTable& fields, std::string_view key,
               const Value& value) {
    if (const auto* text = value.get<ByteString>()) {
        out.begin(Effect::String, key);
        out.bytes(text->view());
    } else if (const auto* hash = value.get<HashValue>()) {
        write_hash(out, fields, key, *hash);
    } else if (const auto* set = value.get<SetValue>()) {
        out.begin(Effect::SetAdd, key);
        out.number(set->size());
        for (const SetMember& member : set->items()) out.bytes(member.bytes.view());
    } else if (const auto* list = value.get<ListValue>()) {
        out.begin(Effect::ListAppend, key);
        out.number(list->size());
        for (const ByteString& item : *list) out.bytes(item.view());
    } else if (const auto* sorted = value.get<SortedSet>()) {
        write_sorted(out, key, *sorted);
    } else if (const auto* stream = value.get<StreamValue>()) {
        write_stream(out, key, *stream);
    }
}

void write_expiry(EffectWriter& out, std::string_view key, std::int64_t at_ms) {
    out.begin(Effect::Expire, key);
    out.number(static_cast<std::uint64_t>(at_ms));
}

}  // namespace ff::keyspace
