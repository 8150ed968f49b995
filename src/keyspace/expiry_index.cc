#include "keyspace/expiry_index.h"

#include <algorithm>

#include "base/assert.h"

namespace ff::keyspace {

void ExpiryIndex::put(std::string_view key, std::int64_t at_ms) {
    times_.put(static_cast<double>(std::clamp(at_ms, -kLatestMs, kLatestMs)), key);
}

std::int64_t ExpiryIndex::at(std::string_view key) const {
    const auto time = times_.score(key);
    FF_ASSERT(time.has_value());
    return static_cast<std::int64_t>(*time);
}

std::optional<std::int64_t> ExpiryIndex::first_time() const {
    if (times_.size() == 0) return std::nullopt;
    double time = 0;
    times_.for_ranks(0, 1, false, [&time](std::string_view, double score) { time = score; });
    return static_cast<std::int64_t>(time);
}

std::string_view ExpiryIndex::first_key() const {
    FF_ASSERT(times_.size() > 0);
    std::string_view key;
    times_.for_ranks(0, 1, false, [&key](std::string_view member, double) { key = member; });
    return key;
}

}  // namespace ff::keyspace
