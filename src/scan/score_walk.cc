#include "scan/score_walk.h"

#include <utility>

#include "scan/range_read.h"

namespace ff::scan {

void ScoreWalk::begin(std::vector<WalkPlace> places, std::string to) {
    places_ = std::move(places);
    to_ = std::move(to);
    open_.clear();
    for (std::size_t i = 0; i < places_.size(); ++i) open_.push_back(Open{.place = i});
}

boost::asio::awaitable<std::vector<WalkMember>> ScoreWalk::next(Cycle& cycle) {
    std::vector<Open> turned;
    std::vector<store::Call> reads;
    while (!open_.empty() && turned.size() < kPlacesAtOnce) {
        turned.push_back(open_.front());
        open_.pop_front();
        const std::string& key = places_[turned.back().place].key;
        const auto known = positions_.find(key);
        const Position position = known == positions_.end() ? Position{} : known->second;
        const RangeRead read{
            .key = key, .from = position.from, .to = to_, .skip = position.skip, .count = page_};
        reads.push_back(read.call());
    }
    std::vector<WalkMember> members;
    if (turned.empty()) co_return members;
    const auto replies = co_await cycle.store().pipeline(std::move(reads));
    for (std::size_t i = 0; i < turned.size(); ++i) {
        Open& one = turned[i];
        const WalkPlace& place = places_[one.place];
        if (!replies[i]) {
            cycle.unread(replies[i].error());
            continue;
        }
        bool full = false;
        const bool nothing = replies[i]->items().empty();
        if (!(nothing && at_end_ == AtEnd::BeginAgain)) {
            std::vector<WalkMember> fresh =
                advance(positions_[place.key], place, *replies[i], full);
            for (WalkMember& member : fresh) members.push_back(std::move(member));
        }
        if (!full && at_end_ == AtEnd::BeginAgain) positions_.erase(place.key);
        if (full && ++one.pages < kPagesMax) open_.push_back(one);
    }
    co_return members;
}

std::vector<WalkMember> ScoreWalk::advance(Position& position, const WalkPlace& place,
                                           const store::Reply& reply, bool& full) const {
    std::vector<ScoredMember> page = RangeRead::read(reply);
    full = page.size() >= page_;
    std::vector<WalkMember> fresh;
    if (page.empty()) return fresh;
    const std::string last = std::to_string(page.back().score);
    std::set<std::string> seen;
    if (last == position.from) seen = position.seen;
    for (ScoredMember& one : page) {
        const bool known =
            std::to_string(one.score) == position.from && position.seen.contains(one.member);
        if (one.score == page.back().score) seen.insert(one.member);
        if (known) continue;
        fresh.push_back(
            WalkMember{.place = &place, .member = std::move(one.member), .score = one.score});
    }
    // A full page without anything new is passed over: that many of one score stay in place.
    const bool pass = full && fresh.empty();
    position.skip = pass || (last == position.from && position.skip > 0 && full)
                        ? position.skip + page_
                        : (last == position.from ? position.skip : 0);
    position.from = last;
    position.seen = std::move(seen);
    return fresh;
}

}  // namespace ff::scan
