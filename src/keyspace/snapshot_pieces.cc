#include "keyspace/snapshot_pieces.h"

#include <algorithm>
#include <limits>

namespace ff::keyspace {

/// The items of one collection, spread over as many effects as they need.
class SnapshotPieces::Items {
  public:
    Items(SnapshotPieces& pieces, Effect effect, std::string_view key, std::size_t count)
        : pieces_(pieces), effect_(effect), key_(key), left_(count) {}

    /// Where the next item goes.
    EffectWriter& next() {
        if (left_in_effect_ == 0) {
            left_in_effect_ = std::min(left_, kItemsPerEffect);
            pieces_.begin(effect_, key_).number(left_in_effect_);
        }
        --left_in_effect_;
        --left_;
        return pieces_.open_;
    }

  private:
    SnapshotPieces& pieces_;
    Effect effect_;
    std::string_view key_;
    std::size_t left_;
    std::size_t left_in_effect_ = 0;
};

EffectWriter& SnapshotPieces::begin(Effect effect, std::string_view key) {
    if (open_.size() >= kPieceBytes) seal();
    open_.begin(effect, key);
    return open_;
}

void SnapshotPieces::seal() {
    if (open_.size() == 0) return;
    whole_bytes_ += open_.size();
    whole_.push_back(open_.take());
}

bool SnapshotPieces::take(ByteBuffer& out) {
    if (whole_.empty()) return false;
    whole_bytes_ -= whole_.front().size();
    if (out.empty())
        out = std::move(whole_.front());
    else
        out.append(whole_.front().view());
    whole_.pop_front();
    return true;
}

void SnapshotPieces::clear() {
    whole_.clear();
    whole_bytes_ = 0;
    open_.clear();
}

void SnapshotPieces::write_stream(std::string_view key, const StreamValue& stream) {
    const auto write_entry = [&](StreamId id, std::string_view entry_fields) {
        EffectWriter& out = begin(Effect::StreamAdd, key);
        out.number(id.ms);
        out.number(id.seq);
        out.raw(entry_fields);
    };
    stream.for_range({}, StreamId::max(), false, std::numeric_limits<std::size_t>::max(),
                     write_entry);
    EffectWriter& out = begin(Effect::StreamState, key);
    out.number(stream.last_id().ms);
    out.number(stream.last_id().seq);
}

void SnapshotPieces::write_key(const SymbolTable& fields, std::string_view key,
                               const Value& value) {
    if (const auto* text = value.get<ByteString>()) {
        begin(Effect::String, key).bytes(text->view());
    } else if (const auto* hash = value.get<HashValue>()) {
        Items items(*this, Effect::HashPut, key, hash->size());
        hash->for_each(fields, [&items](std::string_view field, std::string_view content) {
            EffectWriter& out = items.next();
            out.bytes(field);
            out.bytes(content);
        });
    } else if (const auto* set = value.get<SetValue>()) {
        Items items(*this, Effect::SetAdd, key, set->size());
        for (const SetMember& member : set->items()) items.next().bytes(member.bytes.view());
    } else if (const auto* list = value.get<ListValue>()) {
        Items items(*this, Effect::ListAppend, key, list->size());
        for (const ByteString& item : *list) items.next().bytes(item.view());
    } else if (const auto* sorted = value.get<SortedSet>()) {
        Items items(*this, Effect::SortedPut, key, sorted->size());
        sorted->for_ranks(0, sorted->size(), false,
                          [&items](std::string_view member, double score) {
                              EffectWriter& out = items.next();
                              out.score(score);
                              out.bytes(member);
                          });
    } else if (const auto* stream = value.get<StreamValue>()) {
        write_stream(key, *stream);
    }
}

void SnapshotPieces::write_expiry(std::string_view key, std::int64_t at_ms) {
    begin(Effect::Expire, key).number(static_cast<std::uint64_t>(at_ms));
}

}  // namespace ff::keyspace
