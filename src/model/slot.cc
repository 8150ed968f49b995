#include "model/slot.h"

#include "base/hash.h"

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

}  // namespace ff::model
