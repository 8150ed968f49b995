#include "valkey/backoff.h"

#include <algorithm>

namespace ff::valkey {

std::chrono::milliseconds Backoff::next() {
    step_ = std::clamp(step_ * 2, options_.first, options_.most);
    const auto half = static_cast<std::uint64_t>(step_.count() / 2);
    return step_ - std::chrono::milliseconds(random_.below(half + 1));
}

}  // namespace ff::valkey
