#include "scan/grant_expiry.h"

#include <algorithm>

namespace ff::scan {
namespace {

/// A grant is over when its time is in the past: a moment later both sides agree.
constexpr Millis kMargin{2};
/// The clock may be set meanwhile.
constexpr Millis kLookAgainWithin{60'000};

}  // namespace

GrantExpiry::GrantExpiry(boost::asio::any_io_executor loop, const Clock& clock,
                         const Options& options)
    : clock_(clock), options_(options), timer_(std::move(loop)) {}

bool GrantExpiry::announced(const Announcement& announcement) {
    if (announcement.index != "claim_grant") return false;
    const bool full = grants_.size() >= kGrantsMax;
    if (!options_.on_wake || stopped_ || full || announcement.lane.empty()) return true;
    const bool first = grants_.empty() || announcement.at < grants_.begin()->first;
    grants_.emplace(announcement.at,
                    std::make_pair(announcement.lane, announcement.partition.index()));
    if (first) arm();
    return true;
}

void GrantExpiry::arm() {
    if (grants_.empty() || stopped_) return;
    const Millis left = grants_.begin()->first - clock_.now() + kMargin;
    timer_.expires_after(std::clamp(left, Millis(0), kLookAgainWithin));
    timer_.async_wait([this](const boost::system::error_code& cancelled) {
        if (!cancelled) ring();
    });
}

void GrantExpiry::ring() {
    const Timestamp now = clock_.now();
    while (!grants_.empty() && grants_.begin()->first + kMargin <= now) {
        const auto [lane, partition] = grants_.begin()->second;
        grants_.erase(grants_.begin());
        options_.on_wake(lane, partition);
    }
    arm();
}

void GrantExpiry::stop() {
    stopped_ = true;
    timer_.cancel();
}

}  // namespace ff::scan
