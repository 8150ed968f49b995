#include "twin/fingerprint.h"

#include <bit>
#include <unordered_map>

#include "keyspace/effects.h"

namespace ff::twin {
namespace {

using keyspace::Effect;
using keyspace::WireReader;

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
    std::uint64_t x = (a ^ std::rotl(b, 23)) * 0x9e3779b97f4a7c15U;
    x ^= x >> 29U;
    x *= 0xbf58476d1ce4e5b9U;
    return x ^ (x >> 32U);
}

std::uint64_t hash_of(std::string_view text) {
    return mixed(std::hash<std::string_view>()(text), text.size());
}

/// JSON by the bytes it has, wherever they stand.
std::uint64_t text_hash(std::string_view text) {
    if (!text.starts_with('{') && !text.starts_with('[')) return hash_of(text);
    std::uint64_t sum = text.size();
    for (const char byte : text) sum += mixed(static_cast<unsigned char>(byte), 1);
    return sum;
}

std::uint64_t pair_sum(WireReader& wire, std::uint64_t pairs) {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < pairs && !wire.broken(); ++i) {
        const std::uint64_t name = hash_of(wire.bytes());
        sum += mixed(name, text_hash(wire.bytes()));
    }
    return sum;
}

std::uint64_t text_sum(WireReader& wire, std::uint64_t texts) {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < texts && !wire.broken(); ++i) sum += text_hash(wire.bytes());
    return sum;
}

std::uint64_t scored_sum(WireReader& wire) {
    std::uint64_t sum = 0;
    const std::uint64_t count = wire.number();
    for (std::uint64_t i = 0; i < count && !wire.broken(); ++i) {
        const auto score = std::bit_cast<std::uint64_t>(wire.score());
        sum += mixed(score, hash_of(wire.bytes()));
    }
    return sum;
}

std::uint64_t two_numbers(WireReader& wire) {
    const std::uint64_t first = wire.number();
    return mixed(first, wire.number());
}

std::uint64_t entry_hash(WireReader& wire) {
    const std::uint64_t id = two_numbers(wire);
    const std::uint64_t texts = wire.number();
    return mixed(id, pair_sum(wire, texts / 2));
}

std::uint64_t content_sum(Effect effect, WireReader& wire) {
    switch (effect) {
        case Effect::Delete:
        case Effect::Persist:
            return 1;
        case Effect::Expire:
        case Effect::StreamCut:
            return wire.number();
        case Effect::SortedCut:
        case Effect::StreamState:
            return two_numbers(wire);
        case Effect::String:
            return text_hash(wire.bytes());
        case Effect::Copy:
            return hash_of(wire.bytes());
        case Effect::HashPut:
            return pair_sum(wire, wire.number());
        case Effect::HashErase:
        case Effect::SetAdd:
        case Effect::SetErase:
        case Effect::SortedErase:
        case Effect::ListAppend:
            return text_sum(wire, wire.number());
        case Effect::SortedPut:
            return scored_sum(wire);
        case Effect::StreamAdd:
            return entry_hash(wire);
    }
    wire.spoil();
    return 0;
}

/// Calls visit(key, effect, sum of its content).
template <class Visit>
void for_effects(std::string_view effects, const Visit& visit) {
    keyspace::EffectReader reader(effects);
    while (!reader.wire.done()) {
        Effect effect{};
        const std::uint64_t key = hash_of(reader.next(effect));
        visit(key, effect, content_sum(effect, reader.wire));
    }
}

/// To be multiplied with what the effect says: what is told in two parts then adds up to what is
/// told in one.
std::uint64_t named(std::uint64_t key, Effect effect) {
    return mixed(key, static_cast<std::uint64_t>(effect)) | 1U;
}

}  // namespace

std::uint64_t call_fingerprint(std::string_view effects) {
    struct Place {
        Effect last{};
        std::uint64_t number = 0;
    };
    std::uint64_t sum = 0;
    std::unordered_map<std::uint64_t, Place> places;
    for_effects(effects, [&](std::uint64_t key, Effect effect, std::uint64_t content) {
        Place& place = places[key];
        if (place.last != effect) ++place.number;
        place.last = effect;
        sum += (mixed(named(key, effect), place.number) | 1U) * content;
    });
    return sum;
}

std::uint64_t content_fingerprint(std::string_view effects) {
    std::uint64_t sum = 0;
    for_effects(effects, [&](std::uint64_t key, Effect effect, std::uint64_t content) {
        sum += named(key, effect) * content;
    });
    return sum;
}

}  // namespace ff::twin
