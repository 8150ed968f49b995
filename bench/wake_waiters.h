#pragma once

#include <cstddef>

namespace ff::bench {

/// Milliseconds from the creation of one task until one of so many waiting claims has it: the
/// median of some samples on an embedded store.
double wake_one_of(std::size_t waiters);

}  // namespace ff::bench
