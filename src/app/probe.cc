#include "app/probe.h"

#include <array>
#include <map>
#include <mutex>
#include <set>
#include <tuple>

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include "app/process_figures.h"
#include "hub/feed_event.h"
#include "model/transport_kind.h"

namespace ff::app {
namespace {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;
using prometheus::Histogram;
using prometheus::Labels;

constexpr std::size_t kLanesMax = 64;

/// Never destroyed, as the one below: an engine inside a program may run until its very end.
const Histogram::BucketBoundaries& latency_buckets() {
    static const auto& kBuckets = *new Histogram::BucketBoundaries{
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30};
    return kBuckets;
}

const Histogram::BucketBoundaries& lag_buckets() {
    static const auto& kBuckets = *new Histogram::BucketBoundaries{
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1, 2.5, 5, 10};
    return kBuckets;
}

constexpr const char* kOtherLanes = "other";
constexpr model::TransportKind kLastKind = model::TransportKind::NoValidReplicasFoundBySentinel;
constexpr std::array<hub::FeedFamily, 6> kFeedFamilies = {
    hub::FeedFamily::Completion, hub::FeedFamily::LeaseHistory,   hub::FeedFamily::InstanceTags,
    hub::FeedFamily::Operator,   hub::FeedFamily::SignalDelivery, hub::FeedFamily::Step};

Timestamp now() {
    return std::chrono::time_point_cast<Millis>(std::chrono::system_clock::now());
}

double seconds(std::chrono::nanoseconds span) {
    return std::chrono::duration<double>(span).count();
}

std::string known_method(std::string_view method) {
    for (const std::string_view known : {"GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS"})
        if (method == known) return std::string(method);
    return "OTHER";
}

Family<Counter>& counters(prometheus::Registry& registry, const char* name, const char* help) {
    return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}

Family<Histogram>& histograms(prometheus::Registry& registry, const char* name, const char* help) {
    return prometheus::BuildHistogram().Name(name).Help(help).Register(registry);
}

Family<Gauge>& gauges(prometheus::Registry& registry, const char* name, const char* help) {
    return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
}

}  // namespace

struct Probe::Families {
    /// Of one method, route and status.
    struct RequestFigures {
        Counter* count = nullptr;
        Histogram* duration = nullptr;
    };
    using RequestKey = std::tuple<std::string, std::string, unsigned>;

    prometheus::Registry registry{};
    Family<Counter>& requests = counters(registry, "ff_http_requests_total", "Requests answered");
    Family<Histogram>& request_duration = histograms(registry, "ff_http_request_duration_seconds",
                                                     "Time from a whole request to its answer");
    Family<Counter>& cycles = counters(registry, "ff_scanner_cycle_total", "Cycles of a scanner");
    Family<Histogram>& cycle_duration =
        histograms(registry, "ff_scanner_cycle_duration_seconds", "Time that a cycle took");
    Family<Counter>& scanned =
        counters(registry, "ff_scanner_items_total", "Items that a scanner acted on");
    Family<Counter>& scan_errors =
        counters(registry, "ff_scanner_errors_total", "Items and reads that failed");
    Family<Gauge>& backlog =
        gauges(registry, "ff_cancel_backlog_depth", "Cancelled flows that still owe members");
    Family<Gauge>& queues = gauges(registry, "ff_queue_depth", "Executions of a lane by state");
    Family<Counter>& sibling_drains =
        counters(registry, "ff_sibling_cancel_drain_total", "Calls that cancel losers of a group");
    Family<Counter>& sibling_reconciles =
        counters(registry, "ff_sibling_cancel_reconcile_total", "Sibling groups looked at again");
    Family<Counter>& store_errors =
        counters(registry, "ff_store_errors_total", "Requests that the store failed, by kind");
    Family<Counter>& undone_calls =
        counters(registry, "ff_store_rolled_back_calls_total",
                 "Calls that the embedded store undid because they failed, by function");
    Family<Counter>& broken_promises =
        counters(registry, "ff_store_postcondition_failures_total",
                 "Calls undone because they had not written what they answered, by function");
    Family<Histogram>& slow_calls =
        histograms(registry, "ff_store_slow_call_seconds",
                   "Calls of the embedded store above FF_SLOW_CALL_MS, by what they waited for");
    Counter& reloads =
        counters(registry, "ff_library_reload_total", "Loads of the function library").Add({});
    Counter& shutdown_timeouts =
        counters(registry, "ff_shutdown_timeout_total", "Steps of a shutdown that ran out of time")
            .Add({});

    Family<Counter>& restarts =
        counters(registry, "ff_scanner_restart_total", "Scanners that failed and began again");
    Counter& unblocked =
        counters(registry, "ff_unblocked_total", "Executions that a scanner let run again").Add({});
    Family<Counter>& repairs =
        counters(registry, "ff_index_repaired_total", "Entries that an index had wrong");
    Counter& quota_corrections =
        counters(registry, "ff_quota_corrected_total", "Quota counters that were wrong").Add({});
    Family<Histogram>& lease_durations =
        histograms(registry, "ff_claim_from_grant_duration_seconds",
                   "Time of the call that gave a worker its lease");
    Counter& at_capacity =
        counters(registry, "ff_worker_at_capacity_total", "Grants that a worker had no room for")
            .Add({});
    Family<Counter>& claims =
        counters(registry, "ff_claims_total", "Attempts handed to workers, by their type");
    Family<Counter>& renewals = counters(registry, "ff_lease_renewal_total", "Lease renewals");
    Family<Counter>& attempts =
        counters(registry, "ff_attempt_outcome_total", "Attempts that ended, by how they did");
    Family<Counter>& budget_hits =
        counters(registry, "ff_budget_hit_total", "Reports that met a hard limit");
    Family<Counter>& quota_hits =
        counters(registry, "ff_quota_hit_total", "Executions that a quota did not admit");
    Family<Counter>& group_policies =
        counters(registry, "ff_edge_group_policy_total", "Policies set on edge groups");

    Family<Counter>& evaluations =
        counters(registry, "ff_edge_group_evaluation_total",
                 "What cascades decided on members with inbound edges, by result");
    Counter& edges =
        counters(registry, "ff_cascade_edges_resolved_total", "Edges that cascades resolved")
            .Add({});
    Gauge& pending_cascades =
        gauges(registry, "ff_cascade_pending", "Ended members with edges still to resolve").Add({});
    Family<Counter>& cancelled_members =
        counters(registry, "ff_cancel_member_total", "Members of cancelled flows, by what came");
    Counter& reconciled = counters(registry, "ff_dependency_reconciled_total",
                                   "Blocked children that only the reconciler released")
                              .Add({});

    Gauge& stream_ops =
        gauges(registry, "ff_stream_ops_in_flight", "Stream calls under way").Add({});
    Family<Counter>& pool_rejects =
        counters(registry, "ff_stream_ops_rejected_total", "Requests that found a pool full");
    Gauge& sse = gauges(registry, "ff_sse_connections", "Open streams of events").Add({});
    Counter& lost_frames =
        counters(registry, "ff_stream_gap_frames_total", "Frames told as lost to readers").Add({});
    Family<Histogram>& feed_lag =
        histograms(registry, "ff_feed_lag_seconds", "Age of events when they reach a subscriber");
    Family<Counter>& lost_events =
        counters(registry, "ff_feed_gap_events_total", "Entries told as lost to subscribers");
    Family<Counter>& dispatches =
        counters(registry, "ff_completion_dispatch_total", "Completions of members, by result");
    Histogram& dispatch_lag = histograms(registry, "ff_completion_dispatch_lag_seconds",
                                         "Time from a completion's message to its cascade's end")
                                  .Add({}, lag_buckets());

    Family<Gauge>& memory_bytes =
        gauges(registry, "ff_store_memory_bytes", "Memory of the embedded store, by what holds it");
    Gauge& keyspace_bytes = memory_bytes.Add({{"kind", "keyspace"}});
    Gauge& lua_bytes = memory_bytes.Add({{"kind", "lua"}});
    Gauge& memory_limit =
        gauges(registry, "ff_store_memory_limit_bytes", "What it may use; 0: no limit").Add({});
    Gauge& memory_full =
        gauges(registry, "ff_store_memory_full", "1 while new work is refused for want of memory")
            .Add({});
    Gauge& journal_bytes =
        gauges(registry, "ff_store_journal_bytes", "Log that a start would replay").Add({});
    Counter& syncs =
        counters(registry, "ff_store_syncs_total", "Groups of changes that reached the disk")
            .Add({});
    Counter& sync_seconds = counters(registry, "ff_store_sync_seconds_total",
                                     "Time spent writing them and waiting for the disk")
                                .Add({});
    Counter& snapshots =
        counters(registry, "ff_store_snapshots_total", "Snapshots that were completed").Add({});

    std::mutex mutex{};
    std::map<RequestKey, RequestFigures> request_figures{};
    std::set<std::string> lanes{};

    RequestFigures request(std::string_view method, std::string_view pattern, unsigned status) {
        const std::lock_guard lock(mutex);
        RequestFigures& figures =
            request_figures[{known_method(method), std::string(pattern), status}];
        if (figures.count != nullptr) return figures;
        const Labels labels{{"method", known_method(method)},
                            {"path", std::string(pattern)},
                            {"status", std::to_string(status)}};
        figures.count = &requests.Add(labels);
        figures.duration = &request_duration.Add(labels, latency_buckets());
        return figures;
    }

    Histogram& slow(host::Delay cause) {
        return slow_calls.Add({{"cause", std::string(host::to_string(cause))}}, latency_buckets());
    }

    /// Lanes are the users' own names: past a bound they share one label.
    std::string lane_label(const std::string& lane) {
        if (lane.empty()) return "unknown";
        const std::lock_guard lock(mutex);
        if (lanes.contains(lane)) return lane;
        if (lanes.size() >= kLanesMax) return kOtherLanes;
        lanes.insert(lane);
        for (const char* kind : {"initial", "retry", "replay", "fallback", "resumed", "reclaim"})
            claims.Add({{"lane", lane}, {"kind", kind}});
        for (const char* outcome : {"ok", "error", "timeout", "cancelled", "retry"})
            attempts.Add({{"lane", lane}, {"outcome", outcome}});
        return lane;
    }

    /// So that a rate can be taken of the first event, too: what has labels known beforehand is 0
    /// from the start.
    void begin_at_zero() {
        const auto add = [](Family<Counter>& family, const char* label,
                            std::initializer_list<const char*> values) {
            for (const char* value : values) family.Add({{label, value}});
        };
        for (const scan::KindFacts& kind : scan::all_kinds()) {
            const Labels labels{{"scanner", std::string(kind.name)}};
            for (Family<Counter>* family : {&cycles, &scanned, &scan_errors, &restarts})
                family->Add(labels);
        }
        for (int kind = 0; kind <= static_cast<int>(kLastKind); ++kind)
            store_errors.Add(
                {{"kind", std::string(to_string(static_cast<model::TransportKind>(kind)))}});
        for (const hub::FeedFamily family : kFeedFamilies) {
            const Labels labels{{"family", std::string(hub::to_string(family))}};
            lost_events.Add(labels);
            feed_lag.Add(labels, lag_buckets());
        }
        add(renewals, "outcome", {"ok", "err"});
        add(quota_hits, "reason", {"rate", "concurrency"});
        add(group_policies, "policy", {"all_of", "any_of", "quorum"});
        add(evaluations, "result", {"eligible", "skipped", "cancel_remaining"});
        add(sibling_drains, "result",
            {"pending", "drained", "already_drained", "drained_sans_group"});
        add(sibling_reconciles, "action", {"sremmed_stale", "completed_drain", "no_op"});
        add(cancelled_members, "disposition",
            {"cancelled", "already_terminal", "not_found", "draining", "failed"});
        add(dispatches, "result", {"ok", "failed", "malformed"});
        for (std::size_t i = 0; i < host::kDelays; ++i) slow(static_cast<host::Delay>(i));
    }
};

Probe::Probe() : families_(std::make_unique<Families>()) {
    families_->begin_at_zero();
}
Probe::~Probe() = default;

std::string Probe::text() const {
    return prometheus::TextSerializer().Serialize(families_->registry.Collect()) +
           waits_.text(now()) + process_figures();
}

void Probe::answered(std::string_view method, std::string_view pattern, unsigned status,
                     std::chrono::steady_clock::duration took) {
    const Families::RequestFigures figures = families_->request(method, pattern, status);
    figures.count->Increment();
    figures.duration->Observe(seconds(took));
}

void Probe::store_failed(std::string_view kind) {
    families_->store_errors.Add({{"kind", std::string(kind)}}).Increment();
}

void Probe::call_undone(std::string_view function, bool broke_promise) {
    const Labels labels{{"function", std::string(function)}};
    families_->undone_calls.Add(labels).Increment();
    if (broke_promise) families_->broken_promises.Add(labels).Increment();
}

void Probe::shutdown_timed_out() {
    families_->shutdown_timeouts.Increment();
}

void Probe::call_was_slow(const host::SlowCall& call) {
    families_->slow(call.cause()).Observe(seconds(call.took));
}

void Probe::worker_at_capacity() {
    families_->at_capacity.Increment();
}

void Probe::cycle_ended(const scan::CycleFacts& facts) {
    const Labels labels{{"scanner", std::string(scan::facts_of(facts.kind).name)}};
    families_->scanned.Add(labels).Increment(static_cast<double>(facts.items));
    families_->scan_errors.Add(labels).Increment(static_cast<double>(facts.errors));
    if (!facts.full) return;
    families_->cycles.Add(labels).Increment();
    families_->cycle_duration.Add(labels, latency_buckets()).Observe(seconds(facts.duration));
}

void Probe::cancel_backlog(std::uint64_t flows) {
    families_->backlog.Add({}).Set(static_cast<double>(flows));
}

void Probe::queue_depth(const model::LaneId& lane, std::string_view state,
                        std::uint64_t executions) {
    const Labels labels{{"lane", families_->lane_label(lane.text())},
                        {"state", std::string(state)}};
    families_->queues.Add(labels).Set(static_cast<double>(executions));
}

void Probe::sibling_group_drained(std::string_view result) {
    families_->sibling_drains.Add({{"result", std::string(result)}}).Increment();
}

void Probe::sibling_group_reconciled(std::string_view action) {
    families_->sibling_reconciles.Add({{"action", std::string(action)}}).Increment();
}

void Probe::restarted(scan::Kind kind) {
    families_->restarts.Add({{"scanner", std::string(scan::facts_of(kind).name)}}).Increment();
}

void Probe::unblocked(std::uint64_t executions) {
    families_->unblocked.Increment(static_cast<double>(executions));
}

void Probe::index_repaired(std::string_view index) {
    families_->repairs.Add({{"index", std::string(index)}}).Increment();
}

void Probe::quota_corrected() {
    families_->quota_corrections.Increment();
}

void Probe::lease_taken(std::string_view lane, std::chrono::nanoseconds took) {
    const Labels labels{{"lane", families_->lane_label(std::string(lane))}};
    families_->lease_durations.Add(labels, latency_buckets()).Observe(seconds(took));
}

void Probe::claimed(std::string_view lane, std::string_view kind, std::uint64_t attempts) {
    const std::string label = families_->lane_label(std::string(lane));
    families_->claims.Add({{"lane", label}, {"kind", std::string(kind)}})
        .Increment(static_cast<double>(attempts));
}

void Probe::first_attempts(std::string_view lane, std::string_view kind,
                           std::span<const Timestamp> created) {
    waits_.began(families_->lane_label(std::string(lane)), kind, created, now());
}

void Probe::lane_known(std::string_view lane) {
    families_->lane_label(std::string(lane));
}

void Probe::oldest_waiting(std::string_view lane, std::optional<Timestamp> created) {
    const std::string label = families_->lane_label(std::string(lane));
    // Of several lanes that share a label none can be told.
    if (label != kOtherLanes) waits_.oldest(label, created);
}

void Probe::groups_evaluated(std::string_view result, std::uint64_t groups) {
    families_->evaluations.Add({{"result", std::string(result)}})
        .Increment(static_cast<double>(groups));
}

void Probe::lease_renewed(bool ok) {
    families_->renewals.Add({{"outcome", ok ? "ok" : "err"}}).Increment();
}

void Probe::attempts_ended(std::string_view lane, std::string_view outcome,
                           std::uint64_t attempts) {
    const std::string label = families_->lane_label(std::string(lane));
    families_->attempts.Add({{"lane", label}, {"outcome", std::string(outcome)}})
        .Increment(static_cast<double>(attempts));
    if (on_attempts_ended_) on_attempts_ended_(lane, outcome, attempts);
}

void Probe::budget_hit(std::string_view dimension) {
    families_->budget_hits.Add({{"dimension", std::string(dimension)}}).Increment();
}

void Probe::quota_hit(std::string_view reason) {
    families_->quota_hits.Add({{"reason", std::string(reason)}}).Increment();
}

void Probe::edge_group_set(std::string_view policy) {
    families_->group_policies.Add({{"policy", std::string(policy)}}).Increment();
}

void Probe::edges_resolved(std::uint64_t edges) {
    families_->edges.Increment(static_cast<double>(edges));
}

void Probe::members_cancelled(std::string_view disposition, std::uint64_t members) {
    families_->cancelled_members.Add({{"disposition", std::string(disposition)}})
        .Increment(static_cast<double>(members));
}

void Probe::dependency_reconciled() {
    families_->reconciled.Increment();
}

void Probe::cascade_pending(std::uint64_t members) {
    families_->pending_cascades.Set(static_cast<double>(members));
}

void Probe::frames_lost(std::uint64_t frames) {
    families_->lost_frames.Increment(static_cast<double>(frames));
}

void Probe::feed_delivered(std::string_view family, Millis lag) {
    families_->feed_lag.Add({{"family", std::string(family)}}, lag_buckets()).Observe(seconds(lag));
}

void Probe::feed_lost(std::string_view family, std::uint64_t entries) {
    families_->lost_events.Add({{"family", std::string(family)}})
        .Increment(static_cast<double>(entries));
}

void Probe::completion_dispatched(std::string_view result, Millis lag) {
    families_->dispatches.Add({{"result", std::string(result)}}).Increment();
    if (result != "malformed") families_->dispatch_lag.Observe(seconds(lag));
}

void Probe::pools(const api::Pools& pools) {
    families_->stream_ops.Set(static_cast<double>(pools.stream_ops.used()));
    families_->sse.Set(static_cast<double>(pools.sse.used()));
    for (const api::Pool* pool : {&pools.stream_ops, &pools.sse}) {
        Counter& rejects = families_->pool_rejects.Add({{"pool", pool->name()}});
        rejects.Increment(static_cast<double>(pool->rejected()) - rejects.Value());
    }
}

void Probe::store(const std::vector<host::ShardFacts>& shards, const host::MemoryGauge& memory) {
    host::ShardFacts sum{};
    for (const host::ShardFacts& one : shards) {
        sum.keyspace_bytes += one.keyspace_bytes;
        sum.lua_bytes += one.lua_bytes;
        sum.journal_bytes += one.journal_bytes;
        sum.syncs += one.syncs;
        sum.sync_time += one.sync_time;
        sum.snapshots += one.snapshots;
    }
    const auto set = [](Counter& counter, double value) {
        counter.Increment(value - counter.Value());
    };
    families_->keyspace_bytes.Set(static_cast<double>(sum.keyspace_bytes));
    families_->lua_bytes.Set(static_cast<double>(sum.lua_bytes));
    families_->memory_limit.Set(static_cast<double>(memory.limit()));
    families_->memory_full.Set(memory.full() ? 1 : 0);
    families_->journal_bytes.Set(static_cast<double>(sum.journal_bytes));
    set(families_->syncs, static_cast<double>(sum.syncs));
    set(families_->sync_seconds, std::chrono::duration<double>(sum.sync_time).count());
    set(families_->snapshots, static_cast<double>(sum.snapshots));
}

void Probe::library_loaded() {
    families_->reloads.Increment();
    if (on_library_loaded_) on_library_loaded_();
}

void Probe::on_library_loaded(std::function<void()> act) {
    on_library_loaded_ = std::move(act);
}

void Probe::on_attempts_ended(OnAttemptsEnded act) {
    on_attempts_ended_ = std::move(act);
}

}  // namespace ff::app
