#include "scan/unblock.h"

#include <utility>

#include "model/index_keys.h"
#include "scan/set_walk.h"

namespace ff::scan {
namespace {

constexpr std::size_t kIndexes = 5;

}  // namespace

Unblock::Unblock(const Clock& clock, store::Store& store, const Options& options)
    : lanes_(clock, store),
      attachments_(clock, store, options.partitions),
      admission_(clock, store, options.partitions, attachments_),
      unblocker_(store, options.partitions, lanes_, admission_) {}

boost::asio::awaitable<void> Unblock::cycle(Cycle& cycle) {
    unblocker_.begin_round();
    std::vector<Place> all;
    for (const std::uint16_t partition : cycle.territory().occupied()) {
        for (const model::LaneId& lane : cycle.lanes()) all.push_back({partition, lane});
    }
    for (std::size_t from = 0; from < all.size() && !cycle.stopping(); from += kPlacesAtOnce) {
        std::vector<Place> some;
        for (std::size_t i = from; i < all.size() && i < from + kPlacesAtOnce; ++i) {
            some.push_back(all[i]);
        }
        const std::vector<Place> blocked = co_await with_blocked(cycle, std::move(some));
        for (const Place& place : blocked) {
            const std::string item = place.lane.text() + "@" + std::to_string(place.partition);
            if (cycle.stopping() || cycle.skips(item)) continue;
            const auto done = co_await unblocker_.pass(place.partition, place.lane);
            if (!done) cycle.failed(item, done.error());
            if (!done || *done == 0) continue;
            cycle.succeeded(item);
            cycle.probe().unblocked(*done);
        }
    }
}

boost::asio::awaitable<std::vector<Unblock::Place>> Unblock::with_blocked(
    Cycle& cycle, std::vector<Place> places) {
    std::vector<store::Call> reads;
    for (const Place& place : places) {
        const model::LaneKeys keys(model::PartitionKey::flow(place.partition), place.lane);
        reads.push_back(store::plain({"ZCARD", keys.blocked_budget()}, true));
        reads.push_back(store::plain({"ZCARD", keys.blocked_quota()}, true));
        reads.push_back(store::plain({"ZCARD", keys.blocked_route()}, true));
        reads.push_back(store::plain({"ZCARD", keys.blocked_operator()}, true));
        reads.push_back(store::plain({"ZCARD", keys.suspended()}, true));
    }
    const auto counts = co_await cycle.store().pipeline(std::move(reads));
    std::vector<Place> blocked;
    for (std::size_t i = 0; i < places.size(); ++i) {
        bool any = false;
        for (std::size_t j = 0; j < kIndexes; ++j) {
            const Result<store::Reply>& count = counts[i * kIndexes + j];
            if (!count) cycle.unread(count.error());
            any = any || (count && count->to_integer().value_or(0) > 0);
        }
        if (any) blocked.push_back(std::move(places[i]));
    }
    co_return blocked;
}

void Unblock::freed(const std::string& ref) {
    if (freed_.size() < kFreedMax) freed_.insert(ref);
}

std::optional<Timestamp> Unblock::next_due() const {
    // The beginning of time: at once.
    if (!freed_.empty()) return Timestamp{};
    return again_.empty() ? std::nullopt : std::make_optional(again_at_);
}

boost::asio::awaitable<void> Unblock::serve_due(Cycle& cycle) {
    std::set<std::string> refs = std::exchange(freed_, {});
    const bool due_again = !again_.empty() && cycle.now() >= again_at_;
    if (due_again || !cycle.territory().looked_within(kLookApart)) {
        refs.merge(std::exchange(again_, {}));
        const Result<Done> looked = co_await cycle.territory().look_now();
        if (!looked) cycle.unread(looked.error());
    } else {
        if (again_.empty()) again_at_ = cycle.now() + kLookApart;
        if (again_.size() < kFreedMax) again_.insert(refs.begin(), refs.end());
    }
    for (const std::string& ref : refs) {
        if (cycle.stopping()) co_return;
        std::vector<std::uint16_t> partitions = cycle.territory().occupied();
        std::vector<model::LaneId> lanes = cycle.lanes();
        const auto done = co_await unblocker_.freed(ref, std::move(partitions), std::move(lanes));
        if (!done) cycle.failed(ref, done.error());
        if (!done || *done == 0) continue;
        cycle.succeeded(ref);
        cycle.probe().unblocked(*done);
    }
}

}  // namespace ff::scan
