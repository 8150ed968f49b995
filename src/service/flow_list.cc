#include "service/flow_list.h"

#include <algorithm>

#include "base/numbers.h"
#include "model/error_catalogue.h"
#include "model/flow_keys.h"

namespace ff::service {
namespace {

constexpr char kSeparator = '-';
/// Entries read from one partition at a time where many are merged.
constexpr std::size_t kPieceMin = 4;

std::int64_t score_of(const store::Reply& reply) {
    if (const auto number = reply.as_double()) return static_cast<std::int64_t>(*number);
    return reply.to_integer().value_or(0);
}

}  // namespace

/// `<created_at>-<flow id>`.
Result<std::optional<FlowList::Entry>> FlowList::parse_cursor(const std::string& text) {
    if (text.empty()) return std::optional<Entry>();
    const std::size_t dash = text.find(kSeparator);
    const auto time = parse_i64(std::string_view(text).substr(0, dash));
    if (dash == std::string::npos || !time) return model::make_error("invalid_cursor", {text});
    const auto id = model::FlowId::parse(std::string_view(text).substr(dash + 1));
    if (!id) return model::make_error("invalid_cursor", {text});
    return std::optional<Entry>(Entry{.created_at = *time, .id = id->to_string()});
}

Task<Done> FlowList::seek(std::vector<Source>& sources, Entry behind) {
    const std::string newer = "(" + std::to_string(behind.created_at);
    std::vector<store::Call> counts;
    for (const Source& source : sources) {
        counts.push_back(store::plain({"ZCOUNT", source.key, newer, "+inf"}, true));
    }
    const auto replies = co_await context_.store.pipeline(std::move(counts));
    for (std::size_t i = 0; i < replies.size(); ++i) {
        if (!replies[i]) co_return replies[i].error();
        sources[i].rank = replies[i]->to_integer().value_or(0);
    }
    co_return Done{};
}

Task<Done> FlowList::fill(std::vector<Source>& sources, std::optional<Entry> behind,
                          std::size_t limit) {
    const std::size_t piece =
        sources.size() == 1 ? limit : std::max(kPieceMin, limit * 2 / sources.size());
    for (;;) {
        std::vector<store::Call> reads;
        std::vector<Source*> asked;
        for (Source& source : sources) {
            if (source.drained || !source.ready.empty()) continue;
            const std::string from = std::to_string(source.rank);
            const std::string to =
                std::to_string(source.rank + static_cast<std::int64_t>(piece) - 1);
            reads.push_back(store::plain({"ZREVRANGE", source.key, from, to, "WITHSCORES"}, true));
            asked.push_back(&source);
        }
        if (reads.empty()) co_return Done{};
        const auto replies = co_await context_.store.pipeline(std::move(reads));
        for (std::size_t i = 0; i < replies.size(); ++i) {
            if (!replies[i]) co_return replies[i].error();
            const auto items = replies[i]->items();
            const bool is_nested = !items.empty() && items.front().is_aggregate();
            const std::size_t found = is_nested ? items.size() : items.size() / 2;
            for (std::size_t j = 0; j < found; ++j) {
                const auto pair = is_nested ? items[j].items() : items.subspan(j * 2, 2);
                if (pair.size() != 2) continue;
                Entry entry{.created_at = score_of(pair[1]),
                            .id = std::string(pair[0].text().value_or(""))};
                if (!behind || entry < *behind) asked[i]->ready.push_back(std::move(entry));
            }
            std::ranges::reverse(asked[i]->ready);
            asked[i]->rank += static_cast<std::int64_t>(found);
            asked[i]->drained = found < piece;
        }
    }
}

Task<std::vector<FlowList::Entry>> FlowList::take(std::vector<Source>& sources,
                                                  std::optional<Entry> behind, std::size_t count) {
    std::vector<Entry> taken;
    while (taken.size() < count) {
        FF_CO_CHECK(co_await fill(sources, behind, count));
        bool is_dry = false;
        while (taken.size() < count && !is_dry) {
            Source* newest = nullptr;
            for (Source& source : sources) {
                if (source.ready.empty()) continue;
                if (newest == nullptr || newest->ready.back() < source.ready.back()) {
                    newest = &source;
                }
            }
            if (newest == nullptr) co_return taken;
            behind = newest->ready.back();
            taken.push_back(std::move(newest->ready.back()));
            newest->ready.pop_back();
            is_dry = newest->ready.empty() && !newest->drained;
        }
    }
    co_return taken;
}

Task<std::vector<FlowRecord>> FlowList::matching(std::vector<Entry> entries,
                                                 const FlowQuery& query) {
    std::vector<model::FlowId> ids;
    std::vector<store::Call> reads;
    for (const Entry& entry : entries) {
        const auto id = model::FlowId::parse(entry.id);
        if (!id) continue;
        const model::FlowKeys keys(*id, context_.rules.partitions);
        const std::string core = keys.core();
        const std::string tags = keys.tags();
        reads.push_back(store::plain({"HGETALL", core}, true));
        if (query.tag) reads.push_back(store::plain({"HGET", tags, query.tag->first}, true));
        ids.push_back(*id);
    }
    const std::size_t step = query.tag ? 2 : 1;
    std::vector<FlowRecord> flows;
    if (reads.empty()) co_return flows;
    const auto replies = co_await context_.store.pipeline(std::move(reads));
    for (std::size_t i = 0; i < replies.size(); i += step) {
        if (!replies[i]) co_return replies[i].error();
        // An index entry outlives its core for a moment when a flow is purged.
        if (replies[i]->items().empty()) continue;
        FF_CO_TRY(FlowRecord flow, read_flow_record(ids[i / step], *replies[i]));
        if (query.ns && flow.ns != *query.ns) continue;
        if (query.public_flow_state && flow.public_flow_state != *query.public_flow_state) continue;
        if (query.tag) {
            if (!replies[i + 1]) co_return replies[i + 1].error();
            if (replies[i + 1]->text() != std::optional<std::string_view>(query.tag->second)) {
                continue;
            }
        }
        flows.push_back(std::move(flow));
    }
    co_return flows;
}

Task<FlowPage> FlowList::list(FlowQuery query) {
    FF_CO_TRY(std::optional<Entry> behind, parse_cursor(query.page.cursor));
    std::vector<Source> sources;
    const auto add = [&](std::uint16_t index) {
        sources.push_back(
            {.key = model::FlowIndexKeys(model::PartitionKey::flow(index)).flows_by_time()});
    };
    if (query.partition) {
        add(*query.partition);
    } else {
        for (std::uint16_t i = 0; i < context_.rules.partitions.num_flow_partitions(); ++i) add(i);
    }
    if (behind) FF_CO_CHECK(co_await seek(sources, *behind));
    FlowPage page;
    std::size_t examined = 0;
    while (page.flows.size() < query.page.limit && examined < kExaminedMax) {
        const std::size_t missing = query.page.limit - page.flows.size();
        FF_CO_TRY(std::vector<Entry> entries, co_await take(sources, behind, missing));
        const bool is_end = entries.size() < missing;
        examined += entries.size();
        if (!entries.empty()) behind = entries.back();
        FF_CO_TRY(std::vector<FlowRecord> found, co_await matching(std::move(entries), query));
        std::ranges::move(found, std::back_inserter(page.flows));
        if (is_end) co_return page;
    }
    page.next_cursor = std::to_string(behind->created_at) + kSeparator + behind->id;
    co_return page;
}

}  // namespace ff::service
