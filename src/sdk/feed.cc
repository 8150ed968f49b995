#include "flowfabric/feed.h"

#include <algorithm>

#include "flowfabric/client.h"
#include "sdk/public_error.h"

namespace flowfabric {
namespace {

constexpr Millis kTurn{25'000};

}  // namespace

Result<std::optional<Feed::Item>> Feed::take() {
    if (items_.empty()) return std::optional<Item>();
    std::optional<Item> item(std::move(items_.front()));
    items_.pop_front();
    if (items_.empty()) cursor_ = page_cursor_;
    return item;
}

Result<std::optional<Feed::Item>> Feed::next(Millis wait) {
    const AdminClient client(door_);
    const auto until = std::chrono::steady_clock::now() + wait;
    while (items_.empty()) {
        const auto left =
            std::max(Millis(0),
                     std::chrono::duration_cast<Millis>(until - std::chrono::steady_clock::now()));
        FeedQuery query = query_;
        query.cursor = cursor_;
        FF_SDK_TRY(FeedPage page, client.read_feed(query, std::min(left, kTurn)));
        page_cursor_ = std::move(page.cursor);
        for (FeedGap& gap : page.gaps) items_.emplace_back(std::move(gap));
        for (FeedEvent& event : page.events) items_.emplace_back(std::move(event));
        if (!items_.empty()) break;
        // What was examined and left out is passed all the same.
        cursor_ = page_cursor_;
        if (left <= kTurn) return std::optional<Item>();
    }
    return take();
}

Result<std::optional<FeedEvent>> Feed::next_event(Millis wait) {
    const auto until = std::chrono::steady_clock::now() + wait;
    while (true) {
        const auto left =
            std::chrono::duration_cast<Millis>(until - std::chrono::steady_clock::now());
        FF_SDK_TRY(std::optional<Item> item, next(std::max(Millis(0), left)));
        if (!item) return std::optional<FeedEvent>();
        if (auto* event = std::get_if<FeedEvent>(&*item))
            return std::optional<FeedEvent>(std::move(*event));
    }
}

}  // namespace flowfabric
