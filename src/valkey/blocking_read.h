#pragma once

#include <chrono>
#include <cstddef>
#include <optional>

#include "base/deadline.h"
#include "resp/command.h"

namespace ff::valkey {

/// An XREAD and how long it may wait, so that it can be sent in slices.
class BlockingRead {
  public:
    explicit BlockingRead(const resp::Command& command);

    /// Whether it waits at all.
    bool blocks() const { return block_at_ != 0; }
    /// When its own BLOCK time ends, counted from now; BLOCK 0 never ends.
    Deadline end() const;
    /// The same command with another time to wait, at least one millisecond.
    resp::Command slice(std::chrono::milliseconds block) const;

  private:
    const resp::Command& command_;
    /// Position of the number behind BLOCK, or 0.
    std::size_t block_at_ = 0;
    std::chrono::milliseconds block_{0};
};

}  // namespace ff::valkey
