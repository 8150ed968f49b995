// A worker that hands in results usually wants more of the same: completing and claiming are one
// call where the results come from a partition that may hold its next work.

#include <algorithm>

#include "engine/complete_and_claim.h"
#include "engine/operation.h"
#include "model/error_catalogue.h"
#include "sched/claimer.h"

namespace ff::sched {
namespace {

using Completed = Result<engine::CompleteExecution::Outcome>;

}  // namespace

boost::asio::awaitable<CompletedAndClaimed> Claimer::complete_and_claim(
    ClaimRequest request, std::vector<engine::CompleteExecution> completions) {
    Round round = round_for(std::move(request));
    const Deadline until = Deadline::after(round.request.wait);
    CompletedAndClaimed answer;
    // Whatever goes wrong before a completion is answered is its answer.
    answer.completed.assign(completions.size(), Completed(model::make_error("internal")));
    Result<bool> repeated = false;
    if (!round.request.claim_id.empty() && round.request.tasks_max > 0) {
        repeated = co_await collect_earlier(round);
    }
    const bool claims = repeated && !*repeated && round.request.tasks_max > 0;
    Result<Done> went = co_await complete(round, std::move(completions), answer.completed, claims);
    if (!repeated) went = std::move(repeated).error();
    // With an id, one partition answers once: what it gave is what there is.
    const bool enough =
        round.missing() == 0 || (!round.tasks.empty() && !round.request.claim_id.empty());
    if (went && claims && !enough) went = co_await fill(round, until);
    if (!went) answer.claim_error = std::move(went).error();
    answer.tasks = std::move(round.tasks);
    co_return answer;
}

Task<std::optional<Claimer::Place>> Claimer::place_among(const Round& round,
                                                         const ByPartition& partitions) {
    const bool has_id = !round.request.claim_id.empty();
    const std::uint16_t anchor = anchor_of(round.request);
    std::vector<std::string> names;
    for (const model::LaneId& lane : round.request.lanes) names.push_back(lane.text());
    const std::vector<std::string> order = lane_shares_.in_order(std::move(names));
    for (const std::string& name : order) {
        FF_CO_TRY(const model::LaneId lane, model::LaneId::parse(name));
        FF_CO_TRY(const LaneConfig config, co_await lanes_.lane(lane));
        if (!config.gives_work()) continue;
        for (const auto& [partition, places] : partitions) {
            // Elsewhere a claim with an id leaves its mark first, which is a call of its own.
            if (has_id && partition != anchor) continue;
            if (board_.is_maybe(round.group, name, partition)) {
                co_return std::optional(Place{.lane = lane, .partition = partition});
            }
        }
        break;
    }
    co_return std::optional<Place>();
}

Task<Done> Claimer::complete(Round& round, std::vector<engine::CompleteExecution> completions,
                             std::vector<Completed>& results, bool claims_too) {
    ByPartition groups;
    for (std::size_t i = 0; i < completions.size(); ++i) {
        groups[completions[i].execution_id.partition_index()].push_back(i);
    }
    std::optional<Place> place;
    if (claims_too) {
        FF_CO_TRY(place, co_await place_among(round, groups));
    }
    Gates gated;
    if (place) {
        FF_CO_TRY(gated, co_await gates(place->lane));
    }
    std::vector<engine::CompleteAndClaim> calls;
    for (const auto& [partition, positions] : groups) {
        const bool claims = place && place->partition == partition;
        const model::LaneId& lane = place ? place->lane : round.request.lanes.front();
        const Place here{.lane = lane, .partition = partition};
        engine::CompleteAndClaim call{
            .claim =
                claims ? batch_for(round, here, round.missing())
                       : engine::ClaimBatch{.partition = model::PartitionKey::flow(partition),
                                            .worker_id = round.request.worker_id,
                                            .worker_instance_id = round.request.worker_instance_id,
                                            .lane = lane},
            .complete_only = !claims};
        call.claim.gated_namespaces = gated.namespaces;
        call.claim.gate_flows = gated.flows;
        for (const std::size_t at : positions) {
            call.completions.push_back(std::move(completions[at]));
        }
        calls.push_back(std::move(call));
    }
    const std::uint64_t known = board_.news(round.group);
    std::vector<Result<engine::CompleteAndClaim::Outcome>> replies =
        co_await engine::run_all(store_, std::move(calls));
    std::size_t at = 0;
    std::optional<Result<engine::ClaimedBatch>> claimed;
    std::optional<Error> failure;
    for (const auto& [partition, positions] : groups) {
        Result<engine::CompleteAndClaim::Outcome>& reply = replies[at++];
        for (std::size_t i = 0; i < positions.size(); ++i) {
            results[positions[i]] = reply ? reply->completed[i] : Completed(reply.error());
        }
        if (!reply) failure = reply.error();
        if (reply && reply->claimed) claimed = std::move(reply->claimed);
    }
    if (claimed && place) {
        if (!*claimed) co_return std::move(*claimed).error();
        engine::ClaimedBatch batch = **std::move(claimed);
        const std::size_t before = round.tasks.size();
        FF_CO_CHECK(co_await take_up(round, *place, std::move(batch), known));
        FF_CO_TRY(const LaneConfig config, co_await lanes_.lane(place->lane));
        const std::size_t taken = round.tasks.size() - before;
        if (taken > 0) lane_shares_.took(place->lane.text(), taken, config.weight);
    }
    if (failure) co_return *failure;
    co_return Done{};
}

}  // namespace ff::sched
