#include <utility>

#include "api/execution_fields.h"
#include "api/execution_route_parts.h"
#include "api/json_response.h"
#include "api/parse_path.h"
#include "api/stream_json.h"

namespace ff::api {
namespace {

using Kind = FieldDoc::Kind;
using service::Executions;

constexpr std::int64_t kLimitDefault = 50;

/// Above the most is clamped.
Result<std::size_t> parse_limit(const Call& call) {
    FF_TRY(const auto limit, call.query_integer("limit", 1, kSafeIntegerMax));
    const std::int64_t most = Executions::kPageMost;
    return static_cast<std::size_t>(std::min(limit.value_or(kLimitDefault), most));
}

Result<std::optional<std::uint16_t>> parse_partition(const Call& call,
                                                     const model::PartitionConfig& partitions) {
    FF_TRY(const auto given, call.query_integer("partition", 0, 65535));
    if (!given) return std::optional<std::uint16_t>();
    if (*given >= partitions.num_flow_partitions()) {
        return invalid_input("partition", "out_of_range");
    }
    return std::optional(static_cast<std::uint16_t>(*given));
}

template <class Id>
Result<std::optional<Id>> query_id(const Call& call, std::string_view name) {
    const auto given = call.query(name);
    if (!given) return std::optional<Id>();
    auto parsed = Id::parse(*given);
    if (!parsed) return within_field(std::move(parsed).error(), std::string(name));
    return std::optional<Id>(*std::move(parsed));
}

/// By an index of a lane, or by the word that replies show as `public_state`. `delayed`,
/// `suspended` and `active` are both and mean the same.
Result<Done> parse_state_filter(const Call& call, service::ListRequest& request) {
    const auto state = call.query("state");
    if (!state) return Done{};
    request.state = service::parse_list_state(*state);
    if (request.state) return Done{};
    request.public_state = model::parse_state<model::PublicState>(*state);
    if (!request.public_state) return invalid_input("state", "unknown");
    // No index of a lane holds just these.
    request.every_namespace = !request.ns;
    return Done{};
}

Result<service::ListRequest> parse_list(const Call& call,
                                        const model::PartitionConfig& partitions) {
    service::ListRequest request;
    FF_TRY(request.partition, parse_partition(call, partitions));
    FF_TRY(request.lane, query_id<model::LaneId>(call, "lane"));
    FF_TRY(request.ns, query_id<model::Namespace>(call, "namespace"));
    if (const auto order = call.query("order")) {
        if (*order != "newest") return invalid_input("order", "unknown");
        request.every_namespace = !request.ns;
    }
    FF_TRY(request.limit, parse_limit(call));
    FF_TRY(const auto offset, call.query_integer("offset", 0, 1'000'000'000));
    request.offset = static_cast<std::size_t>(offset.value_or(0));
    if (request.offset > 0 && (!request.partition || request.ns))
        return invalid_input("offset", "needs_partition");
    request.cursor = call.query("cursor").value_or("");
    FF_CHECK(parse_state_filter(call, request));
    if (const auto tag = call.query("tag")) {
        const std::size_t colon = tag->find(':');
        if (colon == std::string::npos || colon == 0) return invalid_input("tag", "no_colon");
        request.tag = {tag->substr(0, colon), tag->substr(colon + 1)};
    }
    return request;
}

void write_cursor(json::Writer& out, const std::string& cursor) {
    if (cursor.empty()) {
        out.key("next_cursor").null();
    } else {
        out.key("next_cursor").string(cursor);
    }
}

void write_listed(json::Writer& out, const service::ListedExecution& one) {
    out.begin_object();
    out.key("execution_id").string(one.execution_id);
    out.key("namespace").string(one.ns);
    out.key("lane_id").string(one.lane_id);
    out.key("execution_kind").string(one.execution_kind);
    out.key("public_state").string(model::to_string(one.public_state));
    out.key("priority").integer(one.priority);
    out.key("created_at").integer(to_ms(one.created_at));
    write_life(out, one.life);
    out.end_object();
}

Task<http::Response> list_ids(Executions& executions, model::PartitionConfig partitions,
                              Call& call) {
    FF_CO_TRY(const auto partition, parse_partition(call, partitions));
    if (!partition) co_return invalid_input("partition", "missing");
    FF_CO_TRY(const std::size_t limit, parse_limit(call));
    std::string cursor = call.query("cursor").value_or("");
    FF_CO_TRY(const service::IdPage page,
              co_await executions.list_ids(*partition, std::move(cursor), limit));
    co_return json_response(200, [&page](json::Writer& out) {
        out.key("executions").begin_array();
        for (const std::string& id : page.ids) out.string(id);
        out.end_array();
        write_cursor(out, page.next_cursor);
    });
}

Task<http::Response> list(Executions& executions, model::PartitionConfig partitions, Call& call) {
    const auto view = call.query("view");
    if (view && *view == "ids") co_return co_await list_ids(executions, partitions, call);
    if (view) co_return invalid_input("view", "unknown");
    FF_CO_TRY(service::ListRequest request, parse_list(call, partitions));
    FF_CO_TRY(const service::ExecutionPage page, co_await executions.list(std::move(request)));
    co_return json_response(200, [&page](json::Writer& out) {
        out.key("executions").begin_array();
        for (const service::ListedExecution& one : page.executions) write_listed(out, one);
        out.end_array();
        out.key("total_returned").unsigned_integer(page.executions.size());
        write_cursor(out, page.next_cursor);
    });
}

void write_worker(json::Writer& out, const service::Explanation::Worker& worker) {
    out.begin_object();
    out.key("worker_id").string(worker.worker_id);
    out.key("worker_instance_id").string(worker.instance_id);
    out.key("serves_lane").boolean(worker.serves_lane);
    out.key("missing_capabilities").begin_array();
    for (const std::string& token : worker.missing_capabilities) out.string(token);
    out.end_array();
    out.end_object();
}

void write_explanation(json::Writer& out, const service::Explanation& explanation) {
    out.key("summary").string(explanation.summary);
    write_info(out, explanation.info);
    out.key("blocking_ref").string(explanation.info.blocking_ref);
    out.key("lane_state").string(explanation.lane_state);
    if (!explanation.info.current_worker_instance_id.empty()) {
        out.key("worker_instance_id").string(explanation.info.current_worker_instance_id);
    }
    if (explanation.info.lease_expires_at) {
        out.key("lease_expires_at").integer(to_ms(*explanation.info.lease_expires_at));
    }
    out.key("workers").begin_array();
    for (const auto& worker : explanation.workers) write_worker(out, worker);
    out.end_array();
    out.key("policies").begin_array();
    for (const auto& policy : explanation.policies) {
        out.begin_object();
        out.key("ref").string(policy.ref);
        out.key("exhausted").boolean(policy.exhausted);
        out.key("detail").string(policy.detail);
        out.end_object();
    }
    out.end_array();
}

Task<http::Response> explain(Executions& executions, model::PartitionConfig partitions,
                             Call& call) {
    FF_CO_TRY(const model::ExecutionId id, parse_path_execution(call, partitions));
    FF_CO_TRY(const service::Explanation explanation, co_await executions.explain(id));
    co_return json_response(
        200, [&explanation](json::Writer& out) { write_explanation(out, explanation); });
}

http::Response records_reply(std::string_view name, const service::RecordPage& page) {
    return json_response(200, [&](json::Writer& out) {
        out.key(name).begin_array();
        for (const service::Record& record : page.records) {
            out.begin_object();
            write_fields(out, record);
            out.end_object();
        }
        out.end_array();
        write_cursor(out, page.next_cursor);
    });
}

Task<http::Response> attempts(Executions& executions, model::PartitionConfig partitions,
                              Call& call) {
    FF_CO_TRY(const model::ExecutionId id, parse_path_execution(call, partitions));
    FF_CO_TRY(const std::size_t limit, parse_limit(call));
    std::string cursor = call.query("cursor").value_or("");
    FF_CO_TRY(const service::RecordPage page,
              co_await executions.attempts(id, std::move(cursor), limit));
    co_return records_reply("attempts", page);
}

Task<http::Response> lease_history(Executions& executions, model::PartitionConfig partitions,
                                   Call& call) {
    FF_CO_TRY(const model::ExecutionId id, parse_path_execution(call, partitions));
    FF_CO_TRY(const std::size_t limit, parse_limit(call));
    std::string cursor = call.query("cursor").value_or("");
    FF_CO_TRY(const service::RecordPage page,
              co_await executions.lease_history(id, std::move(cursor), limit));
    co_return records_reply("events", page);
}

std::vector<FieldDoc> paging() {
    return {{.name = "limit", .kind = Kind::Integer, .about = "50; at most 1000"},
            {.name = "cursor", .about = "next_cursor of the page before"}};
}

std::vector<FieldDoc> list_query() {
    std::vector<FieldDoc> query = paging();
    query.push_back({.name = "partition", .kind = Kind::Integer, .about = "Absent: all"});
    query.push_back({.name = "lane", .about = "default"});
    query.push_back({.name = "state",
                     .about = "eligible, delayed, terminal, suspended, active, blocked_*, or a "
                              "public state such as failed",
                     .example = "\"active\""});
    query.push_back({.name = "offset", .kind = Kind::Integer, .about = "With partition"});
    query.push_back({.name = "namespace", .about = "Newest first"});
    query.push_back(
        {.name = "order", .type = "=newest", .about = "Without a namespace those of all"});
    query.push_back({.name = "tag", .about = "name:value; needs a namespace"});
    query.push_back({.name = "view", .type = "=ids", .about = "All ids of a partition, in order"});
    return query;
}

}  // namespace

void add_execution_list_routes(Routes& routes, Executions& executions,
                               model::PartitionConfig partitions) {
    routes.add({.method = "GET",
                .pattern = "/v1/executions",
                .doc = {.id = "listExecutions",
                        .summary = "List executions",
                        .query = list_query(),
                        .answer_type = "ExecutionPage",
                        .errors = {"invalid_cursor"}},
                .handle = [&executions, partitions](Call& call) {
                    return list(executions, partitions, call);
                }});
    routes.add({.method = "GET",
                .pattern = "/v1/executions/{id}/explain",
                .doc = {.id = "explainExecution",
                        .summary = "Why an execution is not running",
                        .answer_type = "Explanation",
                        .errors = {"execution_not_found"}},
                .handle = [&executions, partitions](Call& call) {
                    return explain(executions, partitions, call);
                }});
    routes.add({.method = "GET",
                .pattern = "/v1/executions/{id}/attempts",
                .doc = {.id = "listAttempts",
                        .summary = "The attempts of an execution, first to last",
                        .query = paging(),
                        .answer_type = "AttemptPage",
                        .errors = {"execution_not_found", "invalid_cursor"}},
                .handle = [&executions, partitions](Call& call) {
                    return attempts(executions, partitions, call);
                }});
    routes.add({.method = "GET",
                .pattern = "/v1/executions/{id}/lease-history",
                .doc = {.id = "listLeaseHistory",
                        .summary = "Lease history of an execution, oldest first",
                        .query = paging(),
                        .answer_type = "LeaseHistoryPage",
                        .errors = {"execution_not_found", "invalid_cursor"}},
                .handle = [&executions, partitions](Call& call) {
                    return lease_history(executions, partitions, call);
                }});
}

}  // namespace ff::api
