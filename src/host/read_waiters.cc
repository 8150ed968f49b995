#include "host/read_waiters.h"

#include <utility>

namespace ff::host {

void ReadWaiters::add(Work& work, std::span<const std::string_view> keys, Time until) {
    Wait wait{.order = next_order_++, .until = until};
    for (const std::string_view key : keys) {
        auto found = watchers_.find(key);
        if (found == watchers_.end())
            found = watchers_.emplace(std::string(key), std::map<std::uint64_t, Work*>()).first;
        found->second.emplace(wait.order, &work);
        wait.keys.emplace_back(key);
    }
    times_.emplace(std::pair(until, wait.order), &work);
    waits_.emplace(&work, std::move(wait));
}

bool ReadWaiters::remove(Work& work) {
    const auto found = waits_.find(&work);
    if (found == waits_.end()) return false;
    for (const std::string& key : found->second.keys) {
        const auto watched = watchers_.find(key);
        if (watched == watchers_.end()) continue;
        watched->second.erase(found->second.order);
        if (watched->second.empty()) watchers_.erase(watched);
    }
    times_.erase({found->second.until, found->second.order});
    waits_.erase(found);
    return true;
}

void ReadWaiters::take_watching(std::string_view key, std::vector<Work*>& woken) {
    const auto watched = watchers_.find(key);
    if (watched == watchers_.end()) return;
    const std::size_t first = woken.size();
    for (const auto& [order, work] : watched->second) woken.push_back(work);
    for (std::size_t i = first; i < woken.size(); ++i) remove(*woken[i]);
}

void ReadWaiters::take_due(Time now, std::vector<Work*>& due) {
    while (!times_.empty() && times_.begin()->first.first <= now) {
        Work* work = times_.begin()->second;
        due.push_back(work);
        remove(*work);
    }
}

void ReadWaiters::take_all(std::vector<Work*>& all) {
    while (!times_.empty()) {
        Work* work = times_.begin()->second;
        all.push_back(work);
        remove(*work);
    }
}

std::optional<ReadWaiters::Time> ReadWaiters::next_due() const {
    if (times_.empty()) return std::nullopt;
    return times_.begin()->first.first;
}

}  // namespace ff::host
