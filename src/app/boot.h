#pragma once

#include <string>

#include "app/backend.h"
#include "app/settings.h"
#include "base/random.h"
#include "base/task.h"

namespace ff::app {

/// Boot steps 2 to 3c, and 5 (spec 01, section 8): makes the open store fit to be served.
Task<Done> prepare_store(StoreBackend& backend, const Settings& settings, Random& random);

}  // namespace ff::app
