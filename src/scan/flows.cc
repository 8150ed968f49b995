#include "scan/flows.h"

#include <utility>

#include "engine/flow_retain.h"
#include "scan/places.h"

namespace ff::scan {
namespace asio = boost::asio;
namespace {

/// More slices than the largest flow needs.
constexpr int kSlicesMax = 1'000;

std::vector<model::FlowId> flows_of(Cycle& cycle, const std::vector<WalkMember>& members) {
    std::vector<model::FlowId> flows;
    for (const WalkMember& one : members) {
        const auto flow = model::FlowId::parse(one.member);
        if (flow) flows.push_back(*flow);
        if (!flow) cycle.malformed(one.member, flow.error());
    }
    return flows;
}

asio::awaitable<void> project(Cycle& cycle, std::vector<model::FlowId> flows) {
    std::vector<Work<engine::ProjectFlowSummary>> open;
    for (const model::FlowId& flow : flows) {
        engine::ProjectFlowSummary summary{.flow = {.id = flow, .partitions = cycle.partitions()}};
        open.push_back({.item = flow.to_string(), .operation = std::move(summary)});
    }
    for (int slice = 0; slice < kSlicesMax && !open.empty() && !cycle.stopping(); ++slice) {
        std::vector<Work<engine::ProjectFlowSummary>> given = open;
        const auto outcomes = co_await act(cycle, std::move(given));
        std::vector<Work<engine::ProjectFlowSummary>> rest;
        for (std::size_t i = 0; i < open.size(); ++i) {
            if (!outcomes[i] || outcomes[i]->cursor.empty() || outcomes[i]->cursor == "0") continue;
            open[i].operation.cursor = outcomes[i]->cursor;
            rest.push_back(std::move(open[i]));
        }
        open = std::move(rest);
    }
}

asio::awaitable<void> purge(Cycle& cycle, std::vector<model::FlowId> flows) {
    for (int slice = 0; slice < kSlicesMax && !flows.empty() && !cycle.stopping(); ++slice) {
        std::vector<Work<engine::PurgeFlow>> work;
        for (const model::FlowId& flow : flows) {
            engine::PurgeFlow purge{.flow = {.id = flow, .partitions = cycle.partitions()},
                                    .retention = cycle.options().flow_retention};
            work.push_back({.item = flow.to_string(), .operation = std::move(purge)});
        }
        const auto outcomes = co_await act(cycle, std::move(work));
        std::vector<model::FlowId> rest;
        for (std::size_t i = 0; i < flows.size(); ++i) {
            if (outcomes[i] && outcomes[i]->result == "partial") rest.push_back(flows[i]);
        }
        flows = std::move(rest);
    }
}

}  // namespace

asio::awaitable<void> FlowProjector::cycle(Cycle& cycle) {
    finished_.clear();
    walk_.begin(places_of(cycle, &model::FlowIndexKeys::flow_index));
    while (walk_.more() && !cycle.stopping()) {
        const std::vector<WalkMember> members = co_await walk_.next(cycle);
        std::vector<model::FlowId> flows = flows_of(cycle, members);
        co_await project(cycle, std::move(flows));
    }
}

asio::awaitable<void> FlowProjector::serve_due(Cycle& cycle) {
    const std::set<model::FlowId> finished = std::exchange(finished_, {});
    std::vector<model::FlowId> flows(finished.begin(), finished.end());
    co_await project(cycle, std::move(flows));
}

std::optional<Timestamp> FlowProjector::next_due() const {
    // The beginning of time: at once.
    return finished_.empty() ? std::nullopt : std::make_optional(Timestamp{});
}

void FlowProjector::flow_finished(const model::FlowId& flow) {
    if (finished_.size() < kFlowsMax) finished_.insert(flow);
}

asio::awaitable<void> FlowRetention::cycle(Cycle& cycle) {
    const Timestamp until = cycle.now() - cycle.options().flow_retention;
    walk_.begin(places_of(cycle, &model::FlowIndexKeys::terminal_flows), to_string(until));
    while (walk_.more() && !cycle.stopping()) {
        const std::vector<WalkMember> members = co_await walk_.next(cycle);
        std::vector<model::FlowId> flows = flows_of(cycle, members);
        co_await purge(cycle, std::move(flows));
    }
}

}  // namespace ff::scan
