#include "app/wait_figures.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

namespace ff::app {
namespace {

using prometheus::Gauge;
using prometheus::Histogram;

constexpr const char* kOtherKinds = "other";

/// From what is claimed at once to what has waited a day. Never destroyed: an engine inside a
/// program may run until its very end.
const Histogram::BucketBoundaries& wait_buckets() {
    static const auto& kBuckets = *new Histogram::BucketBoundaries{
        0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 14400, 86400};
    return kBuckets;
}

/// Clocks of several machines differ a little.
double seconds_between(Timestamp from, Timestamp to) {
    return std::max(0.0, static_cast<double>(to_ms(to) - to_ms(from)) / 1000);
}

}  // namespace

struct WaitFigures::Families {
    prometheus::Registry registry{};
    prometheus::Family<Histogram>& waits =
        prometheus::BuildHistogram()
            .Name("ff_queue_wait_seconds")
            .Help("Time from the creation of an execution to its first attempt, delays included")
            .Register(registry);
    prometheus::Family<Gauge>& ages =
        prometheus::BuildGauge()
            .Name("ff_queue_oldest_seconds")
            .Help("Age of what waits longest in a lane, as it was found up to 30 s ago")
            .Register(registry);

    std::mutex mutex{};
    std::map<std::pair<std::string, std::string>, Histogram*> pairs{};
    std::map<std::string, std::optional<Timestamp>> oldest{};

    Histogram& histogram(std::string_view lane, std::string_view kind) {
        const std::lock_guard lock(mutex);
        std::pair<std::string, std::string> pair(lane, kind);
        auto found = pairs.find(pair);
        if (found == pairs.end() && pairs.size() >= kPairsMax) {
            pair.second = kOtherKinds;
            found = pairs.find(pair);
        }
        if (found != pairs.end()) return *found->second;
        Histogram& made =
            waits.Add({{"lane", pair.first}, {"execution_kind", pair.second}}, wait_buckets());
        pairs.emplace(std::move(pair), &made);
        return made;
    }
};

WaitFigures::WaitFigures() : families_(std::make_unique<Families>()) {}
WaitFigures::~WaitFigures() = default;

void WaitFigures::began(std::string_view lane, std::string_view kind,
                        std::span<const Timestamp> created, Timestamp now) {
    Histogram& histogram = families_->histogram(lane, kind);
    for (const Timestamp one : created) histogram.Observe(seconds_between(one, now));
}

void WaitFigures::oldest(std::string_view lane, std::optional<Timestamp> created) {
    const std::lock_guard lock(families_->mutex);
    families_->oldest[std::string(lane)] = created;
}

std::string WaitFigures::text(Timestamp now) const {
    {
        const std::lock_guard lock(families_->mutex);
        for (const auto& [lane, created] : families_->oldest)
            families_->ages.Add({{"lane", lane}}).Set(created ? seconds_between(*created, now) : 0);
    }
    return prometheus::TextSerializer().Serialize(families_->registry.Collect());
}

}  // namespace ff::app
