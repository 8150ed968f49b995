#include "base/timer.h"

namespace ff {

Timer::Timer(boost::asio::any_io_executor executor, time_point at)
    : executor_(std::move(executor)), at_(at) {
    if (SteadyClock::virtual_time == nullptr) real_.emplace(executor_, at);
}

void Timer::expires_at(time_point at) {
    if (real_.has_value()) {
        real_->expires_at(at);
        return;
    }
    cancel();
    at_ = at;
}

void Timer::cancel() {
    if (real_.has_value()) {
        real_->cancel();
        return;
    }
    for (const VirtualTime::Place& place : std::exchange(places_, {})) abort(place);
}

VirtualTime::Place Timer::add(std::unique_ptr<VirtualTime::Wait> wait) {
    const VirtualTime::Place place = SteadyClock::virtual_time->add(at_, std::move(wait));
    // Those that ended since are found nowhere and cost nothing; a timer is waited for by few.
    places_.push_back(place);
    return place;
}

void Timer::abort(const VirtualTime::Place& place) {
    if (SteadyClock::virtual_time == nullptr) return;
    const std::unique_ptr<VirtualTime::Wait> wait = SteadyClock::virtual_time->remove(place);
    if (wait) wait->end(boost::asio::error::operation_aborted);
}

}  // namespace ff
