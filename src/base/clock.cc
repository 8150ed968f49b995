#include "base/clock.h"

namespace ff {

std::chrono::microseconds SystemClock::now_us() const {
    return std::chrono::duration_cast<std::chrono::microseconds>(
        std::chrono::system_clock::now().time_since_epoch());
}

}  // namespace ff
