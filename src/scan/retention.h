#pragma once

#include <set>

#include "scan/due_scanner.h"
#include "scan/score_walk.h"

namespace ff::scan {

/// `retention_trimmer`: deletes executions that were kept for long enough, and takes them off the
/// listings.
class RetentionTrimmer final : public Scanner {
  public:
    /// Executions that could not be deleted and are tried again.
    static constexpr std::size_t kAgainMax = 1'000;

    RetentionTrimmer();

    Kind kind() const override { return Kind::RetentionTrimmer; }
    boost::asio::awaitable<void> cycle(Cycle& cycle) override;
    boost::asio::awaitable<void> serve_due(Cycle& cycle) override { return due_.serve_due(cycle); }
    std::optional<Timestamp> next_due() const override { return due_.next_due(); }

  private:
    /// Those with a time of their own.
    DueScanner due_;
    /// Those that are kept as long as the server says. What is kept longer moves to the others
    /// when it is met, so nothing has to be met twice.
    ScoreWalk old_{20, ScoreWalk::AtEnd::Stay};
    std::set<model::ExecutionId> again_{};
};

}  // namespace ff::scan
