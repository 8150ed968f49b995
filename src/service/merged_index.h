#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/task.h"
#include "service/execution_listing.h"
#include "store/store.h"

namespace ff::service {

/// A member of an index with its score as the store spells it.
struct Scored {
    std::string member{};
    std::string score{};
    double value = 0;
};

double value_of(const std::string& score);
/// WITHSCORES as pairs (RESP3) or flat.
std::vector<Scored> read_scored(const store::Reply& reply);
/// Nothing for an empty cursor; `invalid_cursor` for one whose score is no number.
Result<std::optional<IndexPlace>> place_of(const std::string& cursor);

/// One index of execution ids over some or all partitions, merged by score and id.
class MergedIndex {
  public:
    using KeyOf = std::function<std::string(std::uint16_t partition)>;

    MergedIndex(store::Store& store, KeyOf key) : store_(store), key_(std::move(key)) {}

    /// The next `limit` members of these partitions behind `place`.
    Task<std::vector<Scored>> next(std::optional<IndexPlace> place,
                                   std::vector<std::uint16_t> partitions, std::size_t limit);

  private:
    Task<Done> add_ties(IndexPlace place, std::size_t limit, std::vector<Scored>& merged);

    store::Store& store_;
    KeyOf key_;
};

}  // namespace ff::service
