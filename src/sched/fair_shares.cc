#include "sched/fair_shares.h"

#include <algorithm>
#include <limits>

namespace ff::sched {

void FairShares::wants(std::string_view party) {
    auto found = parties_.find(party);
    if (found != parties_.end() && found->second.busy) return;
    const double least = least_busy_time();
    if (found == parties_.end()) {
        if (parties_.size() >= kPartiesMax) forget_idle();
        found = parties_.emplace(std::string(party), Party{}).first;
    }
    found->second.busy = true;
    found->second.time = std::max(found->second.time, least);
}

void FairShares::idles(std::string_view party) {
    const auto found = parties_.find(party);
    if (found != parties_.end()) found->second.busy = false;
}

void FairShares::took(std::string_view party, std::size_t count, std::uint32_t weight) {
    wants(party);
    const std::uint32_t divisor = std::clamp<std::uint32_t>(weight, 1, kWeightMost);
    parties_.find(party)->second.time += static_cast<double>(count) / divisor;
}

std::vector<std::string> FairShares::in_order(std::vector<std::string> parties) const {
    std::ranges::sort(parties, [this](const std::string& a, const std::string& b) {
        const double time_a = virtual_time(a);
        const double time_b = virtual_time(b);
        return time_a != time_b ? time_a < time_b : a < b;
    });
    return parties;
}

std::vector<std::string> FairShares::over_share(const std::vector<std::string>& waiting,
                                                double lead) const {
    double least = std::numeric_limits<double>::infinity();
    for (const std::string& party : waiting) least = std::min(least, virtual_time(party));
    std::vector<std::string> leaders;
    for (const std::string& party : waiting) {
        if (virtual_time(party) >= least + lead) leaders.push_back(party);
    }
    return leaders;
}

double FairShares::virtual_time(std::string_view party) const {
    const auto found = parties_.find(party);
    // Nobody knows it yet: it will join at the time of the busiest laggard.
    return found == parties_.end() ? least_busy_time() : found->second.time;
}

double FairShares::least_busy_time() const {
    double least = std::numeric_limits<double>::infinity();
    for (const auto& [name, party] : parties_) {
        if (party.busy) least = std::min(least, party.time);
    }
    return least == std::numeric_limits<double>::infinity() ? 0 : least;
}

void FairShares::forget_idle() {
    std::erase_if(parties_, [](const auto& entry) { return !entry.second.busy; });
}

}  // namespace ff::sched
