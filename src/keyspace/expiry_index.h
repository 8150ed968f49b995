#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "keyspace/sorted_set.h"

namespace ff::keyspace {

/// Which keys expire when, in the order of time. Times are milliseconds since the epoch, exact up
/// to kLatestMs (the year 287396); a later one counts as that, which nobody will see.
class ExpiryIndex {
  public:
    static constexpr std::int64_t kLatestMs = std::int64_t{1} << 53U;

    std::uint32_t size() const { return times_.size(); }
    void put(std::string_view key, std::int64_t at_ms);
    void erase(std::string_view key) { times_.erase(key); }
    /// The key must be here.
    std::int64_t at(std::string_view key) const;
    std::optional<std::int64_t> first_time() const;
    /// There must be one. Valid until the next change.
    std::string_view first_key() const;

  private:
    SortedSet times_;
};

}  // namespace ff::keyspace
