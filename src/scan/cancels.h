#pragma once

#include <set>

#include "model/ids.h"
#include "scan/due_scanner.h"

namespace ff::scan {

/// `cancel_reconciler`: members that a cancelled or failed flow still owes a cancel. For a flow
/// that has just failed, at once.
class CancelReconciler final : public Scanner {
  public:
    /// Failed flows that wait for their turn; more are left to the cycle.
    static constexpr std::size_t kFlowsMax = 4'096;

    CancelReconciler();

    Kind kind() const override { return Kind::CancelReconciler; }
    boost::asio::awaitable<void> cycle(Cycle& cycle) override;
    boost::asio::awaitable<void> serve_due(Cycle& cycle) override;
    bool heeds_messages() const override { return true; }
    std::optional<Timestamp> next_due() const override;

    void flow_failed(const model::FlowId& flow);

  private:
    boost::asio::awaitable<void> measure(Cycle& cycle);

    DueScanner backlog_;
    std::set<model::FlowId> failed_{};
};

}  // namespace ff::scan
