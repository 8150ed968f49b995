#include "keyspace/key_table.h"

#include <array>
#include <cstring>
#include <utility>

#include "base/assert.h"

namespace ff::keyspace {
namespace {

/// Keys of a spelling beyond these bounds stand alone: names made by users must not be able to
/// fill memory that is never given back. 65 536 partitions have at most this many places in use.
constexpr SymbolTable::Bounds kPartBounds{.symbols_max = 4096, .name_bytes_max = 56};
constexpr SymbolTable::Bounds kPlaceBounds{.symbols_max = 60000, .name_bytes_max = 35};
/// Stands between head and tail in the name of a part; a head holds none.
constexpr char kSeparator = '{';

std::array<char, KeyGroup::kIdBytes> id_of(SymbolTable::Symbol place, const KeyShape::Uuid& uuid) {
    std::array<char, KeyGroup::kIdBytes> id{};
    std::memcpy(id.data(), &place, sizeof(place));
    std::memcpy(id.data() + sizeof(place), uuid.data(), uuid.size());
    return id;
}

}  // namespace

KeyTable::KeyTable() : parts_(kPartBounds), places_(kPlaceBounds) {}

SymbolTable::Symbol KeyTable::part_of(std::string_view head, std::string_view tail, bool make) {
    const std::size_t size = head.size() + 1 + tail.size();
    if (size > kPartBounds.name_bytes_max) return SymbolTable::kNoSymbol;
    char name[kPartBounds.name_bytes_max];
    if (!head.empty()) std::memcpy(name, head.data(), head.size());
    name[head.size()] = kSeparator;
    if (!tail.empty()) std::memcpy(name + head.size() + 1, tail.data(), tail.size());
    return make ? parts_.intern({name, size}) : parts_.find({name, size});
}

void KeyTable::remember(std::string_view body, std::uint32_t position) {
    if (body.size() > kRememberedBytesMax) return;
    std::memcpy(body_, body.data(), body.size());
    body_bytes_ = body.size();
    remembered_ = position;
}

KeyTable::Spot KeyTable::spot_of(std::string_view key, bool make) {
    const std::size_t open = key.find(kSeparator);
    if (open == std::string_view::npos) return {};
    if (remembered_ != DenseIndex<KeyGroup>::kNowhere && key.size() - open >= body_bytes_ &&
        std::memcmp(key.data() + open, body_, body_bytes_) == 0) {
        const auto part = part_of(key.substr(0, open), key.substr(open + body_bytes_), make);
        if (part == SymbolTable::kNoSymbol) return {};
        return {.group = &groups_.at(remembered_), .part = part};
    }
    const auto shape = KeyShape::of(key);
    if (!shape) return {};
    const auto place = make ? places_.intern(shape->place) : places_.find(shape->place);
    if (place == SymbolTable::kNoSymbol) return {};
    const auto part = part_of(shape->head, shape->tail, make);
    if (part == SymbolTable::kNoSymbol) return {};
    const auto id = id_of(place, shape->uuid);
    const std::string_view id_view(id.data(), id.size());
    std::uint32_t position = groups_.find(id_view);
    if (position == DenseIndex<KeyGroup>::kNowhere) {
        if (!make) return {.group = nullptr, .part = part};
        position = groups_.size();
        groups_.append(KeyGroup(id_view));
    }
    remember(key.substr(open, shape->place.size() + KeyShape::kUuidTextBytes), position);
    return {.group = &groups_.at(position), .part = part};
}

Entry* KeyTable::find(std::string_view key) {
    const Spot spot = spot_of(key, false);
    if (spot.group != nullptr) return spot.group->find(spot.part);
    // A part that is known belongs to a group, so the key cannot stand alone.
    if (spot.part != SymbolTable::kNoSymbol) return nullptr;
    const std::uint32_t at = singles_.find(key);
    return at == DenseIndex<Single>::kNowhere ? nullptr : &singles_.at(at).entry;
}

Entry& KeyTable::create(std::string_view key, Value value) {
    ++size_;
    const Spot spot = spot_of(key, true);
    if (spot.group != nullptr) return spot.group->append(std::move(value), spot.part);
    return singles_
        .append(Single{.name = ByteString(key), .entry = Entry{.value = std::move(value)}})
        .entry;
}

void KeyTable::erase(std::string_view key) {
    --size_;
    const Spot spot = spot_of(key, false);
    if (spot.group == nullptr) {
        singles_.erase(singles_.find(key));
        return;
    }
    Entry* entry = spot.group->find(spot.part);
    FF_ASSERT(entry != nullptr);
    spot.group->erase(*entry);
    if (!spot.group->entries().empty()) return;
    groups_.erase(groups_.find(spot.group->key()));
    remembered_ = DenseIndex<KeyGroup>::kNowhere;
}

KeyTable::Cursor KeyTable::begin_walk() const {
    return {.groups_left = groups_.size(), .singles_left = singles_.size()};
}

void KeyTable::spell(const KeyGroup& group, SymbolTable::Symbol part, std::string& key) const {
    const std::string_view name = parts_.name(part);
    const std::size_t head = name.find(kSeparator);
    key.assign(name.substr(0, head));
    key.append(places_.name(group.place()));
    append_uuid_text(key, group.uuid());
    key.append(name.substr(head + 1));
}

}  // namespace ff::keyspace
