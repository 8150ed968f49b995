#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"

namespace ff::model {

/// A UUID as its 16 bytes in network order. Any version is a valid value.
class Uuid {
  public:
    static constexpr std::size_t kTextSize = 36;
    using Raw = std::array<std::uint8_t, 16>;

    /// The hyphenated form, upper case accepted; every other spelling is `invalid_input` with
    /// detail `InvalidUuid(<text>)`.
    static Result<Uuid> parse(std::string_view text);
    static constexpr Uuid from_raw(const Raw& raw) { return Uuid(raw); }
    static Uuid mint_v4(Random& random);
    /// Sorts by the clock's millisecond; for ids whose order in an index should follow time.
    static Uuid mint_v7(Random& random, const Clock& clock);

    /// Version 5 (SHA-1): the same bytes for the same namespace and name, always.
    static Uuid named(const Uuid& space, std::string_view name);

    /// Hyphenated, lower case.
    std::string to_string() const;
    /// The same as `kTextSize` bytes at `to`, without an allocation; returns their end.
    char* write_text(char* to) const;
    const Raw& raw() const { return raw_; }
    /// The raw bytes as hashes take them; valid while this value lives.
    std::string_view bytes() const {
        return {reinterpret_cast<const char*>(raw_.data()), raw_.size()};
    }

    friend auto operator<=>(const Uuid&, const Uuid&) = default;

  private:
    constexpr explicit Uuid(const Raw& raw) : raw_(raw) {}
    Raw raw_;
};

}  // namespace ff::model

template <>
struct std::hash<ff::model::Uuid> {
    std::size_t operator()(const ff::model::Uuid& uuid) const noexcept {
        return std::hash<std::string_view>{}(uuid.bytes());
    }
};
