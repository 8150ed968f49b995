#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "flowfabric/json.h"
#include "flowfabric/result.h"

namespace ff::sdk {
class Door;
}

namespace flowfabric {

/// Something the engine did. Comes at least once: `event_id` tells whether it was seen before.
struct FeedEvent {
    std::string event_id{};
    /// completion, lease_history, instance_tags, signal_delivery, operator.
    std::string family{};
    std::string execution_id{};
    std::string ns{};
    std::string lane{};
    std::string flow_id{};
    /// What happened: the outcome, lease event, effect class or operator event.
    std::string type{};
    std::int64_t at = 0;
    /// With the members of its family (docs/concepts.md).
    Json raw{};
};

/// Entries of a feed that were gone before they could be read.
struct FeedGap {
    /// events or signal_delivery.
    std::string feed{};
    std::int64_t partition = 0;
    /// Nothing when the store was reset and nobody knows.
    std::optional<std::int64_t> lost{};
};

struct FeedPage {
    std::vector<FeedEvent> events{};
    std::vector<FeedGap> gaps{};
    std::string cursor{};
};

struct FeedQuery {
    /// None: all.
    std::vector<std::string> families{};
    /// Where to begin: empty for now, `earliest`, or the cursor of an earlier reading.
    std::string cursor{};
    std::string execution_id{};
    std::string flow_id{};
    std::string ns{};
    std::string lane{};
    /// `key:value`.
    std::string tag{};
    /// Only these types.
    std::vector<std::string> types{};
    int limit = 100;
};

/// Events of all partitions, one after the other; wakes when there is one. Use from one thread at
/// a time.
class Feed {
  public:
    using Item = std::variant<FeedEvent, FeedGap>;

    Feed(std::shared_ptr<ff::sdk::Door> door, FeedQuery query)
        : door_(std::move(door)), query_(std::move(query)), cursor_(query_.cursor) {}

    /// The next one, or nothing when none came within `wait`. After an error the feed goes on
    /// where it stood: the next call tries again, and nothing is lost.
    Result<std::optional<Item>> next(Millis wait);
    /// The same without gaps.
    Result<std::optional<FeedEvent>> next_event(Millis wait);

    /// Behind what next() has given: a feed that begins there goes on with what follows, and
    /// may repeat up to `limit` events.
    const std::string& cursor() const { return cursor_; }

  private:
    Result<std::optional<Item>> take();

    std::shared_ptr<ff::sdk::Door> door_;
    FeedQuery query_;
    /// Of the page before the one that is being given out.
    std::string cursor_;
    std::string page_cursor_{};
    std::deque<Item> items_{};
};

}  // namespace flowfabric
