#include "sched/candidate.h"

#include <algorithm>
#include <charconv>

#include "base/numbers.h"
#include "model/exec_keys.h"
#include "model/index_keys.h"

namespace ff::sched {
namespace {

/// A route queue the worker may take from.
struct RouteQueue {
    std::string key{};
};

double score_of(const store::Reply& reply) {
    if (const auto number = reply.as_double()) return *number;
    if (const auto number = reply.to_integer()) return static_cast<double>(*number);
    double value = 0;
    const std::string_view text = reply.text().value_or("0");
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

/// Members with scores, as RESP3 nests them and RESP2 does not.
void add_members(const store::Reply& reply, bool from_route, std::vector<Candidate>& into) {
    const auto add = [&](const store::Reply& member, const store::Reply& score) {
        const auto id = model::ExecutionId::parse(member.text().value_or(""));
        if (!id) return;
        into.push_back(
            Candidate{.execution_id = *id, .score = score_of(score), .from_route = from_route});
    };
    const auto items = reply.items();
    const bool nested = !items.empty() && items.front().is_aggregate();
    if (nested) {
        for (const store::Reply& pair : items) {
            if (pair.items().size() == 2) add(pair.items()[0], pair.items()[1]);
        }
        return;
    }
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) add(items[i], items[i + 1]);
}

Task<std::vector<RouteQueue>> covered_routes(store::Store& store, model::LaneKeys keys,
                                             model::CapabilitySet capabilities) {
    store::Call read = store::plain({"HGETALL", keys.route_sets()}, true);
    FF_CO_TRY(const store::Reply sets, co_await store.call(std::move(read)));
    std::vector<RouteQueue> queues;
    const auto items = sets.items();
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
        const auto required = model::CapabilitySet::parse_csv(items[i + 1].text().value_or(""));
        if (!required || !capabilities.covers(*required)) continue;
        queues.push_back(RouteQueue{.key = keys.route(items[i].text().value_or(""))});
    }
    co_return queues;
}

std::string text_of(const store::Reply& reply) {
    return std::string(reply.text().value_or(std::string_view()));
}

/// Fills in what the cores say; whoever has none any more is dropped.
Task<std::vector<Candidate>> with_cores(store::Store& store, std::vector<Candidate> found) {
    std::vector<store::Call> reads;
    for (const Candidate& one : found) {
        const std::string core = model::ExecKeys(one.execution_id).core();
        reads.push_back(
            store::plain({"HMGET", core, "namespace", "flow_id", "required_capabilities",
                          "budget_ids", "quota_policy_id", "grant_until", "admission_epoch"},
                         true));
    }
    if (reads.empty()) co_return found;
    const std::vector<Result<store::Reply>> cores = co_await store.pipeline(std::move(reads));
    std::vector<Candidate> known;
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (!cores[i]) co_return cores[i].error();
        const auto fields = cores[i]->items();
        if (fields.size() != 7 || fields[0].is_null()) continue;
        Candidate one = found[i];
        one.ns = text_of(fields[0]);
        one.flow_id = text_of(fields[1]);
        one.required_csv = text_of(fields[2]);
        one.budget_ids_csv = text_of(fields[3]);
        one.quota_policy_id = text_of(fields[4]);
        if (const auto until = parse_i64(text_of(fields[5]))) {
            one.grant_until = timestamp_from_ms(*until);
        }
        one.admission_epoch = fields[6].to_integer().value_or(0) + 1;
        known.push_back(std::move(one));
    }
    co_return known;
}

}  // namespace

Task<std::vector<Candidate>> find_candidates(store::Store& store, CandidateSearch search) {
    const model::LaneKeys keys(model::PartitionKey::flow(search.partition), search.lane);
    FF_CO_TRY(const std::vector<RouteQueue> routes,
              co_await covered_routes(store, keys, search.capabilities));
    const std::string last = std::to_string(search.depth - 1);
    std::vector<store::Call> reads;
    reads.push_back(store::plain({"ZRANGE", keys.eligible(), "0", last, "WITHSCORES"}, true));
    for (const RouteQueue& route : routes) {
        reads.push_back(store::plain({"ZRANGE", route.key, "0", last, "WITHSCORES"}, true));
    }
    const std::vector<Result<store::Reply>> heads = co_await store.pipeline(std::move(reads));
    std::vector<Candidate> found;
    for (std::size_t i = 0; i < heads.size(); ++i) {
        if (!heads[i]) co_return heads[i].error();
        add_members(*heads[i], i > 0, found);
    }
    std::ranges::sort(found, [](const Candidate& a, const Candidate& b) {
        return a.score != b.score ? a.score < b.score : a.execution_id < b.execution_id;
    });
    co_return co_await with_cores(store, std::move(found));
}

Task<std::vector<model::ExecutionId>> find_lost(store::Store& store, CandidateSearch search,
                                                Timestamp now) {
    const std::string index = model::IndexKeys(search.partition).lane(search.lane).active();
    const std::string until = std::to_string(to_ms(now));
    store::Call ask = store::plain({"ZCOUNT", index, "-inf", until}, true);
    FF_CO_TRY(const store::Reply overdue, co_await store.call(std::move(ask)));
    const auto count = static_cast<std::size_t>(overdue.to_integer().value_or(0));
    std::vector<model::ExecutionId> lost;
    if (count == 0 || search.depth == 0) co_return lost;
    // Those this worker cannot run must not hide the others behind them for ever.
    const std::size_t start = static_cast<std::size_t>(to_ms(now) / 500) * search.depth % count;
    const std::size_t end = std::min(start + search.depth, count);
    store::Call read =
        store::plain({"ZRANGE", index, std::to_string(start), std::to_string(end - 1)}, true);
    FF_CO_TRY(const store::Reply page, co_await store.call(std::move(read)));
    for (const store::Reply& item : page.items()) {
        if (const auto id = model::ExecutionId::parse(item.text().value_or("")))
            lost.push_back(*id);
    }
    co_return lost;
}

}  // namespace ff::sched
