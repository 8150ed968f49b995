#include "scan/siblings.h"

#include <optional>
#include <utility>

#include "engine/flow_cancel.h"
#include "model/flow_keys.h"
#include "scan/places.h"

namespace ff::scan {
namespace asio = boost::asio;
namespace {

/// Calls of 128 cancels for one group before others have their turn.
constexpr int kCallsPerGroupMax = 20;

/// `<flow_id>|<downstream>`.
std::optional<engine::SiblingGroup> parse_group(const std::string& tuple,
                                                const model::PartitionConfig& partitions) {
    const std::size_t bar = tuple.find('|');
    if (bar == std::string::npos) return std::nullopt;
    const auto flow = model::FlowId::parse(std::string_view(tuple).substr(0, bar));
    const auto child = model::ExecutionId::parse(std::string_view(tuple).substr(bar + 1));
    if (!flow || !child || !model::check_same_partition(*child, *flow, partitions)) {
        return std::nullopt;
    }
    return engine::SiblingGroup{.flow = {.id = *flow, .partitions = partitions},
                                .downstream = *child};
}

/// The groups of a page; what is none is removed and counts as an error.
asio::awaitable<std::vector<engine::SiblingGroup>> groups_of(Cycle& cycle,
                                                             std::vector<WalkMember> members) {
    std::vector<engine::SiblingGroup> groups;
    std::vector<store::Call> removals;
    for (const WalkMember& one : members) {
        const auto group = parse_group(one.member, cycle.partitions());
        if (group) {
            groups.push_back(*group);
            continue;
        }
        cycle.failed(one.member, invalid_input("tuple", "malformed"));
        removals.push_back(store::plain({"SREM", one.place->key, one.member}, true));
    }
    if (!removals.empty()) co_await cycle.store().pipeline(std::move(removals));
    co_return groups;
}

std::string name_of(const engine::SiblingGroup& group) {
    return group.flow.id.to_string() + "|" + group.downstream.to_string();
}

}  // namespace

asio::awaitable<void> SiblingDispatcher::cycle(Cycle& cycle) {
    flagged_.clear();
    std::vector<WalkPlace> places = places_of(cycle, &model::FlowIndexKeys::pending_cancel_groups);
    co_await drain(cycle, std::move(places));
}

asio::awaitable<void> SiblingDispatcher::serve_due(Cycle& cycle) {
    std::vector<WalkPlace> places;
    for (const std::uint16_t partition : std::exchange(flagged_, {})) {
        const model::FlowIndexKeys keys(model::PartitionKey::flow(partition));
        places.push_back(WalkPlace{.partition = partition, .key = keys.pending_cancel_groups()});
    }
    co_await drain(cycle, std::move(places));
}

std::optional<Timestamp> SiblingDispatcher::next_due() const {
    // The beginning of time: at once.
    return flagged_.empty() ? std::nullopt : std::make_optional(Timestamp{});
}

bool SiblingDispatcher::announced(const Announcement& announcement) {
    if (announcement.index != "pending_cancel_groups") return false;
    flagged_.insert(announcement.partition.index());
    return true;
}

asio::awaitable<void> SiblingDispatcher::drain(Cycle& cycle, std::vector<WalkPlace> places) {
    walk_.begin(std::move(places));
    while (walk_.more() && !cycle.stopping()) {
        std::vector<WalkMember> page = co_await walk_.next(cycle);
        std::vector<engine::SiblingGroup> open = co_await groups_of(cycle, std::move(page));
        for (int call = 0; call < kCallsPerGroupMax && !open.empty(); ++call) {
            std::vector<Work<engine::DrainSiblingCancelGroup>> work;
            for (const engine::SiblingGroup& group : open) {
                work.push_back({.item = name_of(group), .operation = {.group = group}});
            }
            const auto outcomes = co_await act(cycle, std::move(work));
            std::vector<engine::SiblingGroup> rest;
            for (std::size_t i = 0; i < open.size(); ++i) {
                if (!outcomes[i]) continue;
                cycle.probe().sibling_group_drained(outcomes[i]->result);
                if (outcomes[i]->result == "pending") rest.push_back(open[i]);
            }
            open = std::move(rest);
            if (cycle.stopping()) break;
        }
    }
}

asio::awaitable<void> SiblingReconciler::cycle(Cycle& cycle) {
    walk_.begin(places_of(cycle, &model::FlowIndexKeys::pending_cancel_groups));
    while (walk_.more() && !cycle.stopping()) {
        std::vector<WalkMember> page = co_await walk_.next(cycle);
        const std::vector<engine::SiblingGroup> groups = co_await groups_of(cycle, std::move(page));
        std::vector<Work<engine::ReconcileSiblingCancelGroup>> work;
        for (const engine::SiblingGroup& group : groups) {
            work.push_back({.item = name_of(group), .operation = {.group = group}});
        }
        const auto outcomes = co_await act(cycle, std::move(work));
        for (const auto& outcome : outcomes) {
            if (outcome) cycle.probe().sibling_group_reconciled(outcome->result);
        }
    }
}

}  // namespace ff::scan
