#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/steady_clock.h"
#include "base/task.h"
#include "base/task_group.h"
#include "base/time.h"
#include "base/timer.h"
#include "model/execution_id.h"
#include "service/budgets.h"
#include "service/context.h"
#include "service/lane_figures.h"
#include "service/lanes.h"
#include "service/workers.h"

namespace ff::service {

struct OldestWaiting {
    model::ExecutionId execution_id;
    Timestamp created_at{};
};

struct LaneOverview {
    LaneView lane;
    std::vector<LanePoint> points{};
    /// Live worker instances that serve the lane.
    std::size_t workers = 0;
    /// Of those of the highest priority and those of the lowest.
    std::optional<OldestWaiting> oldest{};
};

/// A budget that is used up to 80 % or more, by the dimension that is nearest to its limit.
struct NearBudget {
    BudgetStatus budget;
    std::string dimension{};
    std::int64_t used = 0;
    std::int64_t hard_limit = 0;
};

struct OverviewView {
    Timestamp at{};
    Timestamp points_from{};
    std::vector<LaneOverview> lanes{};
    std::size_t workers_alive = 0;
    std::int64_t approvals_waiting = 0;
    /// Nearest to the limit first.
    std::vector<NearBudget> budgets_near_limit{};
};

/// How a server is doing, in one answer: lanes with their last hour, and what waits for people
/// (spec 07, section 3.5). Lives on the context's loop.
class Overview {
  public:
    /// More workers and budgets than these are not looked at.
    static constexpr std::size_t kWorkersMost = 1000;
    static constexpr std::size_t kBudgetsMost = 200;
    static constexpr std::size_t kNearMost = 20;
    /// Lanes in which work waits whose oldest is looked for with each span.
    static constexpr std::size_t kWatchedLanesMost = 32;

    Overview(const Context& context, Lanes& lanes, Workers& workers, Budgets& budgets);

    /// Begins to note every span how much waits and runs. Without it the points know only what
    /// ended, and what was counted for an answer.
    void start();
    using OnOldest = std::function<void(const std::string& lane, std::optional<Timestamp> created)>;
    /// Called with what waits longest in a lane, or that nothing waits, whenever it was looked at:
    /// with each span of a started one, and for an answer.
    void on_oldest(OnOldest act) { on_oldest_ = std::move(act); }
    boost::asio::awaitable<void> stop();

    /// An attempt ended by a call of this server: `ok`, `error`, `timeout`, `cancelled` or `retry`.
    void ended(std::string_view lane, std::string_view outcome, std::uint64_t attempts);

    /// May be a moment old: making one is not to take more than a twentieth of the time.
    Task<std::shared_ptr<const OverviewView>> view();

  private:
    boost::asio::awaitable<void> keep_counting();
    boost::asio::awaitable<void> look_for_oldest(std::vector<LaneView> lanes);
    void tell_oldest(const std::string& lane, const std::optional<OldestWaiting>& oldest) const;
    Task<OverviewView> make();
    Task<Done> add_workers(OverviewView& view);
    Task<std::optional<OldestWaiting>> oldest_waiting(model::LaneId lane);
    Task<std::int64_t> count_approvals();
    Task<std::vector<NearBudget>> near_budgets();

    Context context_;
    Lanes& lanes_;
    Workers& workers_;
    Budgets& budgets_;
    LaneFigures figures_;
    /// Shared with the answers that are being written.
    std::shared_ptr<const OverviewView> latest_{};
    SteadyClock::time_point fresh_until_{};
    OnOldest on_oldest_{};
    bool stopped_ = false;
    bool making_ = false;
    Timer next_count_;
    TaskGroup tasks_;
};

}  // namespace ff::service
