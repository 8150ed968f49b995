#pragma once

#include <optional>
#include <string>

#include "base/deadline.h"
#include "base/task.h"
#include "base/time.h"
#include "hub/feed_hub.h"
#include "service/context.h"

namespace ff::service {

/// Where a subscription begins: at a cursor, `earliest`, a point in time, or now.
struct FeedStart {
    std::string cursor{};
    std::optional<Timestamp> since{};
};

/// What the engine did, for subscribers. Lives on the context's loop, as the hub does.
class Feeds {
  public:
    Feeds(const Context& context, hub::FeedHub& feeds)
        : partitions_(context.rules.partitions), feeds_(feeds) {}

    /// `invalid_cursor`; `invalid_input` where the filter names a partition that does not exist.
    Task<hub::FeedSubscription> open(hub::FeedFilter filter, FeedStart start);
    /// As `FeedHub::next`.
    Task<hub::FeedPage> next(hub::FeedSubscription& subscription, std::size_t events_max,
                             Deadline until);

  private:
    std::optional<hub::FeedPlace> only_place(const hub::FeedFilter& filter) const;

    model::PartitionConfig partitions_;
    hub::FeedHub& feeds_;
};

}  // namespace ff::service
