#pragma once

#include "scan/due_scanner.h"

namespace ff::scan {

/// `cascade_drainer`: finished members whose dependants were not informed yet.
DueRules cascade_rules();

}  // namespace ff::scan
