#include "sched/granter.h"

#include <algorithm>

#include "base/log.h"
#include "engine/operation.h"
#include "sched/store_time.h"

namespace ff::sched {
namespace {

constexpr Millis kIncapableFor{5'000};
constexpr std::size_t kIncapableMax = 4096;

std::string join_csv(const std::vector<std::string>& list) {
    std::string csv;
    for (const std::string& item : list) csv += (csv.empty() ? "" : ",") + item;
    return csv;
}

}  // namespace

void Granter::on_wake(const std::string& lane, std::uint16_t partition) {
    if (hints_.size() >= kHintsMax) hints_.clear();
    hints_.emplace(lane, partition);
}

std::vector<std::uint16_t> Granter::partition_order(const GrantSearch& search, Timestamp now) {
    const std::uint16_t count = partitions_.num_flow_partitions();
    std::vector<std::uint16_t> order;
    const auto add = [&](std::uint16_t partition) {
        if (partition < count && std::ranges::find(order, partition) == order.end()) {
            order.push_back(partition);
        }
    };
    const std::uint16_t solo = partitioner_.partition(search.lane, partitions_);
    const std::uint16_t spread = spread_of_ ? std::min(spread_of_(search.lane), count) : 1;
    const std::uint16_t turn = turn_++;
    for (std::uint16_t i = 0; i < spread; ++i)
        add(static_cast<std::uint16_t>((solo + (turn + i) % spread) % count));
    for (const auto& [lane, partition] : hints_) {
        if (lane == search.lane.text()) add(partition);
    }
    for (const std::uint16_t p : rotation_.window(search.worker_instance_id.text(), now, count)) {
        add(p);
    }
    return order;
}

Task<std::optional<FoundGrant>> Granter::find(GrantSearch search) {
    FF_CO_TRY(const LaneConfig config, co_await lanes_.lane(search.lane));
    if (!config.gives_work()) co_return std::optional<FoundGrant>();
    FF_CO_TRY(const Timestamp now, co_await store_time(store_));
    const std::vector<std::uint16_t> order = partition_order(search, now);
    for (const std::uint16_t partition : order) {
        FF_CO_TRY(std::optional<FoundGrant> found, co_await grant_in(search, partition, now));
        if (found) co_return found;
        hints_.erase({search.lane.text(), partition});
    }
    for (const std::uint16_t partition : order) {
        FF_CO_TRY(std::optional<FoundGrant> found, co_await grant_lost(search, partition, now));
        if (found) co_return found;
    }
    co_return std::optional<FoundGrant>();
}

Task<std::optional<FoundGrant>> Granter::grant_in(const GrantSearch& search,
                                                  std::uint16_t partition, Timestamp now) {
    CandidateSearch where{.partition = partition,
                          .lane = search.lane,
                          .capabilities = search.capabilities,
                          .depth = kDepth};
    FF_CO_TRY(std::vector<Candidate> candidates,
              co_await find_candidates(store_, std::move(where)));
    for (Candidate& candidate : candidates) {
        FF_CO_TRY(std::optional<FoundGrant> found,
                  co_await try_candidate(search, std::move(candidate), now));
        if (found) co_return found;
    }
    co_return std::optional<FoundGrant>();
}

Task<std::optional<FoundGrant>> Granter::try_candidate(const GrantSearch& search,
                                                       Candidate candidate, Timestamp now) {
    const std::optional<FoundGrant> none;
    if (candidate.grant_until && *candidate.grant_until >= now) co_return none;
    const auto required = model::CapabilitySet::parse_csv(candidate.required_csv);
    if (!required) co_return none;
    if (!search.capabilities.covers(*required)) {
        // Before any quota is asked: no place is taken for work this worker cannot run.
        FF_CO_CHECK(co_await block_for_route(search, candidate,
                                             search.capabilities.missing(*required).csv()));
        co_return none;
    }
    engine::DeferredTask task{.execution_id = candidate.execution_id,
                              .ns = candidate.ns,
                              .flow_id = candidate.flow_id,
                              .budget_ids_csv = candidate.budget_ids_csv,
                              .quota_policy_id = candidate.quota_policy_id,
                              .admission_epoch = candidate.admission_epoch};
    std::vector<engine::DeferredTask> tasks{std::move(task)};
    FF_CO_TRY(std::vector<AdmissionSubject> subjects,
              co_await admission_.subjects(search.lane, std::move(tasks)));
    FF_CO_TRY(std::vector<Admission::Admitted> admitted,
              co_await admission_.admit(std::move(subjects)));
    if (admitted.empty()) co_return none;
    if (candidate.from_route) {
        engine::UnblockExecution unblock{.execution_id = candidate.execution_id,
                                         .block = engine::AdmissionBlock::CapableWorker};
        const auto unblocked = co_await engine::run(store_, std::move(unblock));
        if (!unblocked && unblocked.error().code == "storage_error") co_return unblocked.error();
    }
    engine::IssueClaimGrant issue{.request = request_for(search, candidate.execution_id),
                                  .admission_epoch = candidate.admission_epoch};
    issue.request.admitted_quota_ids_csv = join_csv(admitted.front().quota_ids);
    const auto granted = co_await engine::run(store_, std::move(issue));
    if (granted) {
        co_return std::optional<FoundGrant>(FoundGrant{
            .execution_id = candidate.execution_id, .lane = search.lane, .grant = *granted});
    }
    FF_CO_CHECK(co_await admission_.roll_back(std::move(admitted)));
    if (granted.error().code == "storage_error") co_return granted.error();
    if (granted.error().code == "capability_mismatch") {
        const auto& detail = granted.error().detail;
        std::string missing = detail.empty() ? std::string() : detail.front();
        FF_CO_CHECK(co_await block_for_route(search, candidate, std::move(missing)));
    }
    co_return none;
}

Task<Done> Granter::block_for_route(const GrantSearch& search, const Candidate& candidate,
                                    std::string missing_csv) {
    if (candidate.from_route) co_return Done{};
    log::info("sched", "capability_mismatch",
              {{"execution_id", candidate.execution_id.to_string()},
               {"missing", missing_csv},
               {"worker_instance_id", search.worker_instance_id.text()},
               {"capabilities", search.capabilities.csv()},
               {"capability_digest", search.capabilities.digest()}});
    engine::BlockExecution block{.execution_id = candidate.execution_id,
                                 .block = engine::AdmissionBlock::CapableWorker,
                                 .detail = "missing capabilities: " + missing_csv};
    const auto blocked = co_await engine::run(store_, std::move(block));
    if (!blocked && blocked.error().code == "storage_error") co_return blocked.error();
    co_return Done{};
}

Task<std::optional<FoundGrant>> Granter::grant_lost(const GrantSearch& search,
                                                    std::uint16_t partition, Timestamp now) {
    CandidateSearch where{.partition = partition, .lane = search.lane, .depth = kDepth};
    FF_CO_TRY(const std::vector<model::ExecutionId> lost,
              co_await find_lost(store_, std::move(where), now));
    const std::string digest = search.capabilities.digest();
    for (const model::ExecutionId& id : lost) {
        const auto passed_over = incapable_.find({id.to_string(), digest});
        if (passed_over != incapable_.end() && now < passed_over->second) continue;
        engine::IssueReclaimGrant issue{
            .request = request_for(search, id),
            .default_reclaims_max = engine::IssueReclaimGrant::kInteractiveReclaimsMax};
        const auto granted = co_await engine::run(store_, std::move(issue));
        if (granted) {
            co_return std::optional<FoundGrant>(
                FoundGrant{.execution_id = id, .lane = search.lane, .grant = *granted});
        }
        if (granted.error().code == "storage_error") co_return granted.error();
        if (granted.error().code == "capability_mismatch") {
            if (incapable_.size() >= kIncapableMax) incapable_.clear();
            incapable_[{id.to_string(), digest}] = now + kIncapableFor;
        }
    }
    co_return std::optional<FoundGrant>();
}

engine::GrantRequest Granter::request_for(const GrantSearch& search,
                                          const model::ExecutionId& id) const {
    return {.execution_id = id,
            .worker_id = search.worker_id,
            .worker_instance_id = search.worker_instance_id,
            .lane = search.lane,
            .capability_hash = search.capabilities.digest(),
            .grant_ttl = search.grant_ttl,
            .worker_capabilities_csv = search.capabilities.csv()};
}

}  // namespace ff::sched
