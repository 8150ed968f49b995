#pragma once

#include <cstdint>

namespace ff::app {

/// The bytes that this process may use for data: of the machine, of its control group or of its
/// resource limits, whichever is least.
std::uint64_t memory_of_process();

}  // namespace ff::app
