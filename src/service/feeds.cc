#include "service/feeds.h"

#include <utility>

namespace ff::service {

/// The one feed that a filter of one family and one partition reads.
std::optional<hub::FeedPlace> Feeds::only_place(const hub::FeedFilter& filter) const {
    if (filter.families.size() != 1) return std::nullopt;
    std::optional<std::uint16_t> partition = filter.partition;
    if (filter.execution_id) partition = filter.execution_id->partition_index();
    if (filter.flow_id) partition = model::partition_of(*filter.flow_id, partitions_).index();
    if (!partition) return std::nullopt;
    return hub::FeedPlace{.feed = hub::feed_of(filter.families.front()), .partition = *partition};
}

Task<hub::FeedSubscription> Feeds::open(hub::FeedFilter filter, FeedStart start) {
    if (filter.partition && *filter.partition >= partitions_.num_flow_partitions())
        co_return invalid_input("partition", "out of range");
    hub::FeedCursor cursor;
    if (start.cursor == "earliest") {
        co_return hub::FeedSubscription(std::move(filter), std::move(cursor));
    }
    if (!start.cursor.empty()) {
        const std::optional<hub::FeedPlace> only = only_place(filter);
        FF_CO_TRY(cursor, hub::FeedCursor::parse(start.cursor, only ? &*only : nullptr));
    } else if (start.since) {
        FF_CO_TRY(cursor, co_await feeds_.since(filter, *start.since));
    } else {
        FF_CO_TRY(cursor, co_await feeds_.now(filter));
    }
    co_return hub::FeedSubscription(std::move(filter), std::move(cursor));
}

Task<hub::FeedPage> Feeds::next(hub::FeedSubscription& subscription, std::size_t events_max,
                                Deadline until) {
    return feeds_.next(subscription, events_max, until);
}

}  // namespace ff::service
