#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace ff::sched {

/// The window of partitions that claims look through besides those they have a reason to: it moves
/// on with time, so that every partition is reached and nobody has a fixed first one. Any thread.
class Rotation {
  public:
    static constexpr std::uint16_t kWindow = 32;
    static constexpr Millis kStep{250};

    /// At most kWindow partitions of `count`, none twice.
    std::vector<std::uint16_t> window(std::string_view worker_instance_id, Timestamp now,
                                      std::uint16_t count);

  private:
    std::uint16_t cursor_at(Timestamp now, std::uint16_t count);
    /// The time step in the high 48 bits, the cursor in the low 16.
    std::atomic<std::uint64_t> state_{0};
};

}  // namespace ff::sched
