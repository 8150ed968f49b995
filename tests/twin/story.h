#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "twin/actions.h"
#include "twin/batches.h"
#include "twin/world.h"

namespace ff::twin {

/// Everything that happens in one run, decided by one seed: chapters of single calls of all kinds,
/// and chapters of batches of one size, in turn.
class Story {
  public:
    Story(TwinHost& host, std::uint64_t seed);

    /// At least so many calls of functions. Throws Difference.
    void run(std::uint64_t calls);

  private:
    void begin_chapter();
    void single(Partition& partition);
    void tend();
    Partition& partition();

    TwinHost& host_;
    World world_;
    Batches batches_;
    ActionTable actions_;
    std::deque<Partition> partitions_{};
    std::uint64_t next_tag_ = 0;
    std::uint64_t chapter_left_ = 0;
    bool in_batches_ = false;
};

}  // namespace ff::twin
