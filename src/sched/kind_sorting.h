#pragma once

#include <cstdint>
#include <functional>

#include "base/task.h"
#include "model/ids.h"
#include "store/store.h"

namespace ff::sched {

/// Sorts by kind what a lane had in a partition before anybody asked for kinds (spec 06 section
/// 7.1): 2,048 executions a call, until all of it is sorted, `stop` says so, or two million were.
/// Whoever asks next goes on there.
Task<Done> sort_by_kind(store::Store& store, model::LaneId lane, std::uint16_t partition,
                        std::function<bool()> stop);

}  // namespace ff::sched
