#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "hub/feed_cursor.h"
#include "model/execution_id.h"
#include "model/ids.h"
#include "store/call.h"

namespace ff::hub {

enum class FeedFamily : std::uint8_t {
    Completion,
    LeaseHistory,
    InstanceTags,
    Operator,
    SignalDelivery,
    Step,
};
std::string_view to_string(FeedFamily family);
std::optional<FeedFamily> parse_family(std::string_view text);
Feed feed_of(FeedFamily family);

/// One entry of a feed; it may belong to two families.
struct FeedEntry {
    EntryId id{};
    std::vector<std::pair<std::string, std::string>> fields{};

    /// Nothing if it is no entry of a stream.
    static std::optional<FeedEntry> read(const store::Reply& item);
    std::string_view field(std::string_view name) const;
    bool has_family(FeedFamily family) const;
};

/// An entry as a subscriber of one family gets it.
struct FeedEvent {
    FeedFamily family = FeedFamily::Completion;
    FeedPlace place{};
    FeedEntry entry{};

    /// `<family>/<partition>/<ms>-<n>`, the same whenever it is delivered.
    std::string event_id() const;
};

/// What a subscriber wants to see; all conditions hold together.
struct FeedFilter {
    std::vector<FeedFamily> families{};
    std::string ns{};
    std::string lane{};
    std::optional<model::ExecutionId> execution_id{};
    std::optional<model::FlowId> flow_id{};
    std::optional<std::uint16_t> partition{};
    /// Outcomes, lease events, effect classes or operator events; empty for all.
    std::vector<std::string> types{};
    std::vector<std::pair<std::string, std::string>> tags{};

    /// Decides everything but tags.
    bool admits(const FeedEntry& entry, FeedFamily family) const;
};

}  // namespace ff::hub
