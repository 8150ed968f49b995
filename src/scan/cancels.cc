#include "scan/cancels.h"

#include <array>
#include <utility>

#include "engine/flow_cancel.h"
#include "model/flow_keys.h"
#include "model/index_keys.h"
#include "scan/places.h"

namespace ff::scan {
namespace asio = boost::asio;
namespace {

constexpr std::int64_t kMembersAtOnce = 500;
/// More pages than the largest flow has members for.
constexpr int kPagesOfMembersMax = 1'000;

using Cancel = Work<engine::CancelFlowMembers>;

/// One pass over the owed members of each flow. What stays owed is due again later.
asio::awaitable<void> cancel_members(Cycle& cycle, std::vector<model::FlowId> flows) {
    std::vector<Cancel> open;
    for (const model::FlowId& flow : flows) {
        engine::CancelFlowMembers cancel{.flow = {.id = flow, .partitions = cycle.partitions()},
                                         .members_max = kMembersAtOnce};
        open.push_back(Cancel{.item = flow.to_string(), .operation = std::move(cancel)});
    }
    for (int page = 0; page < kPagesOfMembersMax && !open.empty() && !cycle.stopping(); ++page) {
        std::vector<Cancel> given = open;
        const auto outcomes = co_await act(cycle, std::move(given));
        std::vector<Cancel> rest;
        for (std::size_t i = 0; i < open.size(); ++i) {
            if (!outcomes[i] || outcomes[i]->owed == 0 || outcomes[i]->cursor == "0") continue;
            open[i].operation.cursor = outcomes[i]->cursor;
            rest.push_back(std::move(open[i]));
        }
        open = std::move(rest);
    }
}

asio::awaitable<void> cancel_due(Cycle& cycle, std::vector<DueEntry> due) {
    std::vector<model::FlowId> flows;
    for (const DueEntry& entry : due) {
        const auto flow = model::FlowId::parse(entry.member);
        if (flow) flows.push_back(*flow);
        if (!flow) cycle.malformed(entry.member, flow.error());
    }
    co_await cancel_members(cycle, std::move(flows));
}

DueRules backlog_rules() {
    return {.kind = Kind::CancelReconciler,
            .index = "cancel_backlog",
            .page = 50,
            .key =
                [](const DuePlace& at) {
                    const auto partition = model::PartitionKey::flow(at.partition);
                    return model::FlowIndexKeys(partition).cancel_backlog();
                },
            .act = cancel_due};
}

}  // namespace

CancelReconciler::CancelReconciler() : backlog_(backlog_rules()) {}

asio::awaitable<void> CancelReconciler::cycle(Cycle& cycle) {
    co_await backlog_.cycle(cycle);
    co_await measure(cycle);
}

asio::awaitable<void> CancelReconciler::measure(Cycle& cycle) {
    std::vector<store::Call> reads;
    for (const WalkPlace& place : places_of(cycle, &model::FlowIndexKeys::cancel_backlog)) {
        reads.push_back(store::plain({"ZCARD", place.key}, true));
        const std::string pending = model::IndexKeys(place.partition).cascade_pending();
        reads.push_back(store::plain({"ZCARD", pending}, true));
    }
    std::array<std::uint64_t, 2> sums{};
    if (!reads.empty()) {
        const auto counts = co_await cycle.store().pipeline(std::move(reads));
        for (std::size_t i = 0; i < counts.size(); ++i) {
            if (!counts[i]) {
                cycle.unread(counts[i].error());
                co_return;
            }
            sums.at(i % 2) += static_cast<std::uint64_t>(counts[i]->to_integer().value_or(0));
        }
    }
    if (cycle.stopping()) co_return;
    cycle.probe().cancel_backlog(sums[0]);
    cycle.probe().cascade_pending(sums[1]);
}

void CancelReconciler::flow_failed(const model::FlowId& flow) {
    if (failed_.size() < kFlowsMax) failed_.insert(flow);
}

std::optional<Timestamp> CancelReconciler::next_due() const {
    // The beginning of time: at once.
    return failed_.empty() ? backlog_.next_due() : std::make_optional(Timestamp{});
}

asio::awaitable<void> CancelReconciler::serve_due(Cycle& cycle) {
    const std::set<model::FlowId> failed = std::exchange(failed_, {});
    std::vector<model::FlowId> flows(failed.begin(), failed.end());
    co_await cancel_members(cycle, std::move(flows));
    co_await backlog_.serve_due(cycle);
}

}  // namespace ff::scan
