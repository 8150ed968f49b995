#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ff::keyspace {

/// How the keys of one execution, flow or waitpoint are spelled (spec 01, section 4):
///
///     ff:exec:{fp:42}:{fp:42}:11111111-2222-4333-8444-555555555555:lease:current
///     head    place           uuid                                tail
///
/// The body, place and uuid, is what they share; head and tail tell them apart.
struct KeyShape {
    static constexpr std::size_t kUuidTextBytes = 36;
    using Uuid = std::array<char, 16>;

    std::string_view head;
    std::string_view place;
    std::string_view tail;
    Uuid uuid{};

    /// nullopt for every other key; also if the uuid is not in lower case, so that a shape spells
    /// exactly one key.
    static std::optional<KeyShape> of(std::string_view key);

    struct Body {
        std::size_t at = 0;
        std::size_t bytes = 0;
    };
    /// Where the body lies, without a look at the digits of the uuid; nothing for other keys. Part
    /// of the journal's format: an effect may name its key by the body of the key before.
    static Body body_of(std::string_view key);
};

void append_uuid_text(std::string& out, const KeyShape::Uuid& uuid);

}  // namespace ff::keyspace
