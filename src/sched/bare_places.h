#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/time.h"

namespace ff::sched {

/// Where a lane held no work for anybody when somebody looked and armed the place: whoever looks
/// for the first time, with whatever capabilities, need not go there. New work is told, and ends
/// it. Decides only. Lives on the scheduler's loop.
class BarePlaces {
  public:
    static constexpr std::size_t kLanesMax = 4096;

    explicit BarePlaces(std::uint16_t partitions) : partitions_(partitions) {}

    /// Somebody begins to look through a lane: gives what `found` wants to know.
    std::uint64_t begin(const std::string& lane);
    /// Found by the look that began with `known`, if nothing was told of the place since; holds
    /// until then.
    void found(const std::string& lane, std::uint16_t partition, std::uint64_t known,
               Timestamp until);
    bool is_bare(const std::string& lane, std::uint16_t partition, Timestamp now) const;

    void on_wake(const std::string& lane, std::uint16_t partition);
    void on_gap();

  private:
    struct Place {
        Timestamp bare_until{};
        /// The number of the last message about it.
        std::uint64_t told = 0;
    };
    std::uint16_t partitions_;
    std::uint64_t messages_ = 0;
    std::map<std::string, std::vector<Place>> lanes_{};
};

}  // namespace ff::sched
