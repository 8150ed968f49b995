#pragma once

#include <set>

#include "model/ids.h"
#include "scan/scanner.h"
#include "scan/score_walk.h"
#include "scan/set_walk.h"

namespace ff::scan {

/// `flow_projector`: keeps the summaries of live flows true; that of a flow which has just reached
/// its final state, at once.
class FlowProjector final : public Scanner {
  public:
    static constexpr std::size_t kFlowsMax = 4'096;

    Kind kind() const override { return Kind::FlowProjector; }
    boost::asio::awaitable<void> cycle(Cycle& cycle) override;
    boost::asio::awaitable<void> serve_due(Cycle& cycle) override;
    std::optional<Timestamp> next_due() const override;
    bool heeds_messages() const override { return true; }
    void flow_finished(const model::FlowId& flow);

  private:
    SetWalk walk_{100};
    std::set<model::FlowId> finished_{};
};

/// `flow_retention`: flows that have been over for longer than they are kept.
class FlowRetention final : public Scanner {
  public:
    Kind kind() const override { return Kind::FlowRetention; }
    boost::asio::awaitable<void> cycle(Cycle& cycle) override;

  private:
    ScoreWalk walk_{100, ScoreWalk::AtEnd::BeginAgain};
};

}  // namespace ff::scan
