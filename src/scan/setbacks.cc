#include "scan/setbacks.h"

namespace ff::scan {

void Setbacks::cycle_began() {
    ++cycle_;
    if (cycle_ % kPruneEvery != 0 || items_.size() <= kEntriesKept) return;
    // What has not failed for so long is either well again or gone.
    std::erase_if(items_, [this](const auto& entry) {
        return entry.second.last_failed + 2 * kCyclesOut < cycle_;
    });
}

bool Setbacks::skips(std::string_view item) const {
    const auto found = items_.find(item);
    return found != items_.end() && found->second.out_until > cycle_;
}

bool Setbacks::failed(std::string_view item) {
    auto found = items_.find(item);
    if (found == items_.end()) found = items_.emplace(std::string(item), Item{}).first;
    Item& entry = found->second;
    entry.last_failed = cycle_;
    ++entry.failures;
    if (entry.failures < kTriesMax) return false;
    entry.failures = 0;
    entry.out_until = cycle_ + kCyclesOut + 1;
    return true;
}

void Setbacks::succeeded(std::string_view item) {
    if (items_.empty()) return;
    const auto found = items_.find(item);
    if (found != items_.end()) items_.erase(found);
}

}  // namespace ff::scan
