#pragma once

#include <string>

#include "base/time.h"
#include "calendar/zone.h"

namespace ff::calendar {

/// `2026-11-19T08:00:00Z`, with milliseconds where there are any.
std::string utc_text(Timestamp at);
/// As the zone's clocks show it: `2026-11-19T09:00:00+01:00`.
std::string zone_text(Timestamp at, const Zone& zone);

}  // namespace ff::calendar
