#include "scan/index_reconciler.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "engine/retain_execution.h"
#include "model/exec_keys.h"
#include "model/global_keys.h"
#include "scan/places.h"
#include "scan/secondary_indexes.h"

namespace ff::scan {
namespace asio = boost::asio;
namespace {

std::vector<WalkMember> piece_of(const std::vector<WalkMember>& all, std::size_t from) {
    const std::size_t to = std::min(from + Pace::kPiece, all.size());
    return {all.begin() + static_cast<std::ptrdiff_t>(from),
            all.begin() + static_cast<std::ptrdiff_t>(to)};
}

std::vector<model::ExecutionId> ids_of(Cycle& cycle, const std::vector<WalkMember>& members) {
    std::vector<model::ExecutionId> ids;
    for (const WalkMember& one : members) {
        const auto id = model::ExecutionId::parse(one.member);
        if (id) ids.push_back(*id);
        if (!id) cycle.malformed(one.member, id.error());
    }
    return ids;
}

}  // namespace

asio::awaitable<void> IndexReconciler::cycle(Cycle& cycle) {
    Pace pace;
    executions_.begin(places_of(cycle, &model::IndexKeys::all_executions));
    while (executions_.more() && !cycle.stopping()) {
        const std::vector<WalkMember> members = co_await executions_.next(cycle);
        for (std::size_t from = 0; from < members.size() && !cycle.stopping();
             from += Pace::kPiece) {
            const std::vector<WalkMember> piece = piece_of(members, from);
            std::vector<model::ExecutionId> ids = ids_of(cycle, piece);
            ids = co_await cycle.matching(std::move(ids));
            co_await reconcile(cycle, std::move(ids));
            co_await pace.done(piece.size());
        }
    }
    if (cycle.options().secondary_indexes) co_await tidy_listings(cycle, pace);
}

asio::awaitable<void> IndexReconciler::reconcile(Cycle& cycle,
                                                 std::vector<model::ExecutionId> ids) {
    std::vector<Work<engine::ReconcileExecutionIndex>> work;
    for (const model::ExecutionId& id : ids) {
        work.push_back({.item = id.to_string(), .operation = {.execution_id = id}});
    }
    const auto outcomes = co_await act(cycle, std::move(work));
    std::vector<model::ExecutionId> alive;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (!outcomes[i]) continue;
        const std::string& result = outcomes[i]->result;
        if (result != "gone" && result != "purging") alive.push_back(ids[i]);
        if (result != "repaired") continue;
        for (const std::string& index : outcomes[i]->indexes) {
            cycle.probe().index_repaired(index);
            log::warn("scan", "index_repaired",
                      {{"index", index}, {"execution_id", ids[i].to_string()}});
        }
    }
    if (cycle.stopping()) co_return;
    const auto read = co_await read_listings(cycle, std::move(alive));
    std::vector<Listing> listings;
    for (const std::optional<Listing>& one : read) {
        if (one) listings.push_back(*one);
    }
    co_await enter_lanes(cycle, listings);
    if (cycle.options().secondary_indexes) co_await list_missing(cycle, std::move(listings));
}

asio::awaitable<void> IndexReconciler::tidy_listings(Cycle& cycle, Pace& pace) {
    store::Call read = store::plain({"SMEMBERS", model::kNamespacesKey}, true);
    const auto reply = co_await cycle.store().call(std::move(read));
    if (!reply) {
        cycle.unread(reply.error());
        co_return;
    }
    std::vector<WalkPlace> places;
    for (const store::Reply& member : reply->items()) {
        const auto ns = model::Namespace::parse(member.text().value_or(""));
        if (ns) places.push_back(WalkPlace{.key = model::namespace_executions_key(*ns)});
    }
    listings_.begin(std::move(places), "+inf");
    while (listings_.more() && !cycle.stopping()) {
        const std::vector<WalkMember> members = co_await listings_.next(cycle);
        for (std::size_t from = 0; from < members.size() && !cycle.stopping();
             from += Pace::kPiece) {
            std::vector<WalkMember> piece = piece_of(members, from);
            const std::size_t count = piece.size();
            co_await drop_gone(cycle, std::move(piece));
            co_await pace.done(count);
        }
    }
}

asio::awaitable<void> IndexReconciler::drop_gone(Cycle& cycle, std::vector<WalkMember> members) {
    std::vector<store::Call> reads;
    std::vector<store::Call> removals;
    std::vector<const WalkMember*> asked;
    for (const WalkMember& one : members) {
        const auto id = model::ExecutionId::parse(one.member);
        if (!id) {
            removals.push_back(store::plain({"ZREM", one.place->key, one.member}, true));
        } else if (cycle.options().shard.has(id->partition_index())) {
            reads.push_back(store::plain({"EXISTS", model::ExecKeys(*id).core()}, true));
            asked.push_back(&one);
        }
    }
    if (!reads.empty()) {
        const auto found = co_await cycle.store().pipeline(std::move(reads));
        for (std::size_t i = 0; i < asked.size(); ++i) {
            if (!found[i]) cycle.unread(found[i].error());
            if (!found[i] || found[i]->to_integer() != 0) continue;
            removals.push_back(
                store::plain({"ZREM", asked[i]->place->key, asked[i]->member}, true));
        }
    }
    if (!removals.empty()) co_await cycle.store().pipeline(std::move(removals));
}

}  // namespace ff::scan
