#include "sdk/claim_ahead.h"

#include <algorithm>

namespace ff::sdk {
namespace {

/// Handlers that must have ended before their times mean anything.
constexpr std::size_t kSeenLeast = 8;
/// For each hand. More brings little: by then the call's own cost is spread thin.
constexpr double kMost = 12;
/// The weight of the newest in a mean.
constexpr double kNewest = 0.125;

double nanoseconds(ClaimAhead::Duration took) {
    return static_cast<double>(std::chrono::nanoseconds(took).count());
}

}  // namespace

void ClaimAhead::handled(Duration took) {
    const double ns = nanoseconds(took);
    handler_ns_ = handlers_ == 0 ? ns : handler_ns_ + kNewest * (ns - handler_ns_);
    ++handlers_;
}

void ClaimAhead::called(Duration took) {
    const double ns = nanoseconds(took);
    call_ns_ = call_ns_ == 0 ? ns : call_ns_ + kNewest * (ns - call_ns_);
}

std::size_t ClaimAhead::tasks() const {
    if (handlers_ < kSeenLeast) return 0;
    const double each = std::min(kMost, call_ns_ / std::max(1.0, handler_ns_));
    return static_cast<std::size_t>(each * static_cast<double>(hands_));
}

}  // namespace ff::sdk
