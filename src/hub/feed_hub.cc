#include "hub/feed_hub.h"

#include <algorithm>
#include <set>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/clock.h"
#include "base/numbers.h"
#include "base/timer.h"
#include "model/exec_keys.h"
#include "model/index_keys.h"
#include "store/reply_errors.h"

namespace ff::hub {
namespace asio = boost::asio;
namespace {

constexpr Millis kRetryPause{200};

std::string_view name_of(Feed feed) {
    return feed == Feed::Events ? "events" : "signal_delivery";
}

}  // namespace

/// What one read of a feed found.
struct FeedHub::Page {
    std::vector<FeedEntry> entries{};
    /// The position of the feed before the read.
    EntryId seen{};
    /// The feed's own count, where it was asked for.
    std::optional<std::uint64_t> ordinal{};
};

/// A round of reading on its way to a page.
struct FeedHub::Look {
    std::size_t events_max = 0;
    FeedPage found{};
    std::map<FeedPlace, Page> pages{};
};

FeedHub::FeedHub(asio::any_io_executor loop, store::Store& store, FeedHubOptions options)
    : loop_(loop),
      store_(store),
      options_(options),
      watch_(loop, store, options.watch),
      tags_(loop, store) {}

FeedHub::~FeedHub() = default;

std::vector<FeedPlace> FeedHub::places_of(const FeedFilter& filter) const {
    std::set<Feed> feeds;
    for (const FeedFamily family : filter.families) feeds.insert(feed_of(family));
    std::optional<std::uint16_t> only = filter.partition;
    if (filter.execution_id) only = filter.execution_id->partition_index();
    if (filter.flow_id) only = model::partition_of(*filter.flow_id, options_.partitions).index();
    std::vector<FeedPlace> places;
    for (const Feed feed : feeds) {
        for (std::uint16_t i = 0; i < options_.partitions.num_flow_partitions(); ++i) {
            if (!only || *only == i) places.push_back({.feed = feed, .partition = i});
        }
    }
    return places;
}

std::string FeedHub::key_of(const FeedPlace& place) const {
    const model::IndexKeys keys(place.partition);
    return place.feed == Feed::Events ? keys.events() : keys.signal_delivery();
}

StreamWatch::Interest& FeedHub::interest(const FeedPlace& place) {
    auto& found = interests_[place];
    if (!found) {
        const StreamKeys keys{.partition = place.partition, .keys = {key_of(place)}};
        found = watch_.enter(keys);
    }
    return *found;
}

Task<FeedCursor> FeedHub::now(const FeedFilter& filter) {
    const std::vector<FeedPlace> places = places_of(filter);
    std::vector<store::Call> calls;
    for (const FeedPlace& place : places) {
        calls.push_back(store::plain({"XREVRANGE", key_of(place), "+", "-", "COUNT", "1"}, true));
        calls.push_back(store::plain(
            {"HGET", model::IndexKeys(place.partition).feed_seq(), name_of(place.feed)}, true));
    }
    std::vector<Result<store::Reply>> replies = co_await store_.pipeline(std::move(calls));
    FeedCursor cursor;
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (!replies[i * 2].has_value()) co_return std::move(replies[i * 2]).error();
        if (!replies[i * 2 + 1].has_value()) co_return std::move(replies[i * 2 + 1]).error();
        const auto newest = replies[i * 2]->items();
        const auto entry = newest.empty() ? std::nullopt : FeedEntry::read(newest.front());
        const auto ordinal = parse_u64(replies[i * 2 + 1]->text().value_or("0"));
        cursor.positions[places[i]] =
            entry ? entry->id : EntryId{.ms = 0, .n = ordinal.value_or(0)};
    }
    co_return cursor;
}

Task<FeedCursor> FeedHub::since(const FeedFilter& filter, Timestamp at) {
    FeedCursor cursor;
    if (to_ms(at) <= 0) co_return cursor;
    const std::vector<FeedPlace> places = places_of(filter);
    const std::string before = "(" + std::to_string(to_ms(at)) + "-0";
    std::vector<store::Call> calls;
    for (const FeedPlace& place : places) {
        calls.push_back(
            store::plain({"XREVRANGE", key_of(place), before, "-", "COUNT", "1"}, true));
    }
    std::vector<Result<store::Reply>> replies = co_await store_.pipeline(std::move(calls));
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (!replies[i].has_value()) co_return std::move(replies[i]).error();
        const auto older = replies[i]->items();
        const auto entry = older.empty() ? std::nullopt : FeedEntry::read(older.front());
        if (entry) cursor.positions[places[i]] = entry->id;
    }
    co_return cursor;
}

Task<FeedPage> FeedHub::next(FeedSubscription& subscription, std::size_t events_max,
                             Deadline until) {
    if (events_max == 0) co_return invalid_input("limit", "must be >= 1");
    std::optional<Deadline> trouble_until;
    while (true) {
        Look round{.events_max = events_max};
        round.found.cursor = subscription.cursor_;
        const Result<Done> looked = co_await look(subscription, round);
        if (looked.has_value()) {
            trouble_until.reset();
            subscription.cursor_ = round.found.cursor;
            tell_probe(subscription.filter_, round.found);
            const bool any = !round.found.events.empty() || !round.found.gaps.empty();
            if (any || until.passed()) co_return std::move(round.found);
            const WatchEnd end = co_await wait(subscription, until);
            round.found.stopped = end == WatchEnd::Stopped;
            if (end != WatchEnd::Ready) co_return std::move(round.found);
            continue;
        }
        if (!trouble_until) trouble_until = Deadline::after(options_.trouble_max);
        const bool hopeless = looked.error().cls != ErrorClass::Retryable || watch_.stopped();
        if (hopeless || trouble_until->passed()) co_return looked.error();
        Timer timer(loop_, kRetryPause);
        auto token = asio::as_tuple(asio::use_awaitable);
        co_await timer.async_wait(token);
    }
}

/// Reads the feeds that have something new; all of them the first time.
Task<Done> FeedHub::look(FeedSubscription& subscription, Look& look) {
    const std::vector<FeedPlace> places = places_of(subscription.filter_);
    const bool first = subscription.seen_.empty();
    std::vector<FeedPlace> news;
    for (const FeedPlace& place : places) {
        if (first || subscription.seen_[place] < interest(place).position()) news.push_back(place);
    }
    // The count first: what is written in between is then in the page, and not taken for lost.
    if (first) FF_CO_CHECK(co_await read_ordinals(look, news));
    FF_CO_CHECK(co_await read_pages(look, news));
    for (const FeedPlace& place : news) {
        Page page = std::move(look.pages[place]);
        const EntryId seen = page.seen;
        // What does not fit any more is left for the next call.
        if (look.found.events.size() >= look.events_max) break;
        FF_CO_CHECK(co_await take_up(subscription, look, place, std::move(page)));
        const bool all = look.found.events.size() < look.events_max;
        const bool restarted = !look.found.cursor.positions.contains(place);
        if (all && !restarted)
            subscription.seen_[place] = std::max(seen, subscription.seen_[place]);
    }
    co_return Done{};
}

Task<Done> FeedHub::read_pages(Look& look, std::vector<FeedPlace> places) {
    std::vector<store::Call> calls;
    const std::string count = std::to_string(options_.page_size);
    for (const FeedPlace& place : places) {
        look.pages[place].seen = interest(place).position();
        const std::string after = "(" + look.found.cursor.at(place).to_string();
        calls.push_back(store::plain({"XRANGE", key_of(place), after, "+", "COUNT", count}, true));
    }
    std::vector<Result<store::Reply>> replies = co_await store_.pipeline(std::move(calls));
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (!replies[i].has_value()) co_return std::move(replies[i]).error();
        Page& page = look.pages[places[i]];
        for (const store::Reply& item : replies[i]->items()) {
            std::optional<FeedEntry> entry = FeedEntry::read(item);
            if (entry) page.entries.push_back(*std::move(entry));
        }
        if (page.entries.empty()) continue;
        interest(places[i]).raise(page.entries.back().id);
        // A full page may have more behind it: it is looked at again.
        const EntryId last = page.entries.back().id;
        const bool full = page.entries.size() >= static_cast<std::size_t>(options_.page_size);
        page.seen = full ? last : std::max(page.seen, last);
    }
    co_return Done{};
}

/// Tells a feed that was trimmed or reset behind a cursor from one that has nothing new, and finds
/// the newest entry of a feed that nobody has read yet.
Task<Done> FeedHub::read_ordinals(Look& look, const std::vector<FeedPlace>& places) {
    std::vector<store::Call> calls;
    std::vector<FeedPlace> asked;
    for (const FeedPlace& place : places) {
        if (!look.found.cursor.positions.contains(place)) continue;
        asked.push_back(place);
        calls.push_back(store::plain(
            {"HGET", model::IndexKeys(place.partition).feed_seq(), name_of(place.feed)}, true));
        calls.push_back(store::plain({"XREVRANGE", key_of(place), "+", "-", "COUNT", "1"}, true));
    }
    std::vector<Result<store::Reply>> replies = co_await store_.pipeline(std::move(calls));
    for (std::size_t i = 0; i < asked.size(); ++i) {
        if (!replies[i * 2].has_value()) co_return std::move(replies[i * 2]).error();
        if (!replies[i * 2 + 1].has_value()) co_return std::move(replies[i * 2 + 1]).error();
        look.pages[asked[i]].ordinal = parse_u64(replies[i * 2]->text().value_or("0"));
        const auto newest = replies[i * 2 + 1]->items();
        const auto entry = newest.empty() ? std::nullopt : FeedEntry::read(newest.front());
        if (entry) interest(asked[i]).raise(entry->id);
    }
    co_return Done{};
}

/// Compares the cursor with what the feed has; a feed that began anew is delivered from its start.
void FeedHub::find_gap(Look& look, const FeedPlace& place, Page& page) const {
    const EntryId cursor = look.found.cursor.at(place);
    if (!look.found.cursor.positions.contains(place)) return;
    const std::uint64_t first =
        page.entries.empty() ? page.ordinal.value_or(cursor.n) + 1 : page.entries.front().id.n;
    if (first == cursor.n + 1) return;
    if (first > cursor.n) {
        look.found.gaps.push_back({.place = place, .lost = first - cursor.n - 1});
        look.found.cursor.positions[place].n = first - 1;
        return;
    }
    look.found.gaps.push_back({.place = place});
    look.found.cursor.positions.erase(place);
    page.entries.clear();
}

Task<Done> FeedHub::take_up(FeedSubscription& subscription, Look& look, const FeedPlace& place,
                            Page page) {
    find_gap(look, place, page);
    const FeedFilter& filter = subscription.filter_;
    FF_CO_TRY(const std::vector<bool> tagged, co_await match_tags(filter, page.entries));
    for (std::size_t i = 0; i < page.entries.size(); ++i) {
        const FeedEntry& entry = page.entries[i];
        if (look.found.events.size() >= look.events_max) co_return Done{};
        for (const FeedFamily family : filter.families) {
            if (!tagged[i] || feed_of(family) != place.feed || !filter.admits(entry, family))
                continue;
            look.found.events.push_back({.family = family, .place = place, .entry = entry});
        }
        look.found.cursor.positions[place] = entry.id;
    }
    co_return Done{};
}

/// What is lost is lost to every family that was asked for; nobody knows whose it was.
void FeedHub::tell_probe(const FeedFilter& filter, const FeedPage& page) const {
    const std::int64_t now = to_ms(SystemClock().now());
    for (const FeedEvent& event : page.events) {
        const std::int64_t age = now - static_cast<std::int64_t>(event.entry.id.ms);
        options_.probe->feed_delivered(to_string(event.family),
                                       Millis(std::max<std::int64_t>(age, 0)));
    }
    for (const FeedGap& gap : page.gaps) {
        for (const FeedFamily family : filter.families) {
            if (feed_of(family) == gap.place.feed)
                options_.probe->feed_lost(to_string(family), gap.lost.value_or(0));
        }
    }
}

Task<std::vector<bool>> FeedHub::match_tags(const FeedFilter& filter,
                                            const std::vector<FeedEntry>& entries) {
    std::vector<bool> matches(entries.size(), true);
    if (filter.tags.empty()) co_return matches;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        matches[i] = std::ranges::any_of(
            filter.families, [&](FeedFamily family) { return filter.admits(entries[i], family); });
    }
    FF_CO_TRY(const auto tags, co_await tags_.of(entries, matches));
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (!matches[i]) continue;
        const auto found = tags.find(entries[i].field("execution_id"));
        matches[i] = found != tags.end() && found->second->has_all(filter.tags);
    }
    co_return matches;
}

asio::awaitable<WatchEnd> FeedHub::wait(const FeedSubscription& subscription, Deadline until) {
    std::vector<StreamWatch::Awaited> awaited;
    for (const FeedPlace& place : places_of(subscription.filter_)) {
        const auto seen = subscription.seen_.find(place);
        const EntryId known = seen == subscription.seen_.end() ? EntryId{} : seen->second;
        awaited.push_back({.interest = &interest(place), .seen = known});
    }
    return watch_.wait_any(std::move(awaited), until);
}

asio::awaitable<void> FeedHub::stop() {
    return watch_.stop();
}

}  // namespace ff::hub
