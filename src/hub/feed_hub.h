#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "base/deadline.h"
#include "base/task.h"
#include "base/time.h"
#include "hub/feed_cursor.h"
#include "hub/feed_event.h"
#include "hub/probe.h"
#include "hub/stream_watch.h"
#include "hub/tag_cache.h"
#include "model/partition.h"
#include "store/store.h"

namespace ff::hub {

struct FeedHubOptions {
    model::PartitionConfig partitions{};
    /// Feeds of more partitions than reads take turns.
    WatchOptions watch{.reads_max = 16};
    /// Entries of one feed that are read at once.
    std::int64_t page_size = 128;
    /// A store that does not answer is asked again for so long before a subscription ends.
    Millis trouble_max{10'000};
    /// Outlives the hub.
    Probe* probe = &no_probe();
};

/// Entries that a subscriber cannot get any more.
struct FeedGap {
    FeedPlace place{};
    /// Nothing: the feed began anew, and is delivered from its oldest entry.
    std::optional<std::uint64_t> lost{};
};

struct FeedPage {
    std::vector<FeedGap> gaps{};
    std::vector<FeedEvent> events{};
    /// Past everything that was examined.
    FeedCursor cursor{};
    bool stopped = false;
};

/// One subscriber, on the feeds that its filter needs.
class FeedSubscription {
  public:
    FeedSubscription(FeedFilter filter, FeedCursor cursor)
        : filter_(std::move(filter)), cursor_(std::move(cursor)) {}

    const FeedFilter& filter() const { return filter_; }
    const FeedCursor& cursor() const { return cursor_; }

  private:
    friend class FeedHub;
    FeedFilter filter_;
    FeedCursor cursor_;
    /// What the hub knew of each feed at the last look; empty before the first.
    std::map<FeedPlace, EntryId> seen_{};
};

/// Delivers the event feeds of all partitions to subscribers, at least once and in the order of
/// each partition; what is lost is told. Lives on one loop.
class FeedHub {
  public:
    FeedHub(boost::asio::any_io_executor loop, store::Store& store, FeedHubOptions options);
    ~FeedHub();

    /// A cursor behind the newest entries there are now.
    Task<FeedCursor> now(const FeedFilter& filter);
    /// A cursor in front of the first entry that is not older.
    Task<FeedCursor> since(const FeedFilter& filter, Timestamp at);
    /// The next events or gaps; waits for them until the deadline. One caller at a time for each
    /// subscription, which is at its new cursor afterwards. After an error it is where it was.
    Task<FeedPage> next(FeedSubscription& subscription, std::size_t events_max, Deadline until);
    /// Subscribers that wait get what they have.
    void stop_waiting() { watch_.stop_waiting(); }
    boost::asio::awaitable<void> stop();

    /// How often the tags of an execution were read, for tests and figures.
    std::uint64_t tag_reads() const { return tags_.reads(); }

  private:
    struct Page;
    struct Look;

    std::vector<FeedPlace> places_of(const FeedFilter& filter) const;
    std::string key_of(const FeedPlace& place) const;
    StreamWatch::Interest& interest(const FeedPlace& place);
    Task<Done> look(FeedSubscription& subscription, Look& look);
    Task<Done> read_pages(Look& look, std::vector<FeedPlace> places);
    Task<Done> read_ordinals(Look& look, const std::vector<FeedPlace>& places);
    Task<Done> take_up(FeedSubscription& subscription, Look& look, const FeedPlace& place,
                       Page page);
    void find_gap(Look& look, const FeedPlace& place, Page& page) const;
    /// The executions whose tags match, if the filter asks for tags.
    Task<std::vector<bool>> match_tags(const FeedFilter& filter,
                                       const std::vector<FeedEntry>& entries);
    boost::asio::awaitable<WatchEnd> wait(const FeedSubscription& subscription, Deadline until);
    void tell_probe(const FeedFilter& filter, const FeedPage& page) const;

    boost::asio::any_io_executor loop_;
    store::Store& store_;
    FeedHubOptions options_;
    StreamWatch watch_;
    TagCache tags_;
    /// At most two for each partition; they stay once anybody has asked.
    std::map<FeedPlace, std::unique_ptr<StreamWatch::Interest>> interests_{};
};

}  // namespace ff::hub
