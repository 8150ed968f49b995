#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "hub/entry_id.h"

namespace ff::hub {

/// The two event feeds of a partition; the values are their codes in cursors.
enum class Feed : std::uint8_t { Events = 1, SignalDelivery = 2 };

struct FeedPlace {
    Feed feed = Feed::Events;
    std::uint16_t partition = 0;
    friend auto operator<=>(const FeedPlace&, const FeedPlace&) = default;
};

/// How far a subscriber has come in each feed. A feed that is not in it is read from its beginning.
struct FeedCursor {
    std::map<FeedPlace, EntryId> positions{};

    /// Unpadded base64url. Anything that is not a cursor is `invalid_cursor`; the old form of 17
    /// bytes is understood where `only` names the one feed that it can mean.
    static Result<FeedCursor> parse(std::string_view text, const FeedPlace* only = nullptr);
    std::string to_string() const;

    EntryId at(const FeedPlace& place) const;
    friend bool operator==(const FeedCursor&, const FeedCursor&) = default;
};

}  // namespace ff::hub
