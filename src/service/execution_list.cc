// Listings read indexes, which are hints: members that do not parse or whose record is gone are
// passed over. A cursor names the last member read, so a page may hold fewer than asked for and
// still have another behind it.
#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "base/log.h"
#include "model/error_catalogue.h"
#include "model/global_keys.h"
#include "service/executions.h"

namespace ff::service {
namespace {

/// Pages read to fill one answer when a filter lets few pass.
constexpr int kReadsMost = 20;
constexpr std::size_t kReadPage = 256;

/// A member of an index with its score as the store spells it.
struct Scored {
    std::string member{};
    std::string score{};
    double value = 0;
};

std::string score_text(const store::Reply& score) {
    if (const auto text = score.text()) return std::string(*text);
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, score.as_double().value_or(0));
    return {digits, end.ptr};
}

double value_of(const std::string& score) {
    double value = 0;
    std::from_chars(score.data(), score.data() + score.size(), value);
    return value;
}

void add_scored(Scored one, std::vector<Scored>& out) {
    one.value = value_of(one.score);
    out.push_back(std::move(one));
}

/// WITHSCORES as pairs (RESP3) or flat.
std::vector<Scored> read_scored(const store::Reply& reply) {
    std::vector<Scored> found;
    const auto items = reply.items();
    if (!items.empty() && items.front().is_aggregate()) {
        for (const store::Reply& pair : items) {
            const auto parts = pair.items();
            if (parts.size() != 2) continue;
            add_scored({.member = std::string(parts[0].text().value_or("")),
                        .score = score_text(parts[1])},
                       found);
        }
        return found;
    }
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
        add_scored({.member = std::string(items[i].text().value_or("")),
                    .score = score_text(items[i + 1])},
                   found);
    }
    return found;
}

bool ascending(const Scored& a, const Scored& b) {
    return a.value != b.value ? a.value < b.value : a.member < b.member;
}

ListedExecution listed(const ExecutionInfo& info) {
    return {.execution_id = info.execution_id.to_string(),
            .ns = info.ns,
            .lane_id = info.lane_id,
            .execution_kind = info.execution_kind,
            .public_state = info.state.public_state,
            .priority = info.priority,
            .created_at = info.created_at};
}

bool passes(const ExecutionInfo& info, const ListRequest& request) {
    if (request.ns && info.ns != request.ns->text()) return false;
    if (request.lane && info.lane_id != request.lane->text()) return false;
    return !request.state || stands_in(info.state, *request.state);
}

/// The records of index members, in order, without those that are gone.
Task<std::vector<ExecutionInfo>> load(store::Store& store, std::vector<std::string> members) {
    std::vector<model::ExecutionId> ids;
    std::vector<store::Call> reads;
    for (const std::string& member : members) {
        const auto id = model::ExecutionId::parse(member);
        if (!id) {
            log::warn("service", "index_member_skipped", {{"member", member}});
            continue;
        }
        ids.push_back(*id);
        reads.push_back(execution_info_call(*id));
    }
    std::vector<ExecutionInfo> found;
    if (reads.empty()) co_return found;
    const auto replies = co_await store.pipeline(std::move(reads));
    for (std::size_t i = 0; i < replies.size(); ++i) {
        if (!replies[i]) co_return replies[i].error();
        FF_CO_TRY(std::optional<ExecutionInfo> info, read_execution_info(ids[i], *replies[i]));
        if (info) found.push_back(*std::move(info));
    }
    co_return found;
}

std::vector<std::string> members_of(const std::vector<Scored>& scored) {
    std::vector<std::string> members;
    for (const Scored& one : scored) members.push_back(one.member);
    return members;
}

/// What stands in one lane index of one partition.
Task<ExecutionPage> list_partition(store::Store& store, ListRequest request, std::string index) {
    const std::string from = std::to_string(request.offset);
    const std::string to = std::to_string(request.offset + request.limit - 1);
    store::Call call = store::plain({"ZRANGE", index, from, to}, true);
    FF_CO_TRY(const store::Reply reply, co_await store.call(std::move(call)));
    std::vector<std::string> members;
    for (const store::Reply& item : reply.items()) members.emplace_back(item.text().value_or(""));
    FF_CO_TRY(const std::vector<ExecutionInfo> infos, co_await load(store, std::move(members)));
    ExecutionPage page;
    for (const ExecutionInfo& info : infos) page.executions.push_back(listed(info));
    co_return page;
}

/// One lane index over all partitions, merged by score and id.
class MergedListing {
  public:
    MergedListing(store::Store& store, model::LaneId lane, ListState state)
        : store_(store), lane_(std::move(lane)), state_(state) {}

    /// The next `limit` members of all partitions behind `place`.
    Task<std::vector<Scored>> next(std::optional<IndexPlace> place, std::uint16_t partitions,
                                   std::size_t limit) {
        std::vector<store::Call> reads;
        const std::string count = std::to_string(limit);
        for (std::uint32_t p = 0; p < partitions; ++p) {
            const auto partition = static_cast<std::uint16_t>(p);
            const std::string from = place ? from_in(partition, *place) : "-inf";
            reads.push_back(store::plain(
                {"ZRANGEBYSCORE", key(partition), from, "+inf", "WITHSCORES", "LIMIT", "0", count},
                true));
        }
        const auto replies = co_await store_.pipeline(std::move(reads));
        std::vector<Scored> merged;
        for (const Result<store::Reply>& reply : replies) {
            if (!reply) co_return reply.error();
            std::ranges::move(read_scored(*reply), std::back_inserter(merged));
        }
        if (place) FF_CO_CHECK(co_await add_ties(*place, limit, merged));
        std::ranges::sort(merged, ascending);
        if (merged.size() > limit) merged.resize(limit);
        co_return merged;
    }

  private:
    std::string key(std::uint16_t partition) const {
        return index_of(model::IndexKeys(partition).lane(lane_), state_);
    }
    /// Members of equal score come in the order of their ids, whose first part is the partition:
    /// partitions before that of the cursor are done with its score, later ones are not. In its
    /// own one the rest of that score is read by `add_ties`.
    static std::string from_in(std::uint16_t partition, const IndexPlace& place) {
        const std::string tag = model::PartitionKey::flow(partition).tag();
        const bool later = tag > place.member.substr(0, tag.size());
        return later ? place.score : "(" + place.score;
    }
    Task<Done> add_ties(IndexPlace place, std::size_t limit, std::vector<Scored>& merged) {
        const auto last = model::ExecutionId::parse(place.member);
        if (!last) co_return model::make_error("invalid_cursor");
        const std::string index = key(last->partition_index());
        const std::string count = std::to_string(limit);
        std::size_t found = 0;
        for (std::size_t offset = 0; found < limit; offset += limit) {
            const std::string skip = std::to_string(offset);
            store::Call read = store::plain({"ZRANGEBYSCORE", index, place.score, place.score,
                                             "WITHSCORES", "LIMIT", skip, count},
                                            true);
            FF_CO_TRY(const store::Reply reply, co_await store_.call(std::move(read)));
            const std::vector<Scored> ties = read_scored(reply);
            for (const Scored& one : ties) {
                if (one.member <= place.member) continue;
                merged.push_back(one);
                ++found;
            }
            if (ties.size() < limit) break;
        }
        co_return Done{};
    }

    store::Store& store_;
    model::LaneId lane_;
    ListState state_;
};

Result<std::optional<IndexPlace>> place_of(const std::string& cursor) {
    if (cursor.empty()) return std::optional<IndexPlace>();
    FF_TRY(IndexPlace place, IndexPlace::decode(cursor));
    char* end = nullptr;
    std::strtod(place.score.c_str(), &end);
    if (place.score.empty() || end != place.score.c_str() + place.score.size()) {
        return model::make_error("invalid_cursor");
    }
    return std::optional(std::move(place));
}

Task<ExecutionPage> list_merged(store::Store& store, ListRequest request, std::string lane,
                                std::uint16_t partitions) {
    FF_CO_TRY(std::optional<IndexPlace> place, place_of(request.cursor));
    FF_CO_TRY(model::LaneId lane_id, model::LaneId::parse(lane));
    MergedListing listing(store, std::move(lane_id), request.state.value_or(ListState::Eligible));
    FF_CO_TRY(const std::vector<Scored> members,
              co_await listing.next(std::move(place), partitions, request.limit));
    FF_CO_TRY(const std::vector<ExecutionInfo> infos, co_await load(store, members_of(members)));
    ExecutionPage page;
    for (const ExecutionInfo& info : infos) page.executions.push_back(listed(info));
    if (members.size() == request.limit) {
        const Scored& last = members.back();
        page.next_cursor = IndexPlace{.score = last.score, .member = last.member}.encode();
    }
    co_return page;
}

/// The newest of a namespace behind a place: at most `count`, and whether there are more.
Task<std::vector<Scored>> newest_behind(store::Store& store, std::string key,
                                        std::optional<IndexPlace> place, std::size_t count) {
    std::int64_t start = 0;
    if (place) {
        store::Call above = store::plain({"ZCOUNT", key, "(" + place->score, "+inf"}, true);
        FF_CO_TRY(const store::Reply newer, co_await store.call(std::move(above)));
        start = newer.to_integer().value_or(0);
    }
    std::vector<Scored> found;
    for (;;) {
        const std::string from = std::to_string(start);
        const std::string to = std::to_string(start + static_cast<std::int64_t>(count) - 1);
        store::Call read = store::plain({"ZREVRANGE", key, from, to, "WITHSCORES"}, true);
        FF_CO_TRY(const store::Reply reply, co_await store.call(std::move(read)));
        const std::vector<Scored> members = read_scored(reply);
        for (const Scored& one : members) {
            const bool seen = place && one.score == place->score && one.member >= place->member;
            if (!seen && found.size() < count) found.push_back(one);
        }
        // Only members of the cursor's own millisecond can have been passed over.
        if (!found.empty() || members.size() < count) co_return found;
        start += static_cast<std::int64_t>(count);
    }
}

Task<ExecutionPage> list_namespace(store::Store& store, ListRequest request) {
    FF_CO_TRY(std::optional<IndexPlace> place, place_of(request.cursor));
    const std::string key = model::namespace_executions_key(*request.ns);
    const std::size_t count = std::max(request.limit, kReadPage);
    ExecutionPage page;
    for (int reads = 0; reads < kReadsMost; ++reads) {
        FF_CO_TRY(std::vector<Scored> members, co_await newest_behind(store, key, place, count));
        const bool more = members.size() == count;
        FF_CO_TRY(const std::vector<ExecutionInfo> infos,
                  co_await load(store, members_of(members)));
        std::size_t at = 0;
        for (const Scored& one : members) {
            if (page.executions.size() == request.limit) break;
            place = IndexPlace{.score = one.score, .member = one.member};
            if (at < infos.size() && infos[at].execution_id.to_string() == one.member) {
                const ExecutionInfo& info = infos[at++];
                if (passes(info, request)) page.executions.push_back(listed(info));
            }
        }
        const bool full = page.executions.size() == request.limit;
        const bool unread = !members.empty() && place->member != members.back().member;
        if (!more && !unread) co_return page;
        if (full) break;
    }
    if (place) page.next_cursor = place->encode();
    co_return page;
}

/// A page of a set as it is scanned, in the order of its members.
struct SetPage {
    std::vector<std::string> members{};
    std::string next{};
};

Task<SetPage> scan_page(store::Store& store, std::string key, std::string from, std::size_t count) {
    const std::string count_text = std::to_string(count);
    store::Call scan = store::plain({"SSCAN", key, from, "COUNT", count_text}, true);
    FF_CO_TRY(const store::Reply reply, co_await store.call(std::move(scan)));
    const auto parts = reply.items();
    if (parts.size() != 2) co_return model::make_error("parse_error", {"SSCAN"});
    SetPage page{.next = std::string(parts[0].text().value_or("0"))};
    for (const store::Reply& item : parts[1].items()) {
        page.members.emplace_back(item.text().value_or(""));
    }
    std::ranges::sort(page.members);
    co_return page;
}

/// A scan may give more at once than was asked for. So a place is the scan's position and the last
/// member that was given out from the page found there.
Task<ExecutionPage> list_tag(store::Store& store, ListRequest request) {
    FF_CO_TRY(const std::optional<IndexPlace> begin, place_of(request.cursor));
    IndexPlace place = begin.value_or(IndexPlace{.score = "0"});
    const std::string key = model::tag_key(*request.ns, request.tag->first, request.tag->second);
    ExecutionPage page;
    for (int reads = 0; reads < kReadsMost; ++reads) {
        FF_CO_TRY(SetPage scanned, co_await scan_page(store, key, place.score, request.limit));
        std::erase_if(scanned.members, [&](const auto& one) { return one <= place.member; });
        FF_CO_TRY(const std::vector<ExecutionInfo> infos,
                  co_await load(store, std::move(scanned.members)));
        for (const ExecutionInfo& info : infos) {
            if (page.executions.size() == request.limit) {
                page.next_cursor = place.encode();
                co_return page;
            }
            place.member = info.execution_id.to_string();
            if (passes(info, request)) page.executions.push_back(listed(info));
        }
        if (scanned.next == "0") co_return page;
        place = IndexPlace{.score = scanned.next};
    }
    page.next_cursor = place.encode();
    co_return page;
}

}  // namespace

Task<ExecutionPage> Executions::list(ListRequest request) {
    store::Store& store = context_.store;
    if (request.tag && !request.ns) co_return invalid_input("tag", "needs_namespace");
    if (request.ns) {
        if (!context_.rules.secondary_indexes) co_return invalid_input("namespace", "not_indexed");
        co_await indexes_.settled();
        if (request.tag) co_return co_await list_tag(store, std::move(request));
        co_return co_await list_namespace(store, std::move(request));
    }
    const std::string lane = request.lane ? request.lane->text() : "default";
    const std::uint16_t partitions = context_.rules.partitions.num_flow_partitions();
    if (!request.partition) {
        co_return co_await list_merged(store, std::move(request), lane, partitions);
    }
    FF_CO_TRY(const model::LaneId lane_id, model::LaneId::parse(lane));
    std::string index = index_of(model::IndexKeys(*request.partition).lane(lane_id),
                                 request.state.value_or(ListState::Eligible));
    co_return co_await list_partition(store, std::move(request), std::move(index));
}

Task<IdPage> Executions::list_ids(std::uint16_t partition, std::string after, std::size_t limit) {
    const std::string key = model::IndexKeys(partition).all_executions();
    store::Call call = store::plain({"SMEMBERS", key}, true);
    FF_CO_TRY(const store::Reply reply, co_await context_.store.call(std::move(call)));
    IdPage page;
    for (const store::Reply& item : reply.items()) {
        const std::string_view id = item.text().value_or("");
        if (id > after) page.ids.emplace_back(id);
    }
    const std::size_t kept = std::min(limit, page.ids.size());
    const auto middle = page.ids.begin() + static_cast<std::ptrdiff_t>(kept);
    std::partial_sort(page.ids.begin(), middle, page.ids.end());
    if (page.ids.size() > kept) page.next_cursor = page.ids[kept - 1];
    page.ids.erase(middle, page.ids.end());
    co_return page;
}

}  // namespace ff::service
