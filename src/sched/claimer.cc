#include "sched/claimer.h"

#include <algorithm>
#include <utility>

#include "engine/operation.h"
#include "engine/pause_execution.h"
#include "model/error_catalogue.h"
#include "sched/claim_waits.h"
#include "sched/kind_sorting.h"

namespace ff::sched {
namespace {

constexpr std::size_t kWindowMost = 32;
/// Before it is known whether there is anything at all.
constexpr std::size_t kFirstWindow = 2;
/// Lost leases are looked for at most this often in one place.
constexpr Millis kLostEvery{250};
constexpr std::size_t kPlacesMax = 65536;
constexpr std::size_t kLanesMax = 4096;
/// How far a claim looks behind work that it passes over.
constexpr std::int64_t kScanDepthLeast = 1024;
/// How far while the work at the head is what is wanted: reading the rest would be most of the
/// call.
constexpr std::int64_t kHeadDepthLeast = 64;
constexpr Millis kDeepFor{1000};
constexpr std::int64_t kFairPriorityFloor = 9000;
/// How often a claim looks again at once because others were faster.
constexpr int kLostRacesMax = 3;

}  // namespace

Claimer::Claimer(boost::asio::any_io_executor loop, const Clock& clock, Random& random,
                 store::Store& store, const model::SoloPartitioner& partitioner,
                 ClaimerOptions options)
    : loop_(std::move(loop)),
      clock_(clock),
      random_(random),
      store_(store),
      partitioner_(partitioner),
      options_(std::move(options)),
      board_(options_.partitions.num_flow_partitions()),
      bare_(options_.partitions.num_flow_partitions()),
      lanes_(clock, store, options_.server_policy_json),
      attachments_(clock, store, options_.partitions),
      admission_(clock, store, options_.partitions, attachments_),
      waits_(std::make_unique<Waits>(loop_)) {}

Claimer::~Claimer() = default;

Claimer::Round Claimer::round_for(ClaimRequest request) {
    Round round{.request = std::move(request)};
    std::vector<std::string> lane_names;
    for (const model::LaneId& lane : round.request.lanes) lane_names.push_back(lane.text());
    round.group = WakeBoard::group_key(
        std::move(lane_names), round.request.capabilities.csv(),
        round.request.only_namespace ? round.request.only_namespace->text() : std::string(),
        round.request.kinds);
    return round;
}

bool Claimer::Round::has(const model::ExecutionId& id) const {
    return std::ranges::any_of(tasks,
                               [&](const LaneTask& task) { return task.task.execution_id == id; });
}

Task<std::vector<LaneTask>> Claimer::claim(ClaimRequest request) {
    Round round = round_for(std::move(request));
    const Deadline until = Deadline::after(round.request.wait);
    if (round.request.may_repeat()) {
        FF_CO_TRY(const bool repeated, co_await collect_earlier(round));
        if (repeated) co_return std::move(round.tasks);
    }
    FF_CO_CHECK(co_await fill(round, until));
    co_return std::move(round.tasks);
}

Task<Done> Claimer::fill(Round& round, Deadline until) {
    for (int races = 0;;) {
        if (round.request.abandoned()) break;
        const std::uint64_t known = board_.news(round.group);
        FF_CO_CHECK(co_await sweep(round));
        if (!round.tasks.empty() || stopped_ || until.passed()) break;
        if (round.request.abandoned()) break;
        if (board_.news(round.group) != known) continue;
        if (std::exchange(round.lost_race, false) && ++races <= kLostRacesMax) continue;
        if (board_.waiting() >= options_.waiters_max) {
            co_return model::make_error("too_many_requests", {"claim_waits"});
        }
        co_await wait_for_work(round, until);
    }
    co_return Done{};
}

Task<Done> Claimer::sweep(Round& round) {
    std::map<std::string, model::LaneId> by_name;
    std::vector<std::string> names;
    for (const model::LaneId& lane : round.request.lanes) {
        if (by_name.emplace(lane.text(), lane).second) names.push_back(lane.text());
    }
    // Whether a lane has work is known only when it is asked: each that is asked joins the others.
    for (const std::string& name : names) lane_shares_.wants(name);
    const std::vector<std::string> order = lane_shares_.in_order(std::move(names));
    for (const std::string& name : order) {
        if (round.missing() == 0) break;
        const model::LaneId& lane = by_name.at(name);
        FF_CO_TRY(const LaneConfig config, co_await lanes_.lane(lane));
        if (!config.gives_work()) continue;
        const std::size_t before = round.tasks.size();
        FF_CO_CHECK(co_await sweep_lane(round, lane));
        const std::size_t taken = round.tasks.size() - before;
        if (taken == 0) {
            lane_shares_.idles(name);
        } else {
            lane_shares_.took(name, taken, config.weight);
        }
    }
    co_return Done{};
}

Task<Done> Claimer::sweep_lane(Round& round, model::LaneId lane) {
    const std::uint16_t count = options_.partitions.num_flow_partitions();
    const std::uint16_t solo = partitioner_.partition(lane, options_.partitions);
    const std::uint16_t spread = std::min(spread_of(lane), count);
    // Whoever comes begins at another of the lane's own partitions, so that none is last for ever.
    const std::uint64_t turn = turns_++;
    for (std::uint16_t i = 0; i < spread && round.missing() > 0; ++i) {
        const auto partition = static_cast<std::uint16_t>((solo + (turn + i) % spread) % count);
        if (!board_.is_maybe(round.group, lane.text(), partition)) continue;
        std::vector<Place> place{Place{.lane = lane, .partition = partition}};
        FF_CO_CHECK(co_await claim_at(round, std::move(place), round.missing()));
    }
    std::vector<std::uint16_t> others =
        board_.maybe(round.group, lane.text(), static_cast<std::uint16_t>((solo + spread) % count));
    std::erase_if(others, [&](std::uint16_t p) {
        return static_cast<std::uint16_t>((p + count - solo) % count) < spread;
    });
    leave_out_bare(round, lane, others);
    co_return co_await claim_elsewhere(round, std::move(lane), std::move(others));
}

Task<Done> Claimer::claim_elsewhere(Round& round, model::LaneId lane,
                                    std::vector<std::uint16_t> places) {
    const std::size_t before = round.tasks.size();
    bool looked = false;
    // Never more in flight than is wanted: what several partitions answer adds up.
    for (std::size_t at = 0; at < places.size() && round.missing() > 0;) {
        const std::size_t most = looked ? kWindowMost : kFirstWindow;
        const std::size_t window = std::min({most, round.missing(), places.size() - at});
        std::vector<Place> asked;
        for (std::size_t i = 0; i < window; ++i) {
            asked.push_back(Place{.lane = lane, .partition = places[at + i]});
        }
        at += window;
        const std::size_t each = round.missing() / window;
        FF_CO_CHECK(co_await claim_at(round, std::move(asked), each));
        if (looked) continue;
        looked = true;
        if (round.tasks.size() > before) continue;
        places.erase(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(at));
        at = 0;
        FF_CO_CHECK(co_await survey(round, lane, places));
    }
    co_return Done{};
}

Task<Done> Claimer::claim_at(Round& round, std::vector<Place> places, std::size_t each) {
    if (!round.request.claim_id.empty()) {
        const std::vector<std::uint16_t> homes = homes_of(round.request);
        const auto is_away = [&](const Place& place) {
            return std::ranges::find(homes, place.partition) == homes.end();
        };
        if (std::ranges::any_of(places, is_away)) {
            FF_CO_CHECK(co_await leave_mark(round));
        }
    }
    FF_CO_TRY(const Gates gated, co_await gates(places.front().lane));
    std::vector<engine::ClaimBatch> batches;
    std::vector<Sent> sent;
    for (const Place& place : places) {
        engine::ClaimBatch batch = batch_for(round, place, each);
        sent.push_back({.news = board_.news(round.group), .shallow = is_shallow(batch)});
        batch.gated_namespaces = gated.namespaces;
        batch.gate_flows = gated.flows;
        batches.push_back(std::move(batch));
    }
    std::vector<Result<engine::ClaimedBatch>> replies =
        co_await engine::run_all(store_, std::move(batches));
    for (std::size_t i = 0; i < replies.size(); ++i) {
        if (!replies[i]) co_return std::move(replies[i]).error();
        engine::ClaimedBatch batch = *std::move(replies[i]);
        FF_CO_CHECK(co_await take_up(round, places[i], std::move(batch), sent[i]));
    }
    co_return Done{};
}

Task<Done> Claimer::take_up(Round& round, Place place, engine::ClaimedBatch batch, Sent sent) {
    // It took less than it might have, and passed over the head: there may be more behind it.
    const bool more_behind = sent.shallow && batch.armed && batch.eligible_left > 0;
    if (more_behind) {
        if (deep_until_.size() >= kPlacesMax) deep_until_.clear();
        deep_until_[{place.lane.text(), place.partition}] = clock_.now() + kDeepFor;
    }
    if (batch.armed && batch.deferred.empty() && !more_behind) {
        board_.found_empty(round.group, place.lane.text(), place.partition, sent.news);
    }
    // With an id, a partition that has given something gives the same again.
    bool asks_again = (more_behind || batch.unsorted) && batch.deferred.empty() &&
                      (batch.claimed.empty() || round.request.claim_id.empty());
    std::vector<engine::DeferredTask> deferred = std::move(batch.deferred);
    FF_CO_CHECK(co_await account(round, place, batch));
    // Work is left for somebody who waits for the same.
    if (!batch.armed && !batch.unsorted) wake(board_.next_waiter(round.group));
    if (batch.unsorted) {
        std::function<bool()> gone = [this, &round] {
            return stopped_ || round.request.abandoned();
        };
        FF_CO_CHECK(co_await sort_by_kind(store_, place.lane, place.partition, gone));
        asks_again = asks_again && !gone();
    }
    if (!deferred.empty() && round.missing() > 0) {
        FF_CO_CHECK(co_await claim_admitted(round, place, std::move(deferred)));
    }
    if (!asks_again || round.missing() == 0) co_return Done{};
    std::vector<Place> deeper{place};
    co_return co_await claim_at(round, std::move(deeper), round.missing());
}

Task<Done> Claimer::account(Round& round, Place place, engine::ClaimedBatch& batch) {
    const std::string& lane = place.lane.text();
    if (waiting_namespaces_.size() >= kLanesMax) waiting_namespaces_.clear();
    if (namespace_shares_.size() >= kLanesMax) namespace_shares_.clear();
    // No names while work is left means that this call did not ask for them; who asks for kinds
    // hears of no other work.
    const bool is_drained = batch.eligible_left == 0 && round.request.kinds.any();
    if (!batch.waiting_namespaces.empty() || is_drained) {
        waiting_namespaces_[lane] = std::move(batch.waiting_namespaces);
        for (const std::string& ns : waiting_namespaces_[lane]) namespace_shares_[lane].wants(ns);
    }
    std::map<std::string, std::size_t> taken;
    round.tasks.reserve(round.tasks.size() + batch.claimed.size());
    for (engine::ClaimedTask& task : batch.claimed) {
        // Two lanes of one partition share the record of a claim with an id.
        if (batch.duplicate && round.has(task.execution_id)) continue;
        ++taken[task.ns];
        round.tasks.emplace_back(place.lane, std::move(task));
    }
    for (const auto& [ns, count] : taken) {
        FF_CO_TRY(const std::uint32_t weight, co_await lanes_.namespace_weight(ns));
        namespace_shares_[lane].took(ns, count, weight);
    }
    co_return Done{};
}

Task<Done> Claimer::claim_admitted(Round& round, Place place,
                                   std::vector<engine::DeferredTask> deferred) {
    FF_CO_TRY(std::vector<AdmissionSubject> subjects,
              co_await admission_.subjects(place.lane, std::move(deferred)));
    FF_CO_TRY(std::vector<Admission::Admitted> admitted,
              co_await admission_.admit(std::move(subjects)));
    if (admitted.empty()) co_return Done{};
    const std::size_t wanted = std::min(round.missing(), admitted.size());
    engine::ClaimBatch batch = batch_for(round, place, wanted);
    // Its own record: under the id of the first call this one would be taken for a repetition.
    if (!batch.request_id.empty()) batch.request_id = second_request_id(batch.request_id);
    batch.reclaim_first = false;
    for (const Admission::Admitted& one : admitted) {
        std::string csv;
        for (const std::string& quota : one.quota_ids) csv += (csv.empty() ? "" : ",") + quota;
        batch.admitted.push_back({.execution_id = one.execution_id,
                                  .quota_ids_csv = csv,
                                  .admission_epoch = one.admission_epoch});
    }
    // Nobody else may slip in: only what was admitted is claimed here.
    batch.gated_namespaces = {"*"};
    Result<engine::ClaimedBatch> claimed = co_await engine::run(store_, std::move(batch));
    if (!claimed) {
        FF_CO_CHECK(co_await admission_.roll_back(std::move(admitted)));
        co_return std::move(claimed).error();
    }
    std::vector<Admission::Admitted> unused;
    for (const auto& [id, code] : claimed->not_claimed) {
        round.lost_race = round.lost_race || code == "stale_admission";
        for (const Admission::Admitted& one : admitted) {
            if (one.execution_id.to_string() == id) unused.push_back(one);
        }
    }
    FF_CO_CHECK(co_await admission_.roll_back(std::move(unused)));
    engine::ClaimedBatch batch_claimed = *std::move(claimed);
    co_return co_await account(round, place, batch_claimed);
}

Task<Claimer::Gates> Claimer::gates(model::LaneId lane) {
    FF_CO_TRY(const std::shared_ptr<const AttachmentView> view, co_await attachments_.view());
    Gates gated{.flows = view->any_flow()};
    const bool everybody =
        view->find("lane", lane.text()) != nullptr || view->find("global", "*") != nullptr;
    gated.namespaces = everybody ? std::vector<std::string>{"*"} : view->tenants();
    co_return gated;
}

engine::ClaimBatch Claimer::batch_for(const Round& round, const Place& place, std::size_t tasks) {
    const ClaimRequest& request = round.request;
    engine::ClaimBatch batch{.partition = model::PartitionKey::flow(place.partition),
                             .worker_id = request.worker_id,
                             .worker_instance_id = request.worker_instance_id,
                             .lane = place.lane,
                             .capabilities_csv = request.capabilities.csv(),
                             .lease_ttl = request.lease_ttl,
                             .request_id = request.claim_id,
                             .payload_bytes_max = request.payload_bytes_max,
                             .only_namespace = request.only_namespace,
                             .arm_wake = options_.arm_wake,
                             .reclaim_first = look_for_lost(place),
                             .kinds = request.kinds};
    // A full look, at most every kLostEvery: lost leases, and who waits behind the page it reads.
    if (batch.reclaim_first) batch.fair_priority_floor = kFairPriorityFloor;
    const auto waiting = waiting_namespaces_.find(place.lane.text());
    const auto shares = namespace_shares_.find(place.lane.text());
    if (waiting != waiting_namespaces_.end() && shares != namespace_shares_.end()) {
        batch.over_share_namespaces =
            shares->second.over_share(waiting->second, options_.namespace_lead);
    }
    const bool deep =
        batch.reclaim_first || !batch.over_share_namespaces.empty() || reads_deep(place);
    batch.scan_depth =
        std::max(deep ? kScanDepthLeast : kHeadDepthLeast, 4 * static_cast<std::int64_t>(tasks));
    add_leases(batch, tasks);
    return batch;
}

void Claimer::add_leases(engine::ClaimBatch& batch, std::size_t count) {
    batch.leases.reserve(batch.leases.size() + count);
    for (std::size_t i = 0; i < count; ++i) {
        batch.leases.push_back({.lease_id = model::LeaseId::mint(random_),
                                .attempt_id = model::AttemptId::mint(random_)});
    }
}

std::uint16_t Claimer::spread_of(const model::LaneId& lane) const {
    const auto found = options_.lane_spread_overrides.find(lane.text());
    return found == options_.lane_spread_overrides.end() ? options_.lane_spread : found->second;
}

bool Claimer::reads_deep(const Place& place) const {
    const auto found = deep_until_.find({place.lane.text(), place.partition});
    return found != deep_until_.end() && clock_.now() < found->second;
}

bool Claimer::is_shallow(const engine::ClaimBatch& batch) {
    return batch.scan_depth < kScanDepthLeast;
}

bool Claimer::look_for_lost(const Place& place) {
    const Timestamp now = clock_.now();
    if (lost_looked_at_.size() >= kPlacesMax) lost_looked_at_.clear();
    const auto [found, fresh] =
        lost_looked_at_.try_emplace({place.lane.text(), place.partition}, now);
    if (!fresh && now < found->second + kLostEvery) return false;
    found->second = now;
    return true;
}

Task<Done> Claimer::give_back(std::vector<LaneTask> tasks) {
    std::vector<engine::DelayExecution> returns;
    for (const LaneTask& task : tasks) {
        returns.push_back(
            {.execution_id = task.task.execution_id, .fence = task.task.fence, .unbegun = true});
    }
    if (returns.empty()) co_return Done{};
    const auto outcomes = co_await engine::run_all(store_, std::move(returns));
    for (const auto& outcome : outcomes) {
        if (!outcome && outcome.error().code == "storage_error") co_return outcome.error();
    }
    co_return Done{};
}

}  // namespace ff::sched
