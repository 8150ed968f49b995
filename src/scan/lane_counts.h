#pragma once

#include "scan/scanner.h"

namespace ff::scan {

/// Counts the executions of each lane by state, for people and for metrics. A lane is counted by
/// one server, over all partitions.
class LaneCounts final : public Scanner {
  public:
    Kind kind() const override { return Kind::LaneCounts; }
    boost::asio::awaitable<void> cycle(Cycle& cycle) override;

  private:
    boost::asio::awaitable<void> count(Cycle& cycle, model::LaneId lane,
                                       std::vector<std::uint16_t> partitions);
};

}  // namespace ff::scan
