#pragma once

#include <functional>

#include "api/route.h"
#include "base/time.h"

namespace ff::api {

struct TestTime {
    /// The store's time.
    Timestamp now{};
    /// How far that is ahead of the machine's clock.
    Millis advanced{0};
};

/// Moves the store's time ahead and has everything looked at that fell due.
using AdvanceClock = std::function<Result<TestTime>(Millis by)>;

/// `POST /v1/test/clock`, of servers with FF_TEST_CLOCK only.
void add_test_clock_routes(Routes& routes, AdvanceClock advance);

}  // namespace ff::api
