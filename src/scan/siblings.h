#pragma once

#include <set>

#include "scan/scanner.h"
#include "scan/set_walk.h"

namespace ff::scan {

/// `edge_cancel_dispatcher`: cancels the losers of decided groups; at once when a function says
/// that one was decided.
class SiblingDispatcher final : public Scanner {
  public:
    Kind kind() const override { return Kind::EdgeCancelDispatcher; }
    boost::asio::awaitable<void> cycle(Cycle& cycle) override;
    boost::asio::awaitable<void> serve_due(Cycle& cycle) override;
    std::optional<Timestamp> next_due() const override;
    bool heeds_messages() const override { return true; }
    bool announced(const Announcement& announcement) override;

  private:
    boost::asio::awaitable<void> drain(Cycle& cycle, std::vector<WalkPlace> places);

    SetWalk walk_{50};
    std::set<std::uint16_t> flagged_{};
};

/// `edge_cancel_reconciler`: groups that are on the list for nothing.
class SiblingReconciler final : public Scanner {
  public:
    Kind kind() const override { return Kind::EdgeCancelReconciler; }
    boost::asio::awaitable<void> cycle(Cycle& cycle) override;

  private:
    SetWalk walk_{50};
};

}  // namespace ff::scan
