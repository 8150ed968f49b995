#include "model/lane_counts.h"

namespace ff::model {

std::map<std::string_view, std::int64_t> counts_by_state(const IndexSums& sums) {
    std::map<std::string_view, std::int64_t> counts;
    for (std::size_t i = 0; i < kCountedIndexes.size(); ++i) {
        counts[kCountedIndexes[i].state] += sums[i];
        if (!kCountedIndexes[i].blocked.empty()) counts[kCountedIndexes[i].blocked] = sums[i];
    }
    return counts;
}

}  // namespace ff::model
