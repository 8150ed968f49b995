#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/guard.h"
#include "api/pool.h"
#include "app/function_observer.h"
#include "app/wait_figures.h"
#include "host/shard.h"
#include "host/slow_calls.h"
#include "hub/probe.h"
#include "scan/probe.h"
#include "valkey/probe.h"

namespace ff::app {

/// Keeps the figures of /metrics (spec 07, section 8). Safe to use from any thread.
class Probe final : public api::RequestProbe,
                    public hub::Probe,
                    public scan::Probe,
                    public valkey::Probe,
                    public WorkProbe {
  public:
    Probe();
    ~Probe() override;

    /// In the text format of Prometheus.
    std::string text() const;

    void answered(std::string_view method, std::string_view pattern, unsigned status,
                  std::chrono::steady_clock::duration took) override;
    void store_failed(std::string_view kind) override;
    void shutdown_timed_out();
    /// The embedded store has undone a call; `broke_promise`: it had not written what it answered.
    void call_undone(std::string_view function, bool broke_promise);
    /// A call of the embedded store took long.
    void call_was_slow(const host::SlowCall& call);
    void worker_at_capacity();

    void cycle_ended(const scan::CycleFacts& facts) override;
    void cancel_backlog(std::uint64_t flows) override;
    void cascade_pending(std::uint64_t members) override;
    void queue_depth(const model::LaneId& lane, std::string_view state,
                     std::uint64_t executions) override;
    void sibling_group_drained(std::string_view result) override;
    void sibling_group_reconciled(std::string_view action) override;
    void restarted(scan::Kind kind) override;
    void unblocked(std::uint64_t executions) override;
    void index_repaired(std::string_view index) override;
    void quota_corrected() override;

    void library_loaded() override;
    /// Called whenever the function library had to be loaded, on the store's loop.
    void on_library_loaded(std::function<void()> act);
    using OnAttemptsEnded = std::function<void(std::string_view lane, std::string_view outcome,
                                               std::uint64_t attempts)>;
    /// Called as `attempts_ended` is, on the store's loop.
    void on_attempts_ended(OnAttemptsEnded act);

    void claimed(std::string_view lane, std::string_view kind, std::uint64_t attempts) override;
    void first_attempts(std::string_view lane, std::string_view kind,
                        std::span<const Timestamp> created) override;
    void lease_taken(std::string_view lane, std::chrono::nanoseconds took) override;
    void lease_renewed(bool ok) override;
    void attempts_ended(std::string_view lane, std::string_view outcome,
                        std::uint64_t attempts) override;
    void budget_hit(std::string_view dimension) override;
    void quota_hit(std::string_view reason) override;
    void edge_group_set(std::string_view policy) override;
    void edges_resolved(std::uint64_t edges) override;
    void members_cancelled(std::string_view disposition, std::uint64_t members) override;
    void dependency_reconciled() override;
    void groups_evaluated(std::string_view result, std::uint64_t groups) override;

    void frames_lost(std::uint64_t frames) override;
    void feed_delivered(std::string_view family, Millis lag) override;
    void feed_lost(std::string_view family, std::uint64_t entries) override;
    void completion_dispatched(std::string_view result, Millis lag) override;

    /// A lane of the settings: its figures are there before anything happens in it.
    void lane_known(std::string_view lane);
    /// When what waits longest in a lane was created; nothing where nothing waits.
    void oldest_waiting(std::string_view lane, std::optional<Timestamp> created);

    /// How the pools stand now.
    void pools(const api::Pools& pools);
    /// What an embedded store uses at the moment.
    void store(const std::vector<host::ShardFacts>& shards, const host::MemoryGauge& memory);

  private:
    struct Families;
    std::unique_ptr<Families> families_;
    WaitFigures waits_{};
    std::function<void()> on_library_loaded_{};
    OnAttemptsEnded on_attempts_ended_{};
};

}  // namespace ff::app
