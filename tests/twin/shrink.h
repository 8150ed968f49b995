#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "twin/recorded_call.h"

namespace ff::twin {

using Calls = std::vector<RecordedCall>;
/// Whether these calls, on fresh states, still show the difference.
using StillDiffers = std::function<bool(const Calls& calls)>;

/// Leaves out as many calls as it can within the time, first large pieces, then small ones.
Calls shrunk(Calls calls, const StillDiffers& still_differs, std::chrono::seconds time);

}  // namespace ff::twin
