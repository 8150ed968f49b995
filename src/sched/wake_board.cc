#include "sched/wake_board.h"

#include <algorithm>
#include <iterator>

namespace ff::sched {

WakeBoard::GroupKey WakeBoard::group_key(std::vector<std::string> lanes,
                                         const std::string& capabilities_csv,
                                         const std::string& only_namespace,
                                         const model::KindSet& kinds) {
    std::ranges::sort(lanes);
    std::string wants;
    for (const std::string& lane : lanes) wants += lane + '\n';
    wants += '\n' + capabilities_csv + '\n' + only_namespace;
    return {.wants = std::move(wants), .kinds = kinds.lines()};
}

WakeBoard::Group& WakeBoard::group(const GroupKey& key) {
    auto found = groups_.find(key);
    if (found == groups_.end()) {
        if (groups_.size() >= limits_.groups_max) forget_unused();
        found = groups_.try_emplace(key).first;
        found->second.kinds = model::KindSet::from_lines(key.kinds);
        ++idle_groups_;
    }
    found->second.last_use = ++uses_;
    return found->second;
}

void WakeBoard::forget_unused() {
    if (idle_groups_ == 0) return;
    auto oldest = groups_.end();
    for (auto it = groups_.begin(); it != groups_.end(); ++it) {
        if (!it->second.waiters.empty()) continue;
        if (oldest == groups_.end() || it->second.last_use < oldest->second.last_use) oldest = it;
    }
    for (const auto& [lane, table] : oldest->second.lanes) {
        const auto of_lane = groups_of_lane_.find(lane);
        of_lane->second.erase(&oldest->second);
        if (of_lane->second.empty()) groups_of_lane_.erase(of_lane);
    }
    groups_.erase(oldest);
    --idle_groups_;
}

std::vector<bool>& WakeBoard::flags(Group& group, const std::string& lane) {
    const auto [found, fresh] = group.lanes.try_emplace(lane);
    if (fresh) {
        found->second.assign(partitions_, true);
        groups_of_lane_[lane].insert(&group);
    }
    return found->second;
}

std::vector<std::uint16_t> WakeBoard::maybe(const GroupKey& key, const std::string& lane,
                                            std::uint16_t start) {
    const std::vector<bool>& table = flags(group(key), lane);
    std::vector<std::uint16_t> found;
    for (std::uint32_t i = 0; i < partitions_; ++i) {
        const auto partition = static_cast<std::uint16_t>((start + i) % partitions_);
        if (table[partition]) found.push_back(partition);
    }
    return found;
}

std::uint64_t WakeBoard::news(const GroupKey& key) {
    return group(key).news;
}

void WakeBoard::found_empty(const GroupKey& key, const std::string& lane, std::uint16_t partition,
                            std::uint64_t known) {
    Group& of = group(key);
    if (of.news == known) flags(of, lane)[partition] = false;
}

bool WakeBoard::is_maybe(const GroupKey& key, const std::string& lane, std::uint16_t partition) {
    return flags(group(key), lane)[partition];
}

void WakeBoard::step_out(Waiting& waiting) {
    if (!waiting.place) return;
    waiting.group->waiters.erase(*waiting.place);
    waiting.place.reset();
    if (waiting.group->waiters.empty()) ++idle_groups_;
}

void WakeBoard::take_first(Group& group, std::vector<WaiterId>& out) {
    if (group.waiters.empty()) return;
    const WaiterId first = group.waiters.front();
    out.push_back(first);
    step_out(waiting_.at(first));
}

std::vector<WakeBoard::WaiterId> WakeBoard::on_wake(const std::string& lane,
                                                    std::uint16_t partition,
                                                    std::string_view kind) {
    std::vector<WaiterId> woken;
    const auto looking = groups_of_lane_.find(lane);
    if (partition >= partitions_ || looking == groups_of_lane_.end()) return woken;
    for (Group* const group : looking->second) {
        const bool told =
            kind.empty() ? group->kinds.any() : !group->kinds.any() && group->kinds.takes(kind);
        if (!told) continue;
        group->lanes.at(lane)[partition] = true;
        ++group->news;
        take_first(*group, woken);
    }
    // The groups are in the order of their addresses; whoever waits longest comes first.
    std::ranges::sort(woken);
    return woken;
}

std::vector<WakeBoard::WaiterId> WakeBoard::on_gap() {
    std::vector<WaiterId> woken;
    for (auto& [key, group] : groups_) {
        for (auto& [lane, table] : group.lanes) table.assign(partitions_, true);
        ++group.news;
        take_first(group, woken);
    }
    return woken;
}

WakeBoard::WaiterId WakeBoard::wait(const GroupKey& key) {
    const WaiterId id = next_id_++;
    Group& joined = group(key);
    if (joined.waiters.empty()) --idle_groups_;
    joined.waiters.push_back(id);
    waiting_.emplace(id, Waiting{.group = &joined, .place = std::prev(joined.waiters.end())});
    return id;
}

void WakeBoard::leave(WaiterId waiter) {
    const auto known = waiting_.find(waiter);
    if (known == waiting_.end()) return;
    step_out(known->second);
    waiting_.erase(known);
}

std::vector<WakeBoard::WaiterId> WakeBoard::next_waiter(const GroupKey& key) {
    std::vector<WaiterId> woken;
    const auto found = groups_.find(key);
    if (found != groups_.end()) take_first(found->second, woken);
    return woken;
}

}  // namespace ff::sched
