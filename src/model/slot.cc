#include "model/slot.h"

#include "base/hash.h"
#include "model/transport_kind.h"

namespace ff::model {

std::string_view hash_tag(std::string_view key) {
    const std::size_t open = key.find('{');
    if (open == std::string_view::npos) return key;
    const std::size_t close = key.find('}', open + 1);
    if (close == std::string_view::npos || close == open + 1) return key;
    return key.substr(open + 1, close - open - 1);
}

std::uint16_t slot_of(std::string_view key) {
    return crc16(hash_tag(key)) % kSlotCount;
}

Result<std::optional<std::uint16_t>> slot_of_call(std::span<const std::string> keys) {
    if (keys.empty()) return std::optional<std::uint16_t>();
    const std::string_view tag = hash_tag(keys.front());
    for (const std::string& key : keys.subspan(1)) {
        if (hash_tag(key) != tag)
            return storage_error(
                TransportKind::CrossSlot,
                "keys of one call have different hash tags: " + keys.front() + " and " + key);
    }
    return std::optional<std::uint16_t>(slot_of(keys.front()));
}

}  // namespace ff::model
