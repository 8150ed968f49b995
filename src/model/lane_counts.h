#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "model/index_keys.h"

namespace ff::model {

/// An index of a lane, the public state of what is in it, and the reason if it is blocked.
struct CountedIndex {
    std::string (LaneKeys::*key)() const = nullptr;
    std::string_view state{};
    std::string_view blocked{};
};

/// Every execution of a lane stands in one of these. The last one holds those that have ended.
constexpr std::array kCountedIndexes{
    CountedIndex{&LaneKeys::eligible, "waiting"},
    CountedIndex{&LaneKeys::delayed, "delayed"},
    CountedIndex{&LaneKeys::active, "active"},
    CountedIndex{&LaneKeys::suspended, "suspended"},
    CountedIndex{&LaneKeys::blocked_dependencies, "waiting_children", "blocked_by_dependencies"},
    CountedIndex{&LaneKeys::blocked_budget, "rate_limited", "blocked_by_budget"},
    CountedIndex{&LaneKeys::blocked_quota, "rate_limited", "blocked_by_quota"},
    CountedIndex{&LaneKeys::blocked_route, "waiting", "blocked_by_route"},
    CountedIndex{&LaneKeys::blocked_operator, "waiting", "blocked_by_operator"},
    CountedIndex{&LaneKeys::terminal, "terminal"},
};

using IndexSums = std::array<std::int64_t, kCountedIndexes.size()>;

/// By public state, and the blocked ones by their reason as well.
std::map<std::string_view, std::int64_t> counts_by_state(const IndexSums& sums);

}  // namespace ff::model
