#include "host/slow_calls.h"

#include <algorithm>

#include "base/log.h"

namespace ff::host {
namespace {

constexpr std::chrono::seconds kBetweenLines{1};

std::size_t index(Delay delay) {
    return static_cast<std::size_t>(delay);
}

std::int64_t ms(std::chrono::nanoseconds span) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(span).count();
}

}  // namespace

std::string_view to_string(Delay delay) {
    switch (delay) {
        case Delay::Queue:
            return "queue";
        case Delay::Snapshot:
            return "snapshot";
        case Delay::Functions:
            return "functions";
        case Delay::Collector:
            return "collector";
        case Delay::Commit:
            return "commit";
    }
    return "";
}

Delay SlowCall::cause() const {
    return static_cast<Delay>(std::ranges::max_element(spent) - spent.begin());
}

void SlowCalls::note(std::string_view what, const CallTimes& times, CallTimes::Time now) {
    const CallTimes::Span waited = times.begun - times.submitted;
    const CallTimes::Span ran = times.ended - times.begun;
    SlowCall call{.what = std::string(what), .took = now - times.submitted};
    // A slice under way when the call came counts as a whole.
    const auto snapshots = std::min(times.snapshots_then - times.snapshots_before, waited);
    call.spent[index(Delay::Snapshot)] = snapshots;
    call.spent[index(Delay::Queue)] = waited - snapshots;
    call.spent[index(Delay::Collector)] = times.collector;
    call.spent[index(Delay::Functions)] = ran - times.collector;
    call.spent[index(Delay::Commit)] = now - times.ended;
    if (options_.tell) options_.tell(call);
    write(call, now);
}

void SlowCalls::write(const SlowCall& call, CallTimes::Time now) {
    const std::int64_t at = now.time_since_epoch().count();
    std::int64_t next = next_line_at_.load(std::memory_order_relaxed);
    const std::int64_t later = (now + kBetweenLines).time_since_epoch().count();
    if (at < next || !next_line_at_.compare_exchange_strong(next, later)) {
        unwritten_.fetch_add(1, std::memory_order_relaxed);
        return;
    }
    const auto spent = [&call](Delay delay) { return ms(call.spent[index(delay)]); };
    log::warn("host", "slow_call",
              {{"call", call.what},
               {"ms", ms(call.took)},
               {"cause", to_string(call.cause())},
               {"queue_ms", spent(Delay::Queue)},
               {"snapshot_ms", spent(Delay::Snapshot)},
               {"functions_ms", spent(Delay::Functions)},
               {"collector_ms", spent(Delay::Collector)},
               {"commit_ms", spent(Delay::Commit)},
               {"others", unwritten_.exchange(0, std::memory_order_relaxed)}});
}

}  // namespace ff::host
