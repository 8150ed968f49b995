#pragma once

#include <memory>
#include <vector>

#include "scan/scanner.h"

namespace ff::scan {

/// The scanners of what falls due: leases, delays, attempt timeouts, deadlines, suspensions,
/// pending waitpoints, budget periods.
std::vector<std::unique_ptr<Scanner>> due_scanners();

}  // namespace ff::scan
