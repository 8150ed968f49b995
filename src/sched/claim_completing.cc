// A worker that hands in results usually wants more of the same: completing and claiming are one
// call in each partition, all of them on their way at the same time.

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
    if (round.request.may_repeat() && round.request.tasks_max > 0) {
        repeated = co_await collect_earlier(round);
    }
    const bool claims = repeated && !*repeated && round.request.tasks_max > 0;
    Result<Done> went = co_await complete(round, std::move(completions), answer.completed, claims);
    if (!repeated) went = std::move(repeated).error();
    // With an id, a partition answers once: what was given is what there is.
    const bool enough =
        round.missing() == 0 || (!round.tasks.empty() && !round.request.claim_id.empty());
    if (went && claims && !enough) went = co_await fill(round, until);
    if (!went) answer.claim_error = std::move(went).error();
    answer.tasks = std::move(round.tasks);
    co_return answer;
}

/// How many tasks are asked for where. The lane's own partitions share what is wanted, so that all
/// shards work for it; without any, the first partition that something was completed in gives all.
Task<std::optional<Claimer::Shares>> Claimer::shares_of(const Round& round,
                                                        const ByPartition& completed) {
    const bool has_id = !round.request.claim_id.empty();
    const std::vector<std::uint16_t> homes = homes_of(round.request);
    std::vector<std::string> names;
    for (const model::LaneId& lane : round.request.lanes) names.push_back(lane.text());
    const std::vector<std::string> order = lane_shares_.in_order(std::move(names));
    for (const std::string& name : order) {
        FF_CO_TRY(const model::LaneId lane, model::LaneId::parse(name));
        FF_CO_TRY(const LaneConfig config, co_await lanes_.lane(lane));
        if (!config.gives_work()) continue;
        const auto may_hold = [&](std::uint16_t partition) {
            return board_.is_maybe(round.group, name, partition);
        };
        std::vector<std::uint16_t> places = own_partitions(lane);
        std::erase_if(places, [&](std::uint16_t partition) {
            // Elsewhere a claim with an id leaves its mark first, which is a call of its own.
            const bool marks = has_id && std::ranges::find(homes, partition) == homes.end();
            return marks || !may_hold(partition);
        });
        if (places.empty() && !has_id) {
            const auto found = std::ranges::find_if(
                completed, [&](const auto& group) { return may_hold(group.first); });
            if (found != completed.end()) places.push_back(found->first);
        }
        if (places.empty()) break;
        co_return std::optional(shared(lane, std::move(places), round.missing()));
    }
    co_return std::optional<Shares>();
}

Claimer::Shares Claimer::shared(const model::LaneId& lane, std::vector<std::uint16_t> places,
                                std::size_t wanted) {
    // Who gets one more, or anything, is another one each time.
    const auto first = static_cast<std::ptrdiff_t>(turns_++ % places.size());
    std::ranges::rotate(places, places.begin() + first);
    Shares shares{.lane = lane};
    for (std::size_t i = 0; i < places.size(); ++i) {
        const std::size_t tasks = wanted / places.size() + (i < wanted % places.size() ? 1 : 0);
        if (tasks > 0) shares.tasks.emplace(places[i], tasks);
    }
    return shares;
}

Task<Done> Claimer::complete(Round& round, std::vector<engine::CompleteExecution> completions,
                             std::vector<Completed>& results, bool claims_too) {
    ByPartition groups;
    for (std::size_t i = 0; i < completions.size(); ++i) {
        groups[completions[i].execution_id.partition_index()].push_back(i);
    }
    std::optional<Shares> shares;
    if (claims_too) {
        FF_CO_TRY(shares, co_await shares_of(round, groups));
    }
    Gates gated;
    if (shares) {
        FF_CO_TRY(gated, co_await gates(shares->lane));
        // A partition may give work though nothing was completed there.
        for (const auto& [partition, tasks] : shares->tasks) groups.try_emplace(partition);
    }
    std::vector<engine::CompleteAndClaim> calls;
    std::vector<Sent> sent;
    for (const auto& [partition, positions] : groups) {
        engine::CompleteAndClaim call = call_at(round, shares, partition);
        sent.push_back({.news = board_.news(round.group), .shallow = is_shallow(call.claim)});
        call.claim.gated_namespaces = gated.namespaces;
        call.claim.gate_flows = gated.flows;
        for (const std::size_t at : positions) {
            call.completions.push_back(std::move(completions[at]));
        }
        calls.push_back(std::move(call));
    }
    std::vector<Result<engine::CompleteAndClaim::Outcome>> replies =
        co_await engine::run_all(store_, std::move(calls));
    std::size_t at = 0;
    Result<Done> went = Done{};
    const std::size_t before = round.tasks.size();
    for (const auto& [partition, positions] : groups) {
        Result<engine::CompleteAndClaim::Outcome>& reply = replies[at];
        const Sent how = sent[at++];
        for (std::size_t i = 0; i < positions.size(); ++i) {
            results[positions[i]] = reply ? reply->completed[i] : Completed(reply.error());
        }
        if (!reply) went = reply.error();
        if (!reply || !reply->claimed) continue;
        if (!*reply->claimed) {
            went = reply->claimed->error();
            continue;
        }
        const Place place{.lane = shares->lane, .partition = partition};
        engine::ClaimedBatch batch = **std::move(reply->claimed);
        Result<Done> taken = co_await take_up(round, place, std::move(batch), how);
        if (!taken) went = std::move(taken);
    }
    const std::size_t taken = round.tasks.size() - before;
    if (taken > 0) {
        FF_CO_TRY(const LaneConfig config, co_await lanes_.lane(shares->lane));
        lane_shares_.took(shares->lane.text(), taken, config.weight);
    }
    co_return went;
}

engine::CompleteAndClaim Claimer::call_at(const Round& round, const std::optional<Shares>& shares,
                                          std::uint16_t partition) {
    if (shares) {
        const auto share = shares->tasks.find(partition);
        const Place place{.lane = shares->lane, .partition = partition};
        if (share != shares->tasks.end()) {
            return {.claim = batch_for(round, place, share->second)};
        }
    }
    const ClaimRequest& request = round.request;
    return {.claim = {.partition = model::PartitionKey::flow(partition),
                      .worker_id = request.worker_id,
                      .worker_instance_id = request.worker_instance_id,
                      .lane = request.lanes.front()},
            .complete_only = true};
}

}  // namespace ff::sched
