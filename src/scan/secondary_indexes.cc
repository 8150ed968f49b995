#include "scan/secondary_indexes.h"

#include <algorithm>
#include <set>

#include "model/exec_keys.h"
#include "model/global_keys.h"

namespace ff::scan {
namespace asio = boost::asio;
namespace {

/// Counts what could not be written; the next cycle tries again.
asio::awaitable<void> write_all(Cycle& cycle, std::vector<store::Call> writes) {
    if (writes.empty()) co_return;
    const auto replies = co_await cycle.store().pipeline(std::move(writes));
    for (const Result<store::Reply>& reply : replies) {
        if (!reply) cycle.unread(reply.error());
    }
}

}  // namespace

asio::awaitable<std::vector<std::optional<Listing>>> read_listings(
    Cycle& cycle, std::vector<model::ExecutionId> ids) {
    std::vector<std::optional<Listing>> listings(ids.size());
    std::vector<store::Call> reads;
    for (const model::ExecutionId& id : ids) {
        const model::ExecKeys keys(id);
        reads.push_back(store::plain(
            {"HMGET", keys.core(), "namespace", "created_at", "lane_id", "lifecycle_phase"}, true));
        reads.push_back(store::plain({"HGETALL", keys.tags()}, true));
    }
    if (reads.empty()) co_return listings;
    const auto replies = co_await cycle.store().pipeline(std::move(reads));
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const Result<store::Reply>& core = replies[2 * i];
        const Result<store::Reply>& tags = replies[2 * i + 1];
        if (!core || !tags || core->items().size() != 4) {
            cycle.unread(!core   ? core.error()
                         : !tags ? tags.error()
                                 : Error{.code = "parse_error"});
            continue;
        }
        Listing listing{.execution_id = ids[i],
                        .ns = std::string(core->items()[0].text().value_or("")),
                        .created_at = std::string(core->items()[1].text().value_or("")),
                        .lane = std::string(core->items()[2].text().value_or(""))};
        const std::string_view phase = core->items()[3].text().value_or("");
        listing.unfinished = !phase.empty() && phase != "terminal";
        const auto pairs = tags->items();
        for (std::size_t j = 0; j + 1 < pairs.size(); j += 2) {
            listing.tags.emplace_back(pairs[j].text().value_or(""),
                                      pairs[j + 1].text().value_or(""));
        }
        listings[i] = std::move(listing);
    }
    co_return listings;
}

asio::awaitable<void> enter_lanes(Cycle& cycle, const std::vector<Listing>& listings) {
    std::set<model::LaneId> missing;
    for (const Listing& one : listings) {
        const auto lane = model::LaneId::parse(one.lane);
        if (!lane || !one.unfinished) continue;
        const auto& known = cycle.lanes();
        if (std::ranges::find(known, *lane) == known.end()) missing.insert(*lane);
    }
    std::vector<store::Call> writes;
    for (const model::LaneId& lane : missing) {
        writes.push_back(store::plain({"SADD", model::kLanesKey, lane.text()}, true));
        cycle.probe().index_repaired("lanes");
    }
    co_await write_all(cycle, std::move(writes));
}

asio::awaitable<void> list_missing(Cycle& cycle, std::vector<Listing> listings) {
    std::vector<store::Call> reads;
    std::vector<const Listing*> asked;
    std::vector<model::Namespace> namespaces;
    for (const Listing& one : listings) {
        const auto ns = model::Namespace::parse(one.ns);
        if (!ns || one.created_at.empty()) continue;
        const std::string key = model::namespace_executions_key(*ns);
        reads.push_back(store::plain({"ZSCORE", key, one.execution_id.to_string()}, true));
        asked.push_back(&one);
        namespaces.push_back(*ns);
    }
    if (reads.empty()) co_return;
    const auto scores = co_await cycle.store().pipeline(std::move(reads));
    std::vector<store::Call> writes;
    for (std::size_t i = 0; i < asked.size(); ++i) {
        const std::string id = asked[i]->execution_id.to_string();
        if (scores[i] && scores[i]->is_null()) {
            const std::string key = model::namespace_executions_key(namespaces[i]);
            writes.push_back(store::plain({"ZADD", key, asked[i]->created_at, id}, true));
            writes.push_back(
                store::plain({"SADD", model::kNamespacesKey, namespaces[i].text()}, true));
            cycle.probe().index_repaired("namespace");
        }
        // Adding what is there already changes nothing and costs as much as asking.
        for (const auto& [name, value] : asked[i]->tags) {
            const std::string key = model::tag_key(namespaces[i], name, value);
            writes.push_back(store::plain({"SADD", key, id}, true));
        }
    }
    co_await write_all(cycle, std::move(writes));
}

asio::awaitable<void> unlist(Cycle& cycle, std::vector<Listing> listings) {
    std::vector<store::Call> writes;
    for (const Listing& one : listings) {
        const auto ns = model::Namespace::parse(one.ns);
        if (!ns) continue;
        const std::string id = one.execution_id.to_string();
        writes.push_back(store::plain({"ZREM", model::namespace_executions_key(*ns), id}, true));
        for (const auto& [name, value] : one.tags) {
            writes.push_back(store::plain({"SREM", model::tag_key(*ns, name, value), id}, true));
        }
    }
    co_await write_all(cycle, std::move(writes));
}

}  // namespace ff::scan
