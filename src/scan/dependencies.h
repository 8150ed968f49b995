#pragma once

#include "scan/scanner.h"
#include "scan/score_walk.h"

namespace ff::scan {

/// `dependency_reconciler`: blocked children whose upstream ended unnoticed.
class DependencyReconciler final : public Scanner {
  public:
    Kind kind() const override { return Kind::DependencyReconciler; }
    boost::asio::awaitable<void> cycle(Cycle& cycle) override;

  private:
    ScoreWalk walk_{200, ScoreWalk::AtEnd::BeginAgain};
};

}  // namespace ff::scan
