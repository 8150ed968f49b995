#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "scan/scanner.h"
#include "sched/admission.h"
#include "sched/attachments.h"
#include "sched/lane_directory.h"
#include "sched/unblocker.h"

namespace ff::scan {

/// Puts work back into its queue when its budget, quota, worker or lane allows it again; for a
/// policy that was just freed, at once.
class Unblock final : public Scanner {
  public:
    /// Policies that wait for their turn; more are left to the next cycle.
    static constexpr std::size_t kFreedMax = 4'096;
    /// A lane or partition that work came to since the last look is not known here: what was freed
    /// is looked at with eyes at most this old, or once more when it is over.
    static constexpr Millis kLookApart{250};

    Unblock(const Clock& clock, store::Store& store, const Options& options);

    Kind kind() const override { return Kind::Unblock; }
    boost::asio::awaitable<void> cycle(Cycle& cycle) override;
    boost::asio::awaitable<void> serve_due(Cycle& cycle) override;
    std::optional<Timestamp> next_due() const override;
    bool heeds_messages() const override { return true; }
    /// `budget:<id>` or `quota:<id>`.
    void freed(const std::string& ref);

  private:
    struct Place {
        std::uint16_t partition = 0;
        model::LaneId lane;
    };
    /// Those of the places where anything is blocked or suspended.
    boost::asio::awaitable<std::vector<Place>> with_blocked(Cycle& cycle,
                                                            std::vector<Place> places);

    sched::LaneDirectory lanes_;
    sched::Attachments attachments_;
    sched::Admission admission_;
    sched::Unblocker unblocker_;
    std::set<std::string> freed_{};
    /// Served with what was known then, and again at that time.
    std::set<std::string> again_{};
    Timestamp again_at_{};
};

}  // namespace ff::scan
