#pragma once

#include <set>

#include "base/deadline.h"
#include "engine/quota.h"
#include "scan/scanner.h"
#include "scan/set_walk.h"

namespace ff::scan {

/// `quota_release`: gives back the places of runs that have ended; at once when a function says
/// that there is one.
class QuotaRelease final : public Scanner {
  public:
    Kind kind() const override { return Kind::QuotaRelease; }
    boost::asio::awaitable<void> cycle(Cycle& cycle) override;
    boost::asio::awaitable<void> serve_due(Cycle& cycle) override;
    std::optional<Timestamp> next_due() const override;
    bool heeds_messages() const override { return true; }
    bool announced(const Announcement& announcement) override;

  private:
    boost::asio::awaitable<bool> any_quotas(Cycle& cycle);
    boost::asio::awaitable<void> drain(Cycle& cycle, std::vector<std::uint16_t> partitions);

    std::set<std::uint16_t> announced_{};
    Deadline look_for_quotas_ = Deadline::after(Millis(0));
    bool quotas_ = true;
    std::uint64_t cycles_ = 0;
};

/// `quota_reconciler`: takes away the places of runs that are over without having said so, and
/// sets the counters right.
class QuotaReconciler final : public Scanner {
  public:
    Kind kind() const override { return Kind::QuotaReconciler; }
    boost::asio::awaitable<void> cycle(Cycle& cycle) override;

  private:
    boost::asio::awaitable<void> reconcile(Cycle& cycle, WalkMember policy);
    /// Members of a quota whose run is over.
    boost::asio::awaitable<std::vector<engine::EpochOf>> dead_members(Cycle& cycle,
                                                                      engine::QuotaAddress quota);

    SetWalk policies_{100};
};

}  // namespace ff::scan
