#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ff::hub {

/// The id of a stream entry. Of frames and feed entries `n` is their lifetime number in the stream.
struct EntryId {
    std::uint64_t ms = 0;
    std::uint64_t n = 0;

    /// `<ms>-<n>`, or `<ms>` for `<ms>-0`.
    static std::optional<EntryId> parse(std::string_view text);
    std::string to_string() const;

    friend auto operator<=>(const EntryId&, const EntryId&) = default;
};

}  // namespace ff::hub
