#include "scan/due_scanner.h"

#include <algorithm>
#include <utility>

#include "scan/range_read.h"

namespace ff::scan {
namespace asio = boost::asio;
namespace {

constexpr std::size_t kPlacesAtOnce = 64;
constexpr int kPagesMax = 20;
/// What stays is looked at from its beginning again this often: a clock may have stepped back.
constexpr std::uint64_t kFromStartEvery = 20;

}  // namespace

asio::awaitable<void> DueScanner::cycle(Cycle& cycle) {
    if (cycles_++ % kFromStartEvery == 0) served_up_to_.clear();
    const std::vector<DuePlace> all = places(cycle);
    for (std::size_t from = 0; from < all.size() && !cycle.stopping(); from += kPlacesAtOnce) {
        const std::size_t to = std::min(from + kPlacesAtOnce, all.size());
        std::vector<DuePlace> some(all.begin() + static_cast<std::ptrdiff_t>(from),
                                   all.begin() + static_cast<std::ptrdiff_t>(to));
        std::vector<DuePlace> due = co_await look(cycle, std::move(some), false);
        co_await serve_some(cycle, std::move(due));
    }
}

asio::awaitable<void> DueScanner::serve_due(Cycle& cycle) {
    std::vector<DuePlace> due = agenda_.take_due(cycle.now());
    co_await serve(cycle, std::move(due));
}

bool DueScanner::announced(const Announcement& announcement) {
    if (announcement.index != rules_.index) return false;
    const bool ours = announcement.partition.family() == rules_.family;
    if (!ours || rules_.per_lane == announcement.lane.empty()) return false;
    agenda_.hear({.partition = announcement.partition.index(), .lane = announcement.lane},
                 announcement.at);
    return true;
}

std::vector<DuePlace> DueScanner::places(Cycle& cycle) const {
    std::vector<DuePlace> all;
    const bool flow = rules_.family == model::PartitionFamily::Flow;
    const std::vector<std::uint16_t> partitions =
        flow ? cycle.territory().occupied() : cycle.territory().share(rules_.family);
    for (const std::uint16_t partition : partitions) {
        if (!rules_.per_lane) all.push_back({.partition = partition});
        if (!rules_.per_lane) continue;
        for (const model::LaneId& lane : cycle.lanes()) {
            all.push_back({.partition = partition, .lane = lane.text()});
        }
    }
    return all;
}

std::string DueScanner::lower_bound(const DuePlace& place) const {
    const auto served = served_up_to_.find(place);
    return served == served_up_to_.end() ? "-inf" : "(" + std::to_string(served->second);
}

asio::awaitable<std::vector<DuePlace>> DueScanner::look(Cycle& cycle, std::vector<DuePlace> places,
                                                        bool behind_now) {
    std::vector<DuePlace> due;
    if (places.empty()) co_return due;
    const std::string after_now = "(" + to_string(cycle.now());
    std::vector<store::Call> reads;
    for (const DuePlace& place : places) {
        const RangeRead read{.key = rules_.key(place),
                             .from = behind_now ? after_now : lower_bound(place),
                             .count = 1};
        reads.push_back(read.call());
    }
    const auto replies = co_await cycle.store().pipeline(std::move(reads));
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (!replies[i]) {
            cycle.unread(replies[i].error());
            continue;
        }
        const std::vector<ScoredMember> first = RangeRead::read(*replies[i]);
        if (first.empty()) {
            agenda_.set(places[i], std::nullopt);
        } else if (first.front().score > to_ms(cycle.now())) {
            agenda_.set(places[i], timestamp_from_ms(first.front().score));
        } else {
            due.push_back(std::move(places[i]));
        }
    }
    co_return due;
}

asio::awaitable<void> DueScanner::serve(Cycle& cycle, std::vector<DuePlace> places) {
    for (std::size_t from = 0; from < places.size() && !cycle.stopping(); from += kPlacesAtOnce) {
        const std::size_t to = std::min(from + kPlacesAtOnce, places.size());
        std::vector<DuePlace> some(places.begin() + static_cast<std::ptrdiff_t>(from),
                                   places.begin() + static_cast<std::ptrdiff_t>(to));
        co_await serve_some(cycle, std::move(some));
    }
}

asio::awaitable<void> DueScanner::serve_some(Cycle& cycle, std::vector<DuePlace> places) {
    if (places.empty()) co_return;
    std::vector<Walk> walks;
    for (const DuePlace& place : places) walks.push_back(Walk{.place = place});
    const std::uint64_t errors_before = cycle.errors();
    for (int page = 0; page < kPagesMax && !walks.empty() && !cycle.stopping(); ++page) {
        std::vector<DueEntry> due;
        walks = co_await turn_page(cycle, std::move(walks), due);
        if (due.empty()) continue;
        co_await rules_.act(cycle, std::move(due));
    }
    // What failed, or was not reached, must be met again: nothing is passed over then.
    if (rules_.stays && cycle.errors() == errors_before && !cycle.stopping()) {
        std::set<DuePlace> unfinished;
        for (const Walk& walk : walks) unfinished.insert(walk.place);
        for (const DuePlace& place : places) {
            if (!unfinished.contains(place)) served_up_to_[place] = to_ms(cycle.now());
        }
        for (const Walk& walk : walks) {
            if (!walk.from_start) served_up_to_[walk.place] = walk.from - 1;
        }
    }
    co_await look(cycle, std::move(places), true);
}

asio::awaitable<std::vector<DueScanner::Walk>> DueScanner::turn_page(Cycle& cycle,
                                                                     std::vector<Walk> walks,
                                                                     std::vector<DueEntry>& due) {
    std::vector<store::Call> reads;
    for (const Walk& walk : walks) {
        const RangeRead read{
            .key = rules_.key(walk.place),
            .from = walk.from_start ? lower_bound(walk.place) : std::to_string(walk.from),
            .to = to_string(cycle.now()),
            .skip = walk.skip,
            .count = rules_.page};
        reads.push_back(read.call());
    }
    const auto replies = co_await cycle.store().pipeline(std::move(reads));
    std::vector<Walk> full;
    for (std::size_t i = 0; i < walks.size(); ++i) {
        if (!replies[i]) {
            cycle.unread(replies[i].error());
            continue;
        }
        Walk& walk = walks[i];
        const std::vector<ScoredMember> page = RangeRead::read(*replies[i]);
        bool fresh = false;
        for (const ScoredMember& one : page) {
            if (!walk.seen.insert(one.member).second) continue;
            fresh = true;
            due.push_back(DueEntry{.partition = walk.place.partition,
                                   .lane = walk.place.lane,
                                   .member = one.member,
                                   .at = timestamp_from_ms(one.score)});
        }
        if (page.size() < rules_.page) continue;
        // The next page begins with the last score, of which some may not have been seen. A page
        // without anything new is passed over: that many of one score stay where they are.
        const bool same_score = !walk.from_start && walk.from == page.back().score;
        walk.skip = !fresh || (same_score && walk.skip > 0) ? walk.skip + rules_.page : 0;
        walk.from = page.back().score;
        walk.from_start = false;
        full.push_back(std::move(walk));
    }
    co_return full;
}

}  // namespace ff::scan
