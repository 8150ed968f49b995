#include "base/virtual_time.h"

#include <algorithm>

#include "base/assert.h"

namespace ff {

SteadyClock::time_point SteadyClock::virtual_now() noexcept {
    return virtual_time->now();
}

VirtualTime::VirtualTime(TimePoint start) : now_(start) {
    FF_ASSERT(SteadyClock::virtual_time == nullptr);
    SteadyClock::virtual_time = this;
}

VirtualTime::~VirtualTime() {
    SteadyClock::virtual_time = nullptr;
}

bool VirtualTime::advance() {
    if (waits_.empty() || waits_.begin()->first.first == TimePoint::max()) return false;
    now_ = std::max(now_, waits_.begin()->first.first);
    while (!waits_.empty() && waits_.begin()->first.first <= now_) {
        const auto first = waits_.begin();
        const std::unique_ptr<Wait> wait = std::move(first->second);
        waits_.erase(first);
        wait->end({});
    }
    return true;
}

VirtualTime::Place VirtualTime::add(TimePoint until, std::unique_ptr<Wait> wait) {
    const Place place{until, next_++};
    waits_.emplace(place, std::move(wait));
    return place;
}

std::unique_ptr<VirtualTime::Wait> VirtualTime::remove(const Place& place) {
    const auto found = waits_.find(place);
    if (found == waits_.end()) return nullptr;
    std::unique_ptr<Wait> wait = std::move(found->second);
    waits_.erase(found);
    return wait;
}

}  // namespace ff
