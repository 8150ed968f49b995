#include "scan/cascades.h"

#include <utility>

#include "engine/flow_resolve.h"
#include "model/exec_keys.h"
#include "model/index_keys.h"

namespace ff::scan {
namespace asio = boost::asio;
namespace {

constexpr Millis kAgainAfter{5'000};
/// More pages of 500 edges than any flow has.
constexpr int kPagesOfEdgesMax = 10'000;

using Cascade = Work<engine::CascadeCompletion>;

/// The cascades of the entries; entries that belong to no flow are taken off the list.
asio::awaitable<std::vector<Cascade>> cascades_of(Cycle& cycle, std::vector<DueEntry> due) {
    std::vector<store::Call> reads;
    std::vector<model::ExecutionId> ids;
    std::vector<store::Call> removals;
    for (const DueEntry& entry : due) {
        const auto id = model::ExecutionId::parse(entry.member);
        if (!id) {
            cycle.malformed(entry.member, id.error());
            continue;
        }
        ids.push_back(*id);
        reads.push_back(store::plain({"HGET", model::ExecKeys(*id).core(), "flow_id"}, true));
    }
    const auto flows = co_await cycle.store().pipeline(std::move(reads));
    std::vector<Cascade> cascades;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (!flows[i]) {
            cycle.unread(flows[i].error());
            continue;
        }
        const std::string item = ids[i].to_string();
        const auto flow = model::FlowId::parse(flows[i]->text().value_or(""));
        if (flow) {
            engine::CascadeCompletion cascade{
                .execution_id = ids[i], .flow = {.id = *flow, .partitions = cycle.partitions()}};
            cascades.push_back(Cascade{.item = item, .operation = std::move(cascade)});
        } else {
            const std::string key = model::IndexKeys(ids[i].partition()).cascade_pending();
            removals.push_back(store::plain({"ZREM", key, item}, true));
        }
    }
    if (!removals.empty()) co_await cycle.store().pipeline(std::move(removals));
    co_return cascades;
}

asio::awaitable<void> put_off(Cycle& cycle, std::vector<model::ExecutionId> failed) {
    if (failed.empty()) co_return;
    const std::string later = to_string(cycle.now() + kAgainAfter);
    std::vector<store::Call> writes;
    for (const model::ExecutionId& id : failed) {
        const std::string key = model::IndexKeys(id.partition()).cascade_pending();
        writes.push_back(store::plain({"ZADD", key, later, id.to_string()}, true));
    }
    co_await cycle.store().pipeline(std::move(writes));
}

asio::awaitable<void> drain(Cycle& cycle, std::vector<DueEntry> due) {
    std::vector<Cascade> open = co_await cascades_of(cycle, std::move(due));
    std::vector<model::ExecutionId> failed;
    for (int page = 0; page < kPagesOfEdgesMax && !open.empty() && !cycle.stopping(); ++page) {
        std::vector<Cascade> given = open;
        const auto outcomes = co_await act(cycle, std::move(given));
        std::vector<Cascade> rest;
        for (std::size_t i = 0; i < open.size(); ++i) {
            if (!outcomes[i]) failed.push_back(open[i].operation.execution_id);
            if (!outcomes[i] || outcomes[i]->done()) continue;
            open[i].operation.cursor = outcomes[i]->cursor;
            rest.push_back(std::move(open[i]));
        }
        open = std::move(rest);
    }
    if (!cycle.stopping()) co_await put_off(cycle, std::move(failed));
}

}  // namespace

DueRules cascade_rules() {
    return {
        .kind = Kind::CascadeDrainer,
        .index = "cascade_pending",
        .page = 100,
        .key = [](const DuePlace& at) { return model::IndexKeys(at.partition).cascade_pending(); },
        .act = drain};
}

}  // namespace ff::scan
