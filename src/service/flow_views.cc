#include "service/flow_views.h"

#include <algorithm>

#include "base/numbers.h"
#include "engine/flow_retain.h"
#include "engine/operation.h"
#include "model/error_catalogue.h"
#include "model/exec_keys.h"
#include "service/hash_record.h"

namespace ff::service {
namespace {

constexpr std::string_view kOutcomes[] = {"success", "failed",  "cancelled",
                                          "expired", "skipped", "benign"};
/// How many records one pipeline reads.
constexpr std::size_t kReadAtOnce = 256;
constexpr char kCursorSeparator = '|';

/// Of sorted ids, those behind the cursor.
std::vector<std::string> after(std::vector<std::string> ids, const std::string& cursor) {
    ids.erase(ids.begin(), std::ranges::upper_bound(ids, cursor));
    return ids;
}

/// The fields of a flow's core that are ours: with a prefix, or bare as earlier versions wrote
/// them.
class FlowCore {
  public:
    explicit FlowCore(HashRecord& core) : core_(core) {}

    std::string text(std::string_view field) const { return core_.text(stored(field)); }
    std::int64_t number(std::string_view field) { return core_.number(stored(field)); }
    std::optional<Timestamp> time(std::string_view field) { return core_.time(stored(field)); }

  private:
    std::string stored(std::string_view field) const {
        std::string own = model::flow_core_field(field);
        return core_.text(own).empty() ? std::string(field) : own;
    }
    HashRecord& core_;
};

Result<FlowMember> read_member(const std::string& id, const store::Reply& core_reply,
                               const store::Reply& member_reply) {
    HashRecord core("exec_core", core_reply);
    const HashRecord member("flow_member", member_reply);
    FlowMember read{.execution_id = id,
                    .name = member.text("name"),
                    .via = member.text("via"),
                    .exists = !core.empty(),
                    .public_state = core.text("public_state"),
                    .lane_id = core.text("lane_id"),
                    .execution_kind = core.text("execution_kind"),
                    .skip_reason = core.text("skip_reason"),
                    .cancellation_reason = core.text("cancellation_reason"),
                    .priority = core.number("priority"),
                    .created_at = core.time("created_at"),
                    .completed_at = core.time("completed_at")};
    FF_CHECK(core.finish());
    return read;
}

Result<FlowEdge> read_edge(const store::Reply& reply) {
    HashRecord edge("edge", reply);
    FlowEdge read{.edge_id = edge.text("edge_id"),
                  .upstream = edge.text("upstream_execution_id"),
                  .downstream = edge.text("downstream_execution_id"),
                  .dependency_kind = edge.text("dependency_kind"),
                  .data_passing_ref = edge.text("data_passing_ref"),
                  .edge_state = edge.text("edge_state"),
                  .applied_at = edge.time("applied_at"),
                  .resolved_at = edge.time("resolved_at")};
    FF_CHECK(edge.finish());
    return read;
}

/// Nothing where the field is absent or empty.
std::optional<Timestamp> time_at(const store::Reply& reply, std::size_t index) {
    if (index >= reply.items().size()) return std::nullopt;
    const auto ms = parse_i64(reply.items()[index].text().value_or(""));
    return ms ? std::optional(timestamp_from_ms(*ms)) : std::nullopt;
}

Result<FlowGroup> read_group(const std::string& downstream, const store::Reply& reply) {
    HashRecord group("edgegroup", reply);
    FlowGroup read{.downstream = downstream,
                   .policy = group.text("policy_variant"),
                   .on_satisfied = group.text("on_satisfied"),
                   .state = group.text("group_state"),
                   .k = group.number("k"),
                   .n = group.number("n"),
                   .succeeded = group.number("succeeded"),
                   .failed = group.number("failed"),
                   .skipped = group.number("skipped")};
    FF_CHECK(group.finish());
    return read;
}

Result<FlowSummary> read_summary(const store::Reply& reply) {
    constexpr std::string_view kPrefix = "members_";
    HashRecord record("flow_summary", reply);
    FlowSummary summary{.public_flow_state = record.text("public_flow_state"),
                        .exact = record.text("exact") == "1",
                        .updated_at = record.time("last_summary_update_at")};
    summary.counts["total_members"] = record.number("total_members");
    const auto items = reply.items();
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
        const std::string name(items[i].text().value_or(""));
        if (name.starts_with(kPrefix)) summary.counts[name] = record.number(name);
    }
    FF_CHECK(record.finish());
    return summary;
}

}  // namespace

Result<FlowRecord> read_flow_record(const model::FlowId& id, const store::Reply& reply) {
    HashRecord core("flow_core", reply);
    FlowCore ours(core);
    if (core.empty()) return model::make_error("flow_not_found", {id.to_string()});
    FlowRecord flow{.id = id,
                    .flow_kind = core.text("flow_kind"),
                    .ns = core.text("namespace"),
                    .created_by = ours.text("created_by"),
                    .public_flow_state = core.text("public_flow_state"),
                    .graph_revision = core.number("graph_revision"),
                    .node_count = core.number("node_count"),
                    .edge_count = core.number("edge_count"),
                    .sealed = ours.text("sealed") == "1",
                    .failure_policy = ours.text("failure_policy"),
                    .outcome_policy = ours.text("outcome_policy"),
                    .created_at = core.time("created_at"),
                    .last_mutation_at = core.time("last_mutation_at"),
                    .finished_at = ours.time("finished_at"),
                    .cancelled_at = core.time("cancelled_at"),
                    .cancel_reason = core.text("cancel_reason"),
                    .cancellation_policy = core.text("cancellation_policy"),
                    .cancel_completed_at = ours.time("cancel_completed_at"),
                    .reopen_count = ours.number("reopen_count")};
    for (const std::string_view outcome : kOutcomes) {
        flow.ended[std::string(outcome)] = ours.number("term_" + std::string(outcome));
    }
    FF_CHECK(core.finish());
    return flow;
}

Task<FlowRecord> FlowViews::flow(model::FlowId id) {
    const std::string core = keys(id).core();
    const std::string tags = keys(id).tags();
    std::vector<store::Call> reads;
    reads.push_back(store::plain({"HGETALL", core}, true));
    reads.push_back(store::plain({"HGETALL", tags}, true));
    const auto replies = co_await context_.store.pipeline(std::move(reads));
    for (const auto& reply : replies) {
        if (!reply) co_return reply.error();
    }
    FF_CO_TRY(FlowRecord record, read_flow_record(id, *replies[0]));
    const auto items = replies[1]->items();
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
        record.tags.emplace_back(items[i].text().value_or(""), items[i + 1].text().value_or(""));
    }
    std::ranges::sort(record.tags);
    co_return record;
}

Task<FlowSummary> FlowViews::summary(model::FlowId id) {
    FF_CO_TRY(const FlowRecord record, co_await flow(id));
    const std::string key = keys(id).summary();
    store::Call read = store::plain({"HGETALL", key}, true);
    FF_CO_TRY(const store::Reply stored, co_await context_.store.call(std::move(read)));
    FF_CO_TRY(const FlowSummary known, read_summary(stored));
    const bool is_fresh =
        known.updated_at && context_.clock.now() < *known.updated_at + kSummaryFresh;
    const bool is_large = record.node_count > kProjectedAtOnceMax && known.updated_at;
    if (is_fresh || is_large) co_return known;
    engine::ProjectFlowSummary project{.flow = {.id = id, .partitions = context_.rules.partitions}};
    FF_CO_TRY(const auto projected, co_await engine::run(context_.store, std::move(project)));
    store::Call again = store::plain({"HGETALL", key}, true);
    FF_CO_TRY(const store::Reply renewed, co_await context_.store.call(std::move(again)));
    co_return read_summary(renewed);
}

Task<std::vector<std::string>> FlowViews::sorted_members(model::FlowId id) {
    const std::string core = keys(id).core();
    const std::string members = keys(id).members();
    std::vector<store::Call> reads;
    reads.push_back(store::plain({"EXISTS", core}, true));
    reads.push_back(store::plain({"SMEMBERS", members}, true));
    const auto replies = co_await context_.store.pipeline(std::move(reads));
    for (const auto& reply : replies) {
        if (!reply) co_return reply.error();
    }
    if (replies[0]->to_integer() != 1) {
        co_return model::make_error("flow_not_found", {id.to_string()});
    }
    std::vector<std::string> ids = texts_of(*replies[1]);
    std::ranges::sort(ids);
    co_return ids;
}

Task<std::vector<FlowMember>> FlowViews::read_members(model::FlowId id,
                                                      std::vector<std::string> ids) {
    std::vector<FlowMember> members;
    for (std::size_t from = 0; from < ids.size(); from += kReadAtOnce) {
        const std::size_t to = std::min(from + kReadAtOnce, ids.size());
        std::vector<store::Call> reads;
        for (std::size_t i = from; i < to; ++i) {
            FF_CO_TRY(const model::ExecutionId member, model::ExecutionId::parse(ids[i]));
            const std::string core = model::ExecKeys(member).core();
            const std::string record = keys(id).member(member);
            reads.push_back(store::plain({"HGETALL", core}, true));
            reads.push_back(store::plain({"HGETALL", record}, true));
        }
        const auto replies = co_await context_.store.pipeline(std::move(reads));
        for (std::size_t i = 0; i + 1 < replies.size(); i += 2) {
            if (!replies[i]) co_return replies[i].error();
            if (!replies[i + 1]) co_return replies[i + 1].error();
            FF_CO_TRY(FlowMember member,
                      read_member(ids[from + (i / 2)], *replies[i], *replies[i + 1]));
            members.push_back(std::move(member));
        }
    }
    co_return members;
}

Task<MemberPage> FlowViews::members(model::FlowId id, PageRequest page) {
    FF_CO_TRY(std::vector<std::string> all, co_await sorted_members(id));
    std::vector<std::string> ids = after(std::move(all), page.cursor);
    MemberPage answer;
    if (ids.size() > page.limit) {
        ids.resize(page.limit);
        answer.next_cursor = ids.back();
    }
    FF_CO_TRY(answer.members, co_await read_members(id, std::move(ids)));
    co_return answer;
}

Task<std::vector<std::vector<std::string>>> FlowViews::inbound(model::FlowId id,
                                                               std::vector<std::string> ids) {
    std::vector<store::Call> reads;
    for (const std::string& text : ids) {
        FF_CO_TRY(const model::ExecutionId member, model::ExecutionId::parse(text));
        const std::string in = keys(id).in(member);
        reads.push_back(store::plain({"SMEMBERS", in}, true));
    }
    const auto replies = co_await context_.store.pipeline(std::move(reads));
    std::vector<std::vector<std::string>> edges;
    for (const auto& reply : replies) {
        if (!reply) co_return reply.error();
        edges.push_back(texts_of(*reply));
        std::ranges::sort(edges.back());
    }
    co_return edges;
}

Task<std::vector<FlowEdge>> FlowViews::read_edges(model::FlowId id,
                                                  std::vector<std::string> edge_ids) {
    std::vector<FlowEdge> edges;
    for (std::size_t from = 0; from < edge_ids.size(); from += kReadAtOnce) {
        const std::size_t to = std::min(from + kReadAtOnce, edge_ids.size());
        std::vector<store::Call> reads;
        for (std::size_t i = from; i < to; ++i) {
            FF_CO_TRY(const model::EdgeId edge, model::EdgeId::parse(edge_ids[i]));
            const std::string key = keys(id).edge(edge);
            reads.push_back(store::plain({"HGETALL", key}, true));
        }
        const auto replies = co_await context_.store.pipeline(std::move(reads));
        for (const auto& reply : replies) {
            if (!reply) co_return reply.error();
            FF_CO_TRY(FlowEdge edge, read_edge(*reply));
            edges.push_back(std::move(edge));
        }
    }
    FF_CO_CHECK(co_await read_edge_times(edges));
    co_return edges;
}

/// When an edge was applied and resolved stands in the child's record of it.
Task<Done> FlowViews::read_edge_times(std::vector<FlowEdge>& edges) {
    for (std::size_t from = 0; from < edges.size(); from += kReadAtOnce) {
        const std::size_t to = std::min(from + kReadAtOnce, edges.size());
        std::vector<store::Call> reads;
        for (std::size_t i = from; i < to; ++i) {
            const auto child = model::ExecutionId::parse(edges[i].downstream);
            const auto edge = model::EdgeId::parse(edges[i].edge_id);
            if (!child || !edge) co_return model::make_error("parse_error", {"edge"});
            const std::string key = model::ExecKeys(*child).dep(*edge);
            reads.push_back(store::plain({"HMGET", key, "applied_at", "last_resolved_at"}, true));
        }
        const auto replies = co_await context_.store.pipeline(std::move(reads));
        for (std::size_t i = from; i < to; ++i) {
            const auto& reply = replies[i - from];
            if (!reply) co_return reply.error();
            if (const auto at = time_at(*reply, 0)) edges[i].applied_at = at;
            if (const auto at = time_at(*reply, 1)) edges[i].resolved_at = at;
        }
    }
    co_return Done{};
}

Task<std::vector<FlowGroup>> FlowViews::read_groups(model::FlowId id,
                                                    std::vector<std::string> ids) {
    std::vector<store::Call> reads;
    for (const std::string& text : ids) {
        FF_CO_TRY(const model::ExecutionId member, model::ExecutionId::parse(text));
        const std::string key = keys(id).edge_group(member);
        reads.push_back(store::plain({"HGETALL", key}, true));
    }
    const auto replies = co_await context_.store.pipeline(std::move(reads));
    std::vector<FlowGroup> groups;
    for (std::size_t i = 0; i < replies.size(); ++i) {
        if (!replies[i]) co_return replies[i].error();
        if (replies[i]->items().empty()) continue;
        FF_CO_TRY(FlowGroup group, read_group(ids[i], *replies[i]));
        groups.push_back(std::move(group));
    }
    co_return groups;
}

Task<EdgePage> FlowViews::edges(model::FlowId id, PageRequest page) {
    const std::size_t bar = page.cursor.find(kCursorSeparator);
    if (!page.cursor.empty() && bar == std::string::npos) {
        co_return model::make_error("invalid_cursor", {page.cursor});
    }
    const std::string last_member = page.cursor.substr(0, bar);
    const std::string last_edge = page.cursor.empty() ? "" : page.cursor.substr(bar + 1);
    FF_CO_TRY(std::vector<std::string> ids, co_await sorted_members(id));
    ids.erase(ids.begin(), std::ranges::lower_bound(ids, last_member));
    EdgePage answer;
    std::vector<std::string> edge_ids;
    for (std::size_t from = 0; from < ids.size() && answer.next_cursor.empty();
         from += kReadAtOnce) {
        const std::size_t to = std::min(from + kReadAtOnce, ids.size());
        std::vector<std::string> some(ids.begin() + static_cast<std::ptrdiff_t>(from),
                                      ids.begin() + static_cast<std::ptrdiff_t>(to));
        FF_CO_TRY(const auto inbound_edges, co_await inbound(id, std::move(some)));
        for (std::size_t i = 0; i < inbound_edges.size() && answer.next_cursor.empty(); ++i) {
            for (const std::string& edge : inbound_edges[i]) {
                if (ids[from + i] == last_member && edge <= last_edge) continue;
                if (edge_ids.size() == page.limit) {
                    answer.next_cursor = "more";
                    break;
                }
                edge_ids.push_back(edge);
            }
        }
    }
    FF_CO_TRY(answer.edges, co_await read_edges(id, std::move(edge_ids)));
    if (!answer.next_cursor.empty()) {
        const FlowEdge& last = answer.edges.back();
        answer.next_cursor = last.downstream + kCursorSeparator + last.edge_id;
    }
    co_return answer;
}

Task<GraphPage> FlowViews::graph(model::FlowId id, PageRequest page) {
    FF_CO_TRY(FlowRecord record, co_await flow(id));
    FF_CO_TRY(std::vector<std::string> all, co_await sorted_members(id));
    std::vector<std::string> ids = after(std::move(all), page.cursor);
    GraphPage answer{.flow = std::move(record)};
    const bool is_cut = ids.size() > page.limit;
    if (is_cut) ids.resize(page.limit);
    FF_CO_TRY(const auto inbound_edges, co_await inbound(id, ids));
    std::vector<std::string> edge_ids;
    std::size_t taken = 0;
    while (taken < ids.size() && edge_ids.size() < kPageEdgesMax) {
        edge_ids.insert(edge_ids.end(), inbound_edges[taken].begin(), inbound_edges[taken].end());
        ++taken;
    }
    if (is_cut || taken < ids.size()) answer.next_cursor = ids[taken - 1];
    ids.resize(taken);
    FF_CO_TRY(answer.edges, co_await read_edges(id, std::move(edge_ids)));
    FF_CO_TRY(answer.groups, co_await read_groups(id, ids));
    FF_CO_TRY(answer.nodes, co_await read_members(id, std::move(ids)));
    co_return answer;
}

}  // namespace ff::service
