#include "keyspace/undo_log.h"

#include <algorithm>

#include "base/assert.h"

namespace ff::keyspace {

void UndoLog::clear() {
    const auto empty = [](auto& items) {
        constexpr std::size_t kItemsMax = kKeptBytesMax / sizeof(items[0]);
        if (items.capacity() > kItemsMax) items = std::remove_reference_t<decltype(items)>();
        items.clear();
    };
    if (texts_.capacity() > kKeptBytesMax) texts_ = {};
    texts_.clear();
    empty(steps_);
    empty(erased_);
    empty(appended_);
    begin_command();
}

std::vector<UndoLog::Place> UndoLog::steps() const {
    std::vector<Place> places;
    places.reserve(steps_.size());
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        const std::size_t end = i + 1 < steps_.size() ? steps_[i + 1] : texts_.size();
        WireReader text(texts_.view().substr(steps_[i], end - steps_[i]));
        const std::uint8_t head = text.byte();
        const bool same = (head & kSameKey) != 0;
        Place place{.step = static_cast<Step>(head & ~kSameKey)};
        place.key = same ? places.back().key : text.bytes();
        place.content = {text.position(), text.left()};
        places.push_back(place);
    }
    return places;
}

bool UndoLog::names(std::string_view key) const {
    return std::ranges::any_of(steps_, [this, key](std::size_t step) {
        WireReader text(texts_.view().substr(step));
        return (text.byte() & kSameKey) == 0 && text.bytes() == key;
    });
}

std::vector<UndoLog::Field> UndoLog::fields(std::string_view content) {
    constexpr std::size_t kFixedBytes = sizeof(SymbolTable::Symbol) + ByteString::kObjectBytes;
    std::vector<Field> fields;
    while (!content.empty()) {
        FF_ASSERT(content.size() >= kFixedBytes);
        Field field;
        std::memcpy(&field.symbol, content.data(), sizeof(field.symbol));
        const char* object = content.data() + sizeof(field.symbol);
        WireReader rest(content.substr(kFixedBytes));
        if (field.symbol == SymbolTable::kNoSymbol) field.name = rest.bytes();
        const char tag = object[ByteString::kObjectBytes - 1];
        if (!is_long(object))
            field.before = std::string_view(object, static_cast<std::size_t>(tag));
        else if (tag != kNoFieldTag)
            field.before = rest.bytes();
        fields.push_back(field);
        content = {rest.position(), rest.left()};
    }
    return fields;
}

UndoLog::Erased UndoLog::take_erased() {
    FF_ASSERT(!erased_.empty());
    Erased last = std::move(erased_.back());
    erased_.pop_back();
    return last;
}

std::string_view UndoLog::key_of(std::size_t step) const {
    const auto spells_none = [this](std::size_t at) {
        return (static_cast<std::uint8_t>(texts_.view()[steps_[at]]) & kSameKey) != 0;
    };
    while (spells_none(step)) --step;
    return WireReader(texts_.view().substr(steps_[step] + 1)).bytes();
}

}  // namespace ff::keyspace
