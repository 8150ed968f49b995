#include "service/overview.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/csv.h"
#include "base/log.h"
#include "model/index_keys.h"
#include "service/merged_index.h"

namespace ff::service {
namespace {

constexpr std::chrono::milliseconds kFreshLeast{1'000};
/// An answer stays fresh for so many times as long as it took to make it.
constexpr int kRest = 20;
/// A budget is near its limit from so many hundredths of it on.
constexpr std::int64_t kNearPercent = 80;
/// What one step of priority is worth in the score of a waiting execution (spec 06, section 7).
constexpr double kPriorityStep = 1e12;

std::int64_t count_of(const LaneView& lane, const std::string& state) {
    const auto found = lane.counts.find(state);
    return found == lane.counts.end() ? 0 : found->second;
}

/// The priority in a score; ages are far below a step.
double priority_of(double score, Timestamp now) {
    return std::round((static_cast<double>(to_ms(now)) - score) / kPriorityStep);
}

Timestamp created_at(double score, Timestamp now) {
    const double created = score + priority_of(score, now) * kPriorityStep;
    return timestamp_from_ms(static_cast<std::int64_t>(created));
}

/// Nothing for a budget that is far from all its limits.
std::optional<NearBudget> nearest(BudgetStatus budget) {
    NearBudget near{.budget = std::move(budget)};
    for (const auto& [name, hard] : near.budget.hard_limits) {
        const auto found = near.budget.usage.find(name);
        const std::int64_t used = found == near.budget.usage.end() ? 0 : found->second;
        // used / hard against the best so far, without a division.
        const bool nearer = near.hard_limit == 0 ||
                            static_cast<double>(used) * static_cast<double>(near.hard_limit) >
                                static_cast<double>(near.used) * static_cast<double>(hard);
        if (!nearer) continue;
        near.dimension = name;
        near.used = used;
        near.hard_limit = hard;
    }
    const bool close =
        near.hard_limit > 0 && static_cast<double>(near.used) * 100.0 >=
                                   static_cast<double>(near.hard_limit) * kNearPercent;
    return close ? std::optional(std::move(near)) : std::nullopt;
}

/// True while somebody makes an answer, also when they leave early.
class Making {
  public:
    explicit Making(bool& flag) : flag_(flag) { flag_ = true; }
    ~Making() { flag_ = false; }
    Making(const Making&) = delete;
    Making& operator=(const Making&) = delete;

  private:
    bool& flag_;
};

double share(const NearBudget& near) {
    return static_cast<double>(near.used) / static_cast<double>(near.hard_limit);
}

bool nearer(const NearBudget& a, const NearBudget& b) {
    if (share(a) != share(b)) return share(a) > share(b);
    return a.budget.id.to_string() < b.budget.id.to_string();
}

}  // namespace

Overview::Overview(const Context& context, Lanes& lanes, Workers& workers, Budgets& budgets)
    : context_(context),
      lanes_(lanes),
      workers_(workers),
      budgets_(budgets),
      figures_(context.clock.now()),
      next_count_(context.loop),
      tasks_(context.loop, "overview") {}

void Overview::start() {
    tasks_.spawn(keep_counting());
}

boost::asio::awaitable<void> Overview::stop() {
    stopped_ = true;
    next_count_.cancel();
    tasks_.cancel();
    co_await tasks_.join();
}

void Overview::ended(std::string_view lane, std::string_view outcome, std::uint64_t attempts) {
    const auto many = static_cast<std::int64_t>(attempts);
    if (lane.empty()) return;
    const Timestamp now = context_.clock.now();
    if (outcome == "ok") figures_.ended(lane, many, 0, now);
    if (outcome == "error" || outcome == "timeout") figures_.ended(lane, 0, many, now);
}

/// By the counts that the scanner keeps, which are as old as a span is long at most.
boost::asio::awaitable<void> Overview::keep_counting() {
    while (!stopped_) {
        const auto lanes = co_await lanes_.list();
        const Timestamp now = context_.clock.now();
        if (lanes.has_value()) {
            for (const LaneView& lane : *lanes)
                figures_.counted(lane.lane_id.text(), count_of(lane, "waiting"),
                                 count_of(lane, "active"), now);
            co_await look_for_oldest(*lanes);
            if (stopped_) co_return;
        } else if (!stopped_) {
            log::debug("service", "lanes_not_counted", {{"error", lanes.error().text()}});
        }
        const Millis into_span{to_ms(now) % LaneFigures::kSpan.count()};
        next_count_.expires_after(LaneFigures::kSpan - into_span);
        if (stopped_) co_return;
        auto token = boost::asio::as_tuple(boost::asio::use_awaitable);
        co_await next_count_.async_wait(token);
    }
}

void Overview::tell_oldest(const std::string& lane,
                           const std::optional<OldestWaiting>& oldest) const {
    if (!on_oldest_) return;
    on_oldest_(lane, oldest ? std::optional(oldest->created_at) : std::nullopt);
}

boost::asio::awaitable<void> Overview::look_for_oldest(std::vector<LaneView> lanes) {
    std::size_t looked = 0;
    for (const LaneView& lane : lanes) {
        if (stopped_) co_return;
        if (count_of(lane, "waiting") == 0) {
            tell_oldest(lane.lane_id.text(), std::nullopt);
            continue;
        }
        if (++looked > kWatchedLanesMost) co_return;
        model::LaneId id = lane.lane_id;
        const auto oldest = co_await oldest_waiting(std::move(id));
        if (oldest.has_value()) tell_oldest(lane.lane_id.text(), *oldest);
    }
}

Task<std::shared_ptr<const OverviewView>> Overview::view() {
    const auto begun = SteadyClock::now();
    // While one is made, those who ask meanwhile get the one before it.
    if (latest_ && (making_ || begun < fresh_until_)) co_return latest_;
    const Making making(making_);
    Result<OverviewView> made = co_await make();
    if (!made.has_value()) co_return std::move(made).error();
    const auto ended = SteadyClock::now();
    latest_ = std::make_shared<const OverviewView>(*std::move(made));
    fresh_until_ = ended + std::max<SteadyClock::duration>(kFreshLeast, (ended - begun) * kRest);
    co_return latest_;
}

Task<OverviewView> Overview::make() {
    OverviewView view;
    FF_CO_TRY(std::vector<LaneView> lanes, co_await lanes_.list(true));
    view.at = context_.clock.now();
    view.points_from = figures_.from(view.at);
    for (LaneView& lane : lanes) {
        const std::string& name = lane.lane_id.text();
        figures_.counted(name, count_of(lane, "waiting"), count_of(lane, "active"), view.at);
        LaneOverview one{.lane = std::move(lane)};
        one.points = figures_.points(one.lane.lane_id.text(), view.at);
        if (count_of(one.lane, "waiting") > 0) {
            model::LaneId id = one.lane.lane_id;
            FF_CO_TRY(one.oldest, co_await oldest_waiting(std::move(id)));
        }
        tell_oldest(one.lane.lane_id.text(), one.oldest);
        view.lanes.push_back(std::move(one));
    }
    FF_CO_CHECK(co_await add_workers(view));
    FF_CO_TRY(view.approvals_waiting, co_await count_approvals());
    FF_CO_TRY(view.budgets_near_limit, co_await near_budgets());
    co_return view;
}

Task<Done> Overview::add_workers(OverviewView& view) {
    std::string from_the_start;
    FF_CO_TRY(const WorkerPage page,
              co_await workers_.list(std::nullopt, std::move(from_the_start), kWorkersMost));
    view.workers_alive = page.workers.size();
    std::map<std::string, std::size_t> serving;
    for (const engine::WorkerInfo& worker : page.workers)
        for (const std::string& lane : split_csv(worker.lanes_csv)) ++serving[lane];
    for (LaneOverview& lane : view.lanes) {
        const auto found = serving.find(lane.lane.lane_id.text());
        if (found != serving.end()) lane.workers = found->second;
    }
    co_return Done{};
}

/// The queue goes by priority first. Its head is the oldest of the highest; where its end is of
/// another priority, the first of that one may have been passed over for longer.
Task<std::optional<OldestWaiting>> Overview::oldest_waiting(model::LaneId lane) {
    const std::uint16_t partitions = context_.rules.partitions.num_flow_partitions();
    const auto key = [&lane](std::uint16_t partition) {
        return model::LaneKeys(model::PartitionKey::flow(partition), lane).eligible();
    };
    std::vector<store::Call> reads;
    for (std::uint16_t i = 0; i < partitions; ++i) {
        reads.push_back(store::plain({"ZRANGE", key(i), "0", "0", "WITHSCORES"}, true));
        reads.push_back(store::plain({"ZREVRANGE", key(i), "0", "0", "WITHSCORES"}, true));
    }
    const auto ends = co_await context_.store.pipeline(std::move(reads));
    const Timestamp now = context_.clock.now();
    std::vector<Scored> oldest;
    std::vector<store::Call> lowest;
    for (std::uint16_t i = 0; i < partitions; ++i) {
        const auto& head = ends[std::size_t{2} * i];
        const auto& tail = ends[std::size_t{2} * i + 1];
        if (!head) co_return head.error();
        if (!tail) co_return tail.error();
        const std::vector<Scored> first = read_scored(*head);
        const std::vector<Scored> last = read_scored(*tail);
        if (first.empty() || last.empty()) continue;
        oldest.push_back(first.front());
        const double low = priority_of(last.front().value, now);
        if (low == priority_of(first.front().value, now)) continue;
        const double above = static_cast<double>(to_ms(now)) - (low + 0.5) * kPriorityStep;
        const std::string from = std::to_string(static_cast<std::int64_t>(above));
        lowest.push_back(store::plain(
            {"ZRANGEBYSCORE", key(i), from, "+inf", "WITHSCORES", "LIMIT", "0", "1"}, true));
    }
    if (!lowest.empty()) {
        const auto found = co_await context_.store.pipeline(std::move(lowest));
        for (const auto& reply : found) {
            if (!reply) co_return reply.error();
            std::ranges::move(read_scored(*reply), std::back_inserter(oldest));
        }
    }
    std::optional<OldestWaiting> best;
    for (const Scored& one : oldest) {
        const auto id = model::ExecutionId::parse(one.member);
        const Timestamp at = created_at(one.value, now);
        if (id && (!best || at < best->created_at))
            best = OldestWaiting{.execution_id = *id, .created_at = at};
    }
    co_return best;
}

Task<std::int64_t> Overview::count_approvals() {
    std::vector<store::Call> reads;
    for (std::uint16_t i = 0; i < context_.rules.partitions.num_flow_partitions(); ++i)
        reads.push_back(store::plain({"ZCARD", model::IndexKeys(i).approvals()}, true));
    const auto counts = co_await context_.store.pipeline(std::move(reads));
    std::int64_t sum = 0;
    for (const auto& count : counts) {
        if (!count) co_return count.error();
        sum += count->to_integer().value_or(0);
    }
    co_return sum;
}

Task<std::vector<NearBudget>> Overview::near_budgets() {
    std::string from_the_start;
    FF_CO_TRY(BudgetPage page, co_await budgets_.list(std::move(from_the_start), kBudgetsMost));
    std::vector<NearBudget> found;
    for (BudgetStatus& budget : page.budgets) {
        std::optional<NearBudget> near = nearest(std::move(budget));
        if (near) found.push_back(*std::move(near));
    }
    std::ranges::sort(found, nearer);
    if (found.size() > kNearMost) found.erase(found.begin() + kNearMost, found.end());
    co_return found;
}

}  // namespace ff::service
