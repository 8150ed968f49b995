#pragma once

#include "flowfabric/async.h"    // IWYU pragma: export
#include "flowfabric/client.h"   // IWYU pragma: export
#include "flowfabric/engine.h"   // IWYU pragma: export
#include "flowfabric/layers.h"   // IWYU pragma: export
#include "flowfabric/runtime.h"  // IWYU pragma: export
#include "flowfabric/worker.h"   // IWYU pragma: export
