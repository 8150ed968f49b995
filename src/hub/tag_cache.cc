#include "hub/tag_cache.h"

#include <algorithm>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/steady_clock.h"
#include "base/timer.h"
#include "model/exec_keys.h"

namespace ff::hub {
namespace asio = boost::asio;
namespace {

constexpr std::size_t kRememberedMost = 10'000;
constexpr std::chrono::seconds kAgeMost{1};
constexpr auto kToken = asio::as_tuple(asio::use_awaitable);

ExecutionTags tags_of(const store::Reply& reply, EntryId as_of) {
    ExecutionTags found{.as_of = as_of, .read_at = SteadyClock::now()};
    const auto items = reply.items();
    for (std::size_t i = 0; i + 1 < items.size(); i += 2)
        found.tags.emplace(items[i].text().value_or(""), items[i + 1].text().value_or(""));
    return found;
}

}  // namespace

bool ExecutionTags::has_all(const std::vector<std::pair<std::string, std::string>>& wanted) const {
    return std::ranges::all_of(wanted, [this](const auto& tag) {
        const auto found = tags.find(tag.first);
        return found != tags.end() && found->second == tag.second;
    });
}

asio::awaitable<void> TagCache::take_turn() {
    while (busy_) {
        Timer timer(loop_, SteadyClock::time_point::max());
        const auto place = waiting_.insert(waiting_.end(), &timer);
        co_await timer.async_wait(kToken);
        waiting_.erase(place);
    }
    busy_ = true;
}

void TagCache::end_turn() {
    busy_ = false;
    if (!waiting_.empty()) waiting_.front()->cancel();
}

std::shared_ptr<const ExecutionTags> TagCache::known(const std::string& id, EntryId changed) const {
    const auto found = remembered_.find(id);
    if (found == remembered_.end() || found->second->as_of < changed) return nullptr;
    const auto age = SteadyClock::now() - found->second->read_at;
    return age < kAgeMost ? found->second : nullptr;
}

Task<TagCache::Found> TagCache::of(const std::vector<FeedEntry>& entries,
                                   const std::vector<bool>& wanted) {
    std::map<std::string, EntryId> asked;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const std::string id(entries[i].field("execution_id"));
        const auto known_id = asked.find(id);
        if (wanted[i] && known_id == asked.end()) asked.emplace(id, EntryId{});
    }
    for (const FeedEntry& entry : entries) {
        const auto found = asked.find(std::string(entry.field("execution_id")));
        if (found != asked.end() && entry.has_family(FeedFamily::InstanceTags))
            found->second = std::max(found->second, entry.id);
    }
    co_await take_turn();
    Result<Found> found = co_await read(asked);
    end_turn();
    co_return found;
}

Task<TagCache::Found> TagCache::read(const std::map<std::string, EntryId>& asked) {
    Found found;
    std::vector<std::pair<std::string, EntryId>> missing;
    std::vector<store::Call> calls;
    for (const auto& [id, changed] : asked) {
        if (auto tags = known(id, changed)) {
            found.emplace(id, std::move(tags));
            continue;
        }
        const auto execution = model::ExecutionId::parse(id);
        if (!execution.has_value()) continue;
        missing.emplace_back(id, changed);
        calls.push_back(store::plain({"HGETALL", model::ExecKeys(*execution).tags()}, true));
    }
    if (missing.empty()) co_return found;
    reads_ += missing.size();
    const std::vector<Result<store::Reply>> replies = co_await store_.pipeline(std::move(calls));
    if (remembered_.size() + missing.size() > kRememberedMost) remembered_.clear();
    for (std::size_t i = 0; i < missing.size(); ++i) {
        if (!replies[i].has_value()) co_return replies[i].error();
        const auto& [id, changed] = missing[i];
        auto tags = std::make_shared<const ExecutionTags>(tags_of(*replies[i], changed));
        remembered_[id] = tags;
        found.emplace(id, std::move(tags));
    }
    co_return found;
}

}  // namespace ff::hub
