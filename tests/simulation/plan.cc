#include "simulation/plan.h"

#include <algorithm>

namespace ff::simulation {
namespace {

using namespace std::chrono_literals;

/// Draws settings; half of all faults are absent from any one run.
class Lots {
  public:
    explicit Lots(std::uint64_t seed) : random_(seed) {}

    std::uint64_t between(std::uint64_t least, std::uint64_t most) {
        return least + random_.below(most - least + 1);
    }
    bool coin() { return random_.below(2) == 0; }
    Odds odds(Odds most) { return coin() ? 0 : static_cast<Odds>(between(1, most)); }
    Millis now_and_then(std::uint64_t least_ms, std::uint64_t most_ms) {
        return coin() ? 0ms : Millis(between(least_ms, most_ms));
    }
    template <class T>
    T one_of(std::initializer_list<T> values) {
        return *(values.begin() + random_.below(values.size()));
    }

  private:
    SeededRandom random_;
};

NetworkPlan draw_network(Lots& lots) {
    NetworkPlan plan;
    plan.latency.most = std::chrono::microseconds(lots.one_of({200U, 2'000U, 30'000U}));
    plan.request_lost = lots.odds(200);
    plan.reply_lost = lots.odds(200);
    plan.notice_lost = lots.odds(500);
    return plan;
}

DiskPlan draw_disk(Lots& lots) {
    DiskPlan plan;
    // A power cut may take what the other modes have acknowledged, so they are the rarer ones.
    plan.fsync =
        lots.one_of({journal::Fsync::Always, journal::Fsync::Always, journal::Fsync::Always,
                     journal::Fsync::Interval, journal::Fsync::Off});
    plan.tick.most = std::chrono::microseconds(lots.one_of({50U, 500U, 3'000U}));
    plan.commit = {.least = 20us, .most = std::chrono::microseconds(lots.one_of({100U, 5'000U}))};
    plan.snapshot_log_bytes = lots.one_of({20'000U, 100'000U, 1U << 30U});
    plan.full_every = lots.now_and_then(3'000, 20'000);
    plan.full_for = Millis(lots.between(50, 3'000));
    plan.failed_sync_every = lots.now_and_then(5'000, 30'000);
    plan.power_cut_every = lots.now_and_then(4'000, 20'000);
    plan.kill_every = lots.now_and_then(4'000, 20'000);
    plan.down_for = Millis(lots.between(1, 4'000));
    plan.lost_file = lots.odds(2'000);
    plan.cut_file = lots.odds(2'000);
    plan.clock_jump_every = lots.now_and_then(4'000, 20'000);
    plan.clock_jump_most = Millis(lots.one_of({100U, 5'000U, 120'000U}));
    if (lots.coin() && lots.coin()) plan.memory_room = lots.between(100, 2'000) << 10U;
    return plan;
}

CrowdPlan draw_crowd(Lots& lots) {
    CrowdPlan plan;
    plan.submitters = static_cast<std::uint32_t>(lots.between(1, 3));
    plan.workers = static_cast<std::uint32_t>(lots.between(1, 5));
    plan.approvers = static_cast<std::uint32_t>(lots.between(0, 2));
    plan.operators = static_cast<std::uint32_t>(lots.between(0, 2));
    plan.flow_authors = static_cast<std::uint32_t>(lots.between(0, 1));
    plan.executions = lots.one_of({20U, 80U, 240U});
    plan.batch_most = lots.one_of({1U, 5U, 40U});
    plan.claim_most = lots.one_of({1U, 4U, 32U});
    plan.lease_ttl = Millis(lots.one_of({1'000U, 5'000U, 30'000U}));
    plan.think = Millis(lots.one_of({1U, 50U, 800U}));
    plan.payload_most = lots.one_of({10U, 300U, 6'000U});
    plan.forgets_reply = lots.odds(600);
    plan.oversleeps = lots.odds(800);
    plan.vanishes = lots.odds(400);
    plan.suspends = lots.odds(3'000);
    plan.fails = lots.odds(3'000);
    plan.gives_back = lots.odds(1'000);
    plan.streams = lots.odds(4'000);
    plan.spends = lots.odds(4'000);
    plan.renews = lots.odds(5'000);
    plan.completes_in_batches = lots.odds(10'000);
    plan.delayed = lots.odds(3'000);
    plan.keyed = lots.odds(4'000);
    plan.retried = lots.odds(8'000);
    plan.limited = lots.odds(10'000);
    plan.deadline = lots.odds(1'500);
    plan.grows = lots.odds(6'000);
    return plan;
}

LimitPlan draw_limits(Lots& lots) {
    LimitPlan plan;
    if (lots.coin()) plan.budget = lots.one_of({50, 500, 1'000'000});
    if (lots.coin()) plan.concurrent = static_cast<std::int64_t>(lots.between(1, 4));
    if (lots.coin()) plan.rate = static_cast<std::int64_t>(lots.between(3, 20));
    plan.spent = lots.odds(10'000);
    return plan;
}

}  // namespace

Plan Plan::draw(std::uint64_t seed) {
    Lots lots(seed * 0x9e3779b97f4a7c15U + 1);
    Plan plan{.seed = seed};
    plan.shards = lots.one_of({1U, 1U, 2U, 3U});
    plan.partitions = {.flow = lots.one_of<std::uint16_t>({1, 2, 4, 8}), .budget = 2, .quota = 2};
    for (std::uint64_t i = lots.between(1, 3); i > 0; --i)
        plan.lanes.push_back("lane-" + std::to_string(i));
    plan.lane_spread = lots.one_of<std::uint16_t>({1, 1, 2});
    plan.servers = lots.one_of({1U, 1U, 2U});
    plan.one_process = lots.coin();
    plan.skew_most = Millis(lots.one_of({0U, 50U, 5'000U}));
    plan.server_kill_every = lots.now_and_then(3'000, 15'000);
    plan.network = draw_network(lots);
    plan.disk = draw_disk(lots);
    plan.crowd = draw_crowd(lots);
    plan.limits = draw_limits(lots);
    plan.chaos = Millis(lots.one_of({5'000U, 15'000U, 40'000U}));
    plan.crowd.given_up = lots.odds(4'000);
    plan.disk.clock_leaps = lots.odds(6'000);
    plan.disk.log_away_every = lots.now_and_then(4'000, 20'000);
    plan.crowd.steps = lots.odds(5'000);
    plan.crowd.calls = lots.odds(3'000);
    plan.crowd.asks = lots.odds(10'000);
    plan.crowd.keeps_steps = lots.odds(10'000);
    return plan;
}

Plan Plan::shortened() const {
    Plan plan = *this;
    plan.crowd.executions = std::min(plan.crowd.executions, 12U);
    plan.chaos = std::min<Millis>(plan.chaos, 3s);
    plan.disk.kill_every /= 3;
    plan.disk.power_cut_every /= 3;
    plan.disk.full_every /= 3;
    plan.disk.full_for /= 3;
    plan.disk.failed_sync_every /= 3;
    plan.disk.clock_jump_every /= 3;
    plan.disk.log_away_every /= 3;
    plan.server_kill_every /= 3;
    return plan;
}

}  // namespace ff::simulation
