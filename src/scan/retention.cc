#include "scan/retention.h"

#include <utility>

#include "engine/retain_execution.h"
#include "model/index_keys.h"
#include "scan/places.h"
#include "scan/secondary_indexes.h"

namespace ff::scan {
namespace asio = boost::asio;
namespace {

/// More slices of 500 keys than one execution has.
constexpr int kSlicesMax = 10'000;

/// The lanes in whose index executions were found.
using FoundIn = std::map<model::ExecutionId, model::LaneId>;

/// Those of the executions that could not be dealt with are the outcome.
asio::awaitable<std::vector<model::ExecutionId>> purge(Cycle& cycle,
                                                       std::vector<model::ExecutionId> ids,
                                                       FoundIn found_in) {
    std::vector<model::ExecutionId> failed;
    std::vector<model::ExecutionId> open = co_await cycle.matching(std::move(ids));
    // Before the first slice: afterwards nothing tells which listings they are on.
    std::vector<model::ExecutionId> asked = open;
    std::map<model::ExecutionId, Listing> listings;
    if (cycle.options().secondary_indexes) {
        const auto read = co_await read_listings(cycle, std::move(asked));
        for (std::size_t i = 0; i < open.size(); ++i) {
            if (read[i]) listings.emplace(open[i], *read[i]);
            if (!read[i]) failed.push_back(open[i]);
        }
        std::erase_if(open, [&](const auto& id) { return !listings.contains(id); });
    }
    std::vector<Listing> purged;
    for (int slice = 0; slice < kSlicesMax && !open.empty() && !cycle.stopping(); ++slice) {
        std::vector<Work<engine::PurgeExecution>> work;
        for (const model::ExecutionId& id : open) {
            engine::PurgeExecution purge{.execution_id = id,
                                         .default_retention = cycle.options().retention_default};
            const auto lane = found_in.find(id);
            if (lane != found_in.end()) purge.lane = lane->second;
            work.push_back({.item = id.to_string(), .operation = std::move(purge)});
        }
        const auto outcomes = co_await act(cycle, std::move(work));
        std::vector<model::ExecutionId> rest;
        for (std::size_t i = 0; i < open.size(); ++i) {
            if (!outcomes[i]) failed.push_back(open[i]);
            if (!outcomes[i]) continue;
            if (outcomes[i]->result == "partial") rest.push_back(open[i]);
            const auto listing = listings.find(open[i]);
            if (outcomes[i]->result == "purged" && listing != listings.end()) {
                purged.push_back(std::move(listing->second));
            }
        }
        open = std::move(rest);
    }
    co_await unlist(cycle, std::move(purged));
    co_return failed;
}

asio::awaitable<void> purge_due(Cycle& cycle, std::vector<DueEntry> due) {
    std::vector<model::ExecutionId> ids;
    for (const DueEntry& entry : due) {
        const auto id = model::ExecutionId::parse(entry.member);
        if (id) ids.push_back(*id);
        if (!id) cycle.malformed(entry.member, id.error());
    }
    // What failed stays in the index of due times and is met again.
    FoundIn no_lanes;
    co_await purge(cycle, std::move(ids), std::move(no_lanes));
}

DueRules due_rules() {
    return {
        .kind = Kind::RetentionTrimmer,
        .index = "retention_due",
        .page = 20,
        .key = [](const DuePlace& at) { return model::IndexKeys(at.partition).retention_due(); },
        .act = purge_due};
}

}  // namespace

RetentionTrimmer::RetentionTrimmer() : due_(due_rules()) {}

asio::awaitable<void> RetentionTrimmer::cycle(Cycle& cycle) {
    co_await due_.cycle(cycle);
    std::vector<model::ExecutionId> ids(again_.begin(), again_.end());
    again_.clear();
    const Timestamp until = cycle.now() - cycle.options().retention_default;
    old_.begin(places_of(cycle, &model::LaneKeys::terminal), to_string(until));
    while ((old_.more() || !ids.empty()) && !cycle.stopping()) {
        const std::vector<WalkMember> members = co_await old_.next(cycle);
        FoundIn found_in;
        for (const WalkMember& one : members) {
            const auto id = model::ExecutionId::parse(one.member);
            const auto lane = model::LaneId::parse(one.place->lane);
            if (id) ids.push_back(*id);
            if (id && lane) found_in.emplace(*id, *lane);
            if (!id) cycle.malformed(one.member, id.error());
        }
        const std::vector<model::ExecutionId> failed =
            co_await purge(cycle, std::move(ids), std::move(found_in));
        ids.clear();
        for (const model::ExecutionId& id : failed) {
            if (again_.size() < kAgainMax) again_.insert(id);
        }
    }
}

}  // namespace ff::scan
