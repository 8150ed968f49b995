#pragma once

#include <chrono>
#include <thread>

#include "base/time.h"

namespace ff::testing {

/// How long a condition that must come true may take on a busy machine before a test gives up.
constexpr Millis kPatience{20'000};

/// Asks `condition` again and again until it holds; false when it did not within `timeout`.
/// For conditions of other processes, which cannot notify us.
template <class Condition>
bool wait_until(Condition&& condition, Millis timeout = kPatience) {
    constexpr Millis kBetween{5};
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    while (!condition()) {
        if (std::chrono::steady_clock::now() >= deadline) return false;
        std::this_thread::sleep_for(kBetween);
    }
    return true;
}

}  // namespace ff::testing
