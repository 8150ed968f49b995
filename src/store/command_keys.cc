#include "store/command_keys.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/numbers.h"
#include "model/slot.h"
#include "model/transport_kind.h"

namespace ff::store {
namespace {

using Args = std::span<const std::string_view>;

/// Where a command has its keys.
enum class KeyPlace : std::uint8_t {
    First,         // the argument after the name
    All,           // every argument after the name
    FirstTwo,      // source and destination
    Counted,       // FCALL name numkeys keys...
    AfterStreams,  // the first half of what follows STREAMS
};

struct Place {
    std::string_view name{};
    KeyPlace place = KeyPlace::First;
};

// Sorted by name, for the search below.
constexpr std::array kPlaces = std::to_array<Place>({
    {"copy", KeyPlace::FirstTwo},
    {"decr", KeyPlace::First},
    {"del", KeyPlace::All},
    {"exists", KeyPlace::All},
    {"fcall", KeyPlace::Counted},
    {"fcall_ro", KeyPlace::Counted},
    {"get", KeyPlace::First},
    {"hdel", KeyPlace::First},
    {"hexists", KeyPlace::First},
    {"hget", KeyPlace::First},
    {"hgetall", KeyPlace::First},
    {"hincrby", KeyPlace::First},
    {"hkeys", KeyPlace::First},
    {"hlen", KeyPlace::First},
    {"hmget", KeyPlace::First},
    {"hset", KeyPlace::First},
    {"hsetnx", KeyPlace::First},
    {"incr", KeyPlace::First},
    {"lrange", KeyPlace::First},
    {"persist", KeyPlace::First},
    {"pexpire", KeyPlace::First},
    {"pexpireat", KeyPlace::First},
    {"rpush", KeyPlace::First},
    {"sadd", KeyPlace::First},
    {"scard", KeyPlace::First},
    {"set", KeyPlace::First},
    {"sismember", KeyPlace::First},
    {"smembers", KeyPlace::First},
    {"srem", KeyPlace::First},
    {"sscan", KeyPlace::First},
    {"strlen", KeyPlace::First},
    {"xadd", KeyPlace::First},
    {"xlen", KeyPlace::First},
    {"xrange", KeyPlace::First},
    {"xread", KeyPlace::AfterStreams},
    {"xrevrange", KeyPlace::First},
    {"xtrim", KeyPlace::First},
    {"zadd", KeyPlace::First},
    {"zcard", KeyPlace::First},
    {"zcount", KeyPlace::First},
    {"zrange", KeyPlace::First},
    {"zrangebyscore", KeyPlace::First},
    {"zrem", KeyPlace::First},
    {"zremrangebyscore", KeyPlace::First},
    {"zrevrange", KeyPlace::First},
    {"zscore", KeyPlace::First},
});
static_assert(std::ranges::is_sorted(kPlaces, {}, &Place::name));

constexpr std::size_t kNameBytesMax = 24;

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

const Place* find_place(std::string_view name) {
    if (name.size() > kNameBytesMax) return nullptr;
    std::array<char, kNameBytesMax> folded;
    std::ranges::transform(name, folded.begin(), lower);
    const std::string_view wanted(folded.data(), name.size());
    const auto* const found = std::ranges::lower_bound(kPlaces, wanted, {}, &Place::name);
    return found != kPlaces.end() && found->name == wanted ? found : nullptr;
}

bool is_word(std::string_view text, std::string_view lower_case_word) {
    return std::ranges::equal(text, lower_case_word, {}, lower);
}

constexpr std::size_t kCountPosition = 2;

/// How many keys a counted call says it has; nothing if it does not say, or has fewer.
std::optional<std::size_t> declared_keys(Args args) {
    if (args.size() <= kCountPosition) return std::nullopt;
    const auto count = parse_u64(args[kCountPosition]);
    if (!count || *count > args.size() - kCountPosition - 1) return std::nullopt;
    return *count;
}

Args keys_after_streams(Args args) {
    for (std::size_t i = 1; i < args.size(); ++i) {
        if (!is_word(args[i], "streams")) continue;
        const Args rest = args.subspan(i + 1);
        return rest.first(rest.size() / 2);
    }
    return {};
}

Args keys_at(KeyPlace place, Args args) {
    const Args rest = args.subspan(1);
    switch (place) {
        case KeyPlace::First:
            return rest.first(std::min<std::size_t>(rest.size(), 1));
        case KeyPlace::FirstTwo:
            return rest.first(std::min<std::size_t>(rest.size(), 2));
        case KeyPlace::All:
            return rest;
        case KeyPlace::Counted:
            return args.size() <= kCountPosition
                       ? Args()
                       : args.subspan(kCountPosition + 1, declared_keys(args).value_or(0));
        case KeyPlace::AfterStreams:
            return keys_after_streams(args);
    }
    return {};
}

}  // namespace

std::span<const std::string_view> keys_of(Args args) {
    if (args.empty()) return {};
    const Place* place = find_place(args.front());
    return place == nullptr ? Args() : keys_at(place->place, args);
}

Result<std::optional<std::uint16_t>> slot_of(Args args) {
    if (args.empty()) return std::optional<std::uint16_t>();
    const Place* place = find_place(args.front());
    if (place == nullptr) return std::optional<std::uint16_t>();
    if (place->place == KeyPlace::Counted && !declared_keys(args)) {
        return model::storage_error(model::TransportKind::ResponseError,
                                    "ERR Number of keys can't be greater than number of args");
    }
    const Args keys = keys_at(place->place, args);
    if (keys.empty()) return std::optional<std::uint16_t>();
    const std::string_view tag = model::hash_tag(keys.front());
    const std::uint16_t slot = model::slot_of(keys.front());
    for (const std::string_view key : keys.subspan(1)) {
        // Equal tags are the rule; only other ones are worth hashing.
        if (model::hash_tag(key) == tag || model::slot_of(key) == slot) continue;
        return model::storage_error(model::TransportKind::CrossSlot,
                                    "CROSSSLOT keys of one call in several slots: " +
                                        std::string(keys.front()) + " and " + std::string(key));
    }
    return std::optional<std::uint16_t>(slot);
}

}  // namespace ff::store
