#include "scan/options.h"

#include <algorithm>

#include "base/numbers.h"

namespace ff::scan {
namespace {

constexpr Millis kIntervalLeast{100};
constexpr Millis kFirstCycleWithin{500};

}  // namespace

Result<Shard> Shard::parse(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) return invalid_input("shard", "expected i/n");
    const auto index = parse_u64(text.substr(0, slash));
    const auto count = parse_u64(text.substr(slash + 1));
    if (!index || !count || *count == 0 || *count > UINT16_MAX || *index >= *count) {
        return invalid_input("shard", "expected i/n with i < n");
    }
    return Shard{.index = static_cast<std::uint16_t>(*index),
                 .count = static_cast<std::uint16_t>(*count)};
}

Millis Options::interval(Kind kind) const {
    const std::optional<Millis>& own = intervals[static_cast<std::size_t>(kind)];
    return std::max(own.value_or(facts_of(kind).interval), kIntervalLeast);
}

Millis Options::first_cycle_within(Kind kind) const {
    const Millis whole = interval(kind);
    return facts_of(kind).upkeep ? whole : std::min(whole, kFirstCycleWithin);
}

}  // namespace ff::scan
