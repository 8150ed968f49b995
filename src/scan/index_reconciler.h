#pragma once

#include "scan/pace.h"
#include "scan/scanner.h"
#include "scan/score_walk.h"
#include "scan/set_walk.h"

namespace ff::scan {

/// Makes the indexes agree with the records of all executions, and the listings with both.
class IndexReconciler final : public Scanner {
  public:
    Kind kind() const override { return Kind::IndexReconciler; }
    boost::asio::awaitable<void> cycle(Cycle& cycle) override;

  private:
    /// One piece of a page.
    boost::asio::awaitable<void> reconcile(Cycle& cycle, std::vector<model::ExecutionId> ids);
    /// Drops what is gone from the listings by namespace.
    boost::asio::awaitable<void> tidy_listings(Cycle& cycle, Pace& pace);
    boost::asio::awaitable<void> drop_gone(Cycle& cycle, std::vector<WalkMember> members);

    SetWalk executions_{100};
    ScoreWalk listings_{100, ScoreWalk::AtEnd::BeginAgain};
};

}  // namespace ff::scan
