#pragma once

#include <chrono>

namespace ff::calendar {

/// What a clock on a wall shows, to the second.
using CivilTime = std::chrono::local_seconds;
/// An instant at which something may fire: always a whole second.
using Instant = std::chrono::sys_seconds;

}  // namespace ff::calendar
