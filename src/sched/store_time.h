#pragma once

#include "base/task.h"
#include "base/time.h"
#include "store/store.h"

namespace ff::sched {

/// What functions take for the time: that of a server may be another one.
Task<Timestamp> store_time(store::Store& store);

}  // namespace ff::sched
