// Listings read indexes, which are hints: members that do not parse or whose record is gone are
// passed over. A cursor names the last member read, so a page may hold fewer than asked for and
// still have another behind it.
#include <algorithm>
#include <iterator>
#include <tuple>

#include "base/log.h"
#include "model/error_catalogue.h"
#include "model/exec_keys.h"
#include "model/global_keys.h"
#include "service/execution_life.h"
#include "service/executions.h"
#include "service/merged_index.h"

namespace ff::service {
namespace {

/// Pages read to fill one answer when a filter lets few pass.
constexpr int kReadsMost = 20;
constexpr std::size_t kReadPage = 256;
/// Members of a tag that are sorted for one page of them.
constexpr std::int64_t kSortedMost = 20'000;
/// Stands for the position of a scan in cursors of listings in the order of the ids.
constexpr std::string_view kInOrder = "-1";

ListedExecution listed(const ExecutionInfo& info) {
    return {.execution_id = info.execution_id.to_string(),
            .ns = info.ns,
            .lane_id = info.lane_id,
            .execution_kind = info.execution_kind,
            .public_state = info.state.public_state,
            .priority = info.priority,
            .created_at = info.created_at,
            .ended_at = info.state.lifecycle_phase == model::LifecyclePhase::Terminal
                            ? info.completed_at
                            : std::nullopt,
            .own_retention = info.own_retention};
}

bool passes(const ExecutionInfo& info, const ListRequest& request) {
    if (request.ns && info.ns != request.ns->text()) return false;
    if (request.lane && info.lane_id != request.lane->text()) return false;
    if (request.partition && info.execution_id.partition_index() != *request.partition) {
        return false;
    }
    if (request.public_state && info.state.public_state != *request.public_state) return false;
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

/// What stands in one lane index of one partition, from an offset on.
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

Task<ExecutionPage> list_merged(store::Store& store, ListRequest request, std::string lane,
                                std::vector<std::uint16_t> partitions) {
    FF_CO_TRY(std::optional<IndexPlace> place, place_of(request.cursor));
    FF_CO_TRY(const model::LaneId lane_id, model::LaneId::parse(lane));
    const ListState state = request.state.value_or(ListState::Eligible);
    MergedIndex listing(store, [lane_id, state](std::uint16_t partition) {
        return index_of(model::IndexKeys(partition).lane(lane_id), state);
    });
    FF_CO_TRY(const std::vector<Scored> members,
              co_await listing.next(std::move(place), std::move(partitions), request.limit));
    FF_CO_TRY(const std::vector<ExecutionInfo> infos, co_await load(store, members_of(members)));
    ExecutionPage page;
    for (const ExecutionInfo& info : infos) page.executions.push_back(listed(info));
    if (members.size() == request.limit) {
        const Scored& last = members.back();
        page.next_cursor = IndexPlace{.score = last.score, .member = last.member}.encode();
    }
    co_return page;
}

/// Members of a namespace, newest first, and whether older ones follow.
struct NewestMembers {
    std::vector<Scored> members{};
    bool more = false;
};

/// Whether a listing that goes from newest to oldest meets `one` after `place`.
bool follows(const Scored& one, const IndexPlace& place) {
    const double value = value_of(place.score);
    return one.value != value ? one.value < value : one.member < place.member;
}

/// At most `count` members behind a place. A page is read by rank together with the member before
/// it: if that one follows the place already, removals have moved the ranks since they were asked
/// for, and the read goes back.
Task<NewestMembers> newest_behind(store::Store& store, std::string key,
                                  std::optional<IndexPlace> place, std::size_t count) {
    std::size_t from = 0;
    if (place) {
        store::Call above = store::plain({"ZCOUNT", key, "(" + place->score, "+inf"}, true);
        FF_CO_TRY(const store::Reply newer, co_await store.call(std::move(above)));
        const auto rank = static_cast<std::size_t>(newer.to_integer().value_or(0));
        from = rank == 0 ? 0 : rank - 1;
    }
    for (;;) {
        const std::string first = std::to_string(from);
        const std::string last = std::to_string(from + count);
        store::Call read = store::plain({"ZREVRANGE", key, first, last, "WITHSCORES"}, true);
        FF_CO_TRY(const store::Reply reply, co_await store.call(std::move(read)));
        const std::vector<Scored> members = read_scored(reply);
        if (from > 0 && (members.empty() || follows(members.front(), *place))) {
            from = from > count ? from - count : 0;
            continue;
        }
        NewestMembers found{.more = members.size() > count};
        for (const Scored& one : members) {
            if (place && !follows(one, *place)) continue;
            if (found.members.size() < count) found.members.push_back(one);
        }
        // Nothing found in a full page: the whole page is of the cursor's own millisecond.
        if (!found.members.empty() || !found.more) co_return found;
        from += count;
    }
}

/// The newest of several namespaces as if they were one.
Task<NewestMembers> newest_of_all(store::Store& store, std::vector<std::string> keys,
                                  std::optional<IndexPlace> place, std::size_t count) {
    NewestMembers all;
    for (std::string& key : keys) {
        FF_CO_TRY(NewestMembers found, co_await newest_behind(store, std::move(key), place, count));
        std::ranges::move(found.members, std::back_inserter(all.members));
        all.more = all.more || found.more;
    }
    if (keys.size() > 1) {
        std::ranges::sort(all.members, [](const Scored& one, const Scored& other) {
            return std::tie(one.value, one.member) > std::tie(other.value, other.member);
        });
    }
    if (all.members.size() > count) {
        all.members.resize(count);
        all.more = true;
    }
    co_return all;
}

/// The indexes that a listing by time reads.
Task<std::vector<std::string>> namespace_indexes(store::Store& store, ListRequest request) {
    std::vector<std::string> keys;
    if (request.ns) {
        keys.push_back(model::namespace_executions_key(*request.ns));
        co_return keys;
    }
    store::Call call = store::plain({"SMEMBERS", model::kNamespacesKey}, true);
    FF_CO_TRY(const store::Reply reply, co_await store.call(std::move(call)));
    for (const store::Reply& item : reply.items()) {
        const auto ns = model::Namespace::parse(item.text().value_or(""));
        if (ns) keys.push_back(model::namespace_executions_key(*ns));
    }
    co_return keys;
}

/// Takes records from sorted index members into a page until it is full. A place is moved to the
/// last member that was looked at.
Task<Done> take_matching(store::Store& store, const ListRequest& request,
                         const std::vector<Scored>& members, std::optional<IndexPlace>& place,
                         ExecutionPage& page) {
    const bool filtered =
        request.state || request.public_state || request.lane || request.partition;
    std::size_t from = 0;
    while (from < members.size() && page.executions.size() < request.limit) {
        const std::size_t missing = request.limit - page.executions.size();
        const std::size_t piece = filtered ? std::max(missing, kReadPage) : missing;
        const std::size_t to = std::min(from + piece, members.size());
        std::vector<std::string> ids;
        for (std::size_t i = from; i < to; ++i) ids.push_back(members[i].member);
        FF_CO_TRY(const std::vector<ExecutionInfo> infos, co_await load(store, std::move(ids)));
        std::size_t at = 0;
        for (; from < to && page.executions.size() < request.limit; ++from) {
            const Scored& one = members[from];
            place = IndexPlace{.score = one.score, .member = one.member};
            if (at == infos.size() || infos[at].execution_id.to_string() != one.member) continue;
            const ExecutionInfo& info = infos[at++];
            if (passes(info, request)) page.executions.push_back(listed(info));
        }
    }
    co_return Done{};
}

Task<ExecutionPage> list_newest(store::Store& store, ListRequest request) {
    FF_CO_TRY(std::optional<IndexPlace> place, place_of(request.cursor));
    FF_CO_TRY(const std::vector<std::string> keys, co_await namespace_indexes(store, request));
    const std::size_t count = std::max(request.limit, kReadPage);
    ExecutionPage page;
    for (int reads = 0; reads < kReadsMost; ++reads) {
        FF_CO_TRY(const NewestMembers found, co_await newest_of_all(store, keys, place, count));
        FF_CO_CHECK(co_await take_matching(store, request, found.members, place, page));
        const bool unread = !found.members.empty() && place->member != found.members.back().member;
        if (!found.more && !unread) co_return page;
        if (page.executions.size() == request.limit) break;
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
Task<ExecutionPage> scan_tag(store::Store& store, ListRequest request, std::string key,
                             IndexPlace place) {
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

/// In the order of the ids, which no growth of the set disturbs.
Task<ExecutionPage> list_sorted_tag(store::Store& store, ListRequest request, std::string key,
                                    std::string after) {
    store::Call call = store::plain({"SMEMBERS", key}, true);
    FF_CO_TRY(const store::Reply reply, co_await store.call(std::move(call)));
    std::vector<Scored> members;
    for (const store::Reply& item : reply.items()) {
        std::string member(item.text().value_or(""));
        if (member <= after) continue;
        members.push_back({.member = std::move(member), .score = std::string(kInOrder)});
    }
    std::ranges::sort(members, {}, &Scored::member);
    const std::size_t most = std::max(request.limit, kReadPage) * kReadsMost;
    const bool cut = members.size() > most;
    if (cut) members.resize(most);
    ExecutionPage page;
    std::optional<IndexPlace> place;
    FF_CO_CHECK(co_await take_matching(store, request, members, place, page));
    if (place && (cut || place->member != members.back().member)) {
        page.next_cursor = place->encode();
    }
    co_return page;
}

/// A set that grows while it is scanned can show a member twice, at the latest when the store
/// changes its representation. So what fits into one answer is sorted; a cursor tells which way
/// its listing began.
Task<ExecutionPage> list_tag(store::Store& store, ListRequest request) {
    FF_CO_TRY(const std::optional<IndexPlace> begin, place_of(request.cursor));
    std::string key = model::tag_key(*request.ns, request.tag->first, request.tag->second);
    bool sorted = begin && begin->score == kInOrder;
    if (!begin) {
        store::Call count = store::plain({"SCARD", key}, true);
        FF_CO_TRY(const store::Reply size, co_await store.call(std::move(count)));
        sorted = size.to_integer().value_or(0) <= kSortedMost;
    }
    if (sorted) {
        std::string after = begin ? begin->member : std::string();
        co_return co_await list_sorted_tag(store, std::move(request), std::move(key),
                                           std::move(after));
    }
    const IndexPlace from = begin.value_or(IndexPlace{.score = "0"});
    co_return co_await scan_tag(store, std::move(request), std::move(key), from);
}

}  // namespace

Task<ExecutionPage> Executions::list(ListRequest request) {
    FF_CO_TRY(ExecutionPage page, co_await list_page(std::move(request)));
    FF_CO_CHECK(co_await tell_lives(page.executions));
    co_return page;
}

/// A record says only what an execution's own policy says of its retention; of the others the
/// policy is read.
Task<Done> Executions::tell_lives(std::vector<ListedExecution>& listed) {
    std::vector<store::Call> reads;
    for (const ListedExecution& one : listed) {
        if (one.own_retention) continue;
        FF_CO_TRY(const model::ExecutionId id, model::ExecutionId::parse(one.execution_id));
        reads.push_back(store::plain({"GET", model::ExecKeys(id).policy()}, true));
    }
    std::vector<Result<store::Reply>> policies;
    if (!reads.empty()) policies = co_await context_.store.pipeline(std::move(reads));
    std::size_t next = 0;
    for (ListedExecution& one : listed) {
        if (one.own_retention) {
            one.life.retention = *one.own_retention;
        } else {
            FF_CO_TRY(const store::Reply policy, std::move(policies[next++]));
            one.life.retention = retention_of(std::string(policy.text().value_or("")),
                                              context_.rules.retention_default);
        }
        if (one.ended_at) one.life.expires_at = *one.ended_at + one.life.retention;
    }
    co_return Done{};
}

Task<ExecutionPage> Executions::list_page(ListRequest request) {
    store::Store& store = context_.store;
    if (request.tag && !request.ns) co_return invalid_input("tag", "needs_namespace");
    if (request.ns || request.every_namespace) {
        if (!context_.rules.secondary_indexes) co_return invalid_input("namespace", "not_indexed");
        co_await indexes_.settled();
        if (request.tag) co_return co_await list_tag(store, std::move(request));
        co_return co_await list_newest(store, std::move(request));
    }
    const std::string lane = request.lane ? request.lane->text() : "default";
    if (!request.partition || request.offset == 0) {
        std::vector<std::uint16_t> partitions;
        const std::uint16_t count = context_.rules.partitions.num_flow_partitions();
        for (std::uint32_t p = 0; p < count; ++p) {
            const auto partition = static_cast<std::uint16_t>(p);
            if (request.partition.value_or(partition) == partition) partitions.push_back(partition);
        }
        co_return co_await list_merged(store, std::move(request), lane, std::move(partitions));
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
