#include "scan/set_walk.h"

#include <utility>

#include "scan/range_read.h"

namespace ff::scan {

void SetWalk::begin(std::vector<WalkPlace> places) {
    places_ = std::move(places);
    open_.clear();
    for (std::size_t i = 0; i < places_.size(); ++i) {
        const auto left = left_at_.find(places_[i].key);
        open_.push_back(Open{.place = i, .cursor = left == left_at_.end() ? "0" : left->second});
    }
}

boost::asio::awaitable<std::vector<WalkMember>> SetWalk::next(Cycle& cycle) {
    std::vector<Open> turned;
    std::vector<store::Call> reads;
    while (!open_.empty() && turned.size() < kPlacesAtOnce) {
        turned.push_back(std::move(open_.front()));
        open_.pop_front();
        const Open& one = turned.back();
        reads.push_back(SetPage::call(places_[one.place].key, one.cursor, page_));
    }
    std::vector<WalkMember> members;
    if (turned.empty()) co_return members;
    const auto replies = co_await cycle.store().pipeline(std::move(reads));
    for (std::size_t i = 0; i < turned.size(); ++i) {
        Open& one = turned[i];
        const WalkPlace& place = places_[one.place];
        Result<SetPage> page = replies[i] ? SetPage::read(*replies[i]) : replies[i].error();
        if (!page) {
            cycle.unread(page.error());
            continue;
        }
        for (std::string& member : page->members) {
            members.push_back(WalkMember{.place = &place, .member = std::move(member)});
        }
        one.cursor = std::move(page->cursor);
        left_at_.erase(place.key);
        if (one.cursor == "0") continue;
        if (++one.pages < kPagesMax) {
            open_.push_back(std::move(one));
        } else {
            left_at_[place.key] = std::move(one.cursor);
        }
    }
    co_return members;
}

}  // namespace ff::scan
