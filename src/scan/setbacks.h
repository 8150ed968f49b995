#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace ff::scan {

/// Items that keep failing stand back, so that they cost the others nothing: after three failures
/// in a row an item is left out for ten cycles. Decides only; counts in cycles, not in time.
class Setbacks {
  public:
    static constexpr int kTriesMax = 3;
    static constexpr std::uint64_t kCyclesOut = 10;
    static constexpr std::uint64_t kPruneEvery = 50;
    static constexpr std::size_t kEntriesKept = 500;

    /// To be told of every cycle.
    void cycle_began();
    std::uint64_t cycle() const { return cycle_; }

    bool skips(std::string_view item) const;
    /// True when the item is left out from now on: the moment to say so, once.
    bool failed(std::string_view item);
    void succeeded(std::string_view item);
    std::size_t size() const { return items_.size(); }

  private:
    struct Item {
        int failures = 0;
        /// The first cycle in which it has another chance; 0 while it is not left out.
        std::uint64_t out_until = 0;
        std::uint64_t last_failed = 0;
    };
    std::map<std::string, Item, std::less<>> items_{};
    std::uint64_t cycle_ = 0;
};

}  // namespace ff::scan
