#include <utility>

#include "api/execution_fields.h"
#include "api/execution_route_parts.h"
#include "api/json_response.h"
#include "api/lease_fields.h"
#include "api/parse_path.h"

namespace ff::api {
namespace {

using Kind = FieldDoc::Kind;
using service::Executions;

constexpr TextLimits kFreeText{.most = 65536};

Result<service::CancelRequest> parse_cancel(Call& call, const model::PartitionConfig& partitions) {
    FF_TRY(const model::ExecutionId id, parse_path_execution(call, partitions));
    FF_TRY(const json::Value object, call.object());
    const Fields body(object);
    FF_CHECK(body.matches_path("execution_id", id.to_string()));
    service::CancelRequest request{.execution_id = id};
    FF_TRY(request.reason, body.text_or("reason", "", kFreeText));
    FF_TRY(request.source, body.text_or("source", "operator_override", {.most = 128}));
    FF_TRY(const auto lease, find_lease(object, call.request().header("FF-Task-Token"), id));
    if (lease) request.fence = lease->fence;
    return request;
}

Task<http::Response> cancel(Executions& executions, model::PartitionConfig partitions, Call& call) {
    FF_CO_TRY(service::CancelRequest request, parse_cancel(call, partitions));
    const std::string id = request.execution_id.to_string();
    FF_CO_TRY(const model::PublicState state, co_await executions.cancel(std::move(request)));
    co_return json_response(200, [&](json::Writer& out) {
        out.key("status").string("cancelled");
        out.key("execution_id").string(id);
        out.key("public_state").string(model::to_string(state));
    });
}

Task<http::Response> change_priority(Executions& executions, model::PartitionConfig partitions,
                                     Call& call) {
    FF_CO_TRY(const model::ExecutionId id, parse_path_execution(call, partitions));
    FF_CO_TRY(const json::Value object, call.object());
    const Fields body(object);
    FF_CO_CHECK(body.matches_path("execution_id", id.to_string()));
    FF_CO_TRY(const std::int64_t priority, body.integer("new_priority"));
    FF_CO_TRY(const service::ChangedPriority changed,
              co_await executions.change_priority(id, priority));
    co_return json_response(200, [&](json::Writer& out) {
        out.key("status").string("changed");
        out.key("execution_id").string(id.to_string());
        out.key("old_priority").integer(changed.old_priority);
        out.key("new_priority").integer(changed.new_priority);
    });
}

Task<http::Response> replay_subgraph(Executions& executions, model::ExecutionId id,
                                     bool keep_steps) {
    FF_CO_TRY(const std::vector<std::string> ids,
              co_await executions.replay_subgraph(id, keep_steps));
    co_return json_response(200, [&](json::Writer& out) {
        out.key("status").string("replayed");
        out.key("count").unsigned_integer(ids.size());
        out.key("execution_ids").begin_array();
        for (const std::string& one : ids) out.string(one);
        out.end_array();
    });
}

Task<http::Response> replay(Executions& executions, model::PartitionConfig partitions, Call& call) {
    FF_CO_TRY(const model::ExecutionId id, parse_path_execution(call, partitions));
    FF_CO_TRY(const json::Value object, call.object());
    const Fields body(object);
    FF_CO_CHECK(body.matches_path("execution_id", id.to_string()));
    FF_CO_TRY(const bool subgraph, call.query_flag("subgraph"));
    service::ReplayRequest request{.execution_id = id};
    FF_CO_TRY(request.reason, body.text_or("reason", "", kFreeText));
    FF_CO_TRY(request.requested_by, body.text_or("requested_by", "", {.most = 1024}));
    FF_CO_TRY(request.keep_steps, body.flag_or("keep_steps", false));
    if (subgraph) co_return co_await replay_subgraph(executions, id, request.keep_steps);
    FF_CO_TRY(const model::PublicState state, co_await executions.replay(std::move(request)));
    co_return json_response(200, [&](json::Writer& out) {
        out.key("status").string("replayed");
        out.key("public_state").string(model::to_string(state));
    });
}

Task<http::Response> revoke_lease(Executions& executions, model::PartitionConfig partitions,
                                  Call& call) {
    FF_CO_TRY(const model::ExecutionId id, parse_path_execution(call, partitions));
    FF_CO_TRY(const json::Value object, call.object());
    const Fields body(object);
    FF_CO_CHECK(body.matches_path("execution_id", id.to_string()));
    FF_CO_TRY(const auto expected, body.id_if<model::LeaseId>("expected_lease_id"));
    FF_CO_TRY(std::string reason, body.text_or("reason", "", kFreeText));
    FF_CO_TRY(const service::RevokedLease revoked,
              co_await executions.revoke_lease(id, expected, std::move(reason)));
    co_return json_response(200, [&](json::Writer& out) {
        if (!revoked.already.empty()) {
            out.key("status").string("already_satisfied");
            out.key("reason").string(revoked.already);
            return;
        }
        out.key("status").string("revoked");
        out.key("lease_id").string(revoked.lease_id);
        out.key("lease_epoch").unsigned_integer(revoked.lease_epoch.value);
    });
}

Task<http::Response> release_hold(Executions& executions, model::PartitionConfig partitions,
                                  Call& call) {
    FF_CO_TRY(const model::ExecutionId id, parse_path_execution(call, partitions));
    FF_CO_TRY(const json::Value object, call.object());
    FF_CO_CHECK(Fields(object).matches_path("execution_id", id.to_string()));
    FF_CO_TRY(const model::PublicState state, co_await executions.release_hold(id));
    co_return json_response(200, [&](json::Writer& out) {
        out.key("status").string("released");
        out.key("execution_id").string(id.to_string());
        out.key("public_state").string(model::to_string(state));
    });
}

Result<service::TakeOver> parse_take_over(Call& call, const model::PartitionConfig& partitions) {
    FF_TRY(const model::ExecutionId id, parse_path_execution(call, partitions));
    FF_TRY(const json::Value object, call.object());
    const Fields body(object);
    FF_CHECK(body.matches_path("execution_id", id.to_string()));
    FF_TRY(auto worker, body.id<model::WorkerId>("worker_id"));
    FF_TRY(auto instance, body.id<model::WorkerInstanceId>("worker_instance_id"));
    FF_TRY(const std::int64_t ttl,
           body.integer_or("lease_ttl_ms", 30'000, {.least = 1000, .most = 3'600'000}));
    FF_TRY(const auto lease, body.id_if<model::LeaseId>("lease_id"));
    return service::TakeOver{.execution_id = id,
                             .worker_id = std::move(worker),
                             .worker_instance_id = std::move(instance),
                             .lease_ttl = Millis(ttl),
                             .lease_id = lease};
}

Task<http::Response> take_over(Executions& executions, model::PartitionConfig partitions,
                               Call& call) {
    FF_CO_TRY(service::TakeOver request, parse_take_over(call, partitions));
    const model::ExecutionId id = request.execution_id;
    const Millis ttl = request.lease_ttl;
    FF_CO_TRY(const service::TakenOver taken, co_await executions.take_over(std::move(request)));
    co_return json_response(200, [&](json::Writer& out) {
        out.key("status").string(taken.lease.duplicate ? "already_satisfied" : "taken");
        out.key("execution_id").string(id.to_string());
        out.key("lane_id").string(taken.lane.text());
        out.key("attempt_index").unsigned_integer(taken.lease.attempt_index.value);
        out.key("attempt_id").string(taken.lease.fence.attempt_id.to_string());
        out.key("attempt_type").string(taken.lease.attempt_type);
        out.key("lease_id").string(taken.lease.fence.lease_id.to_string());
        out.key("lease_epoch").unsigned_integer(taken.lease.fence.lease_epoch.value);
        out.key("lease_ttl_ms").integer(ttl.count());
        out.key("lease_expires_at").integer(to_ms(taken.lease.lease_expires_at));
        out.key("task_token").string(taken.token);
    });
}

using Act = Task<http::Response> (*)(Executions&, model::PartitionConfig, Call&);

void add_act(Routes& routes, Executions& executions, model::PartitionConfig partitions,
             std::string method, std::string name, RouteDoc doc, Act act) {
    routes.add({.method = std::move(method),
                .pattern = "/v1/executions/{id}/" + name,
                .body = BodyClass::Control,
                .audit = "execution." + name,
                .doc = std::move(doc),
                .handle = [&executions, partitions, act](Call& call) {
                    return act(executions, partitions, call);
                }});
}

void add_hold_and_take_over(Routes& routes, Executions& executions,
                            model::PartitionConfig partitions) {
    add_act(routes, executions, partitions, "POST", "release-hold",
            {.id = "releaseHold",
             .summary = "End the initial_hold of an execution whose dependencies are met",
             .answer_type = "ReleasedHold",
             .errors = {"execution_not_found", "not_blocked_by_deps", "deps_not_satisfied",
                        "not_runnable"}},
            release_hold);
    add_act(
        routes, executions, partitions, "POST", "take-over",
        {.id = "takeOverExecution",
         .summary = "Lease an execution to a worker of your choice, past capabilities and limits",
         .body = {{.name = "worker_id", .required = true, .example = "\"operator\""},
                  {.name = "worker_instance_id", .required = true, .example = "\"op-1\""},
                  {.name = "lease_ttl_ms",
                   .kind = Kind::Integer,
                   .about = "30000; 1000..3600000",
                   .example = "30000"},
                  {.name = "lease_id", .about = "A UUID; the same again gives the same lease"}},
         .answer_type = "TakenExecution",
         .errors = {"execution_not_found", "execution_not_eligible", "lease_conflict",
                    "grant_already_exists"}},
        take_over);
}

}  // namespace

void add_execution_operator_routes(Routes& routes, Executions& executions,
                                   model::PartitionConfig partitions) {
    add_act(routes, executions, partitions, "POST", "cancel",
            {.id = "cancelExecution",
             .summary = "Cancel an execution, as an operator or with its lease",
             .body = {{.name = "reason"},
                      {.name = "source", .about = "operator_override; lease_holder with a lease"},
                      {.name = "task_token", .about = "or a header FF-Task-Token, or lease"}},
             .answer_type = "CancelledExecution",
             .errors = {"execution_not_found", "execution_not_active", "stale_lease"}},
            cancel);
    for (const std::string method : {"PUT", "POST"}) {
        add_act(routes, executions, partitions, method, "priority",
                {.id = method == "PUT" ? "changePriority" : "postPriority",
                 .summary = "Change the priority of an execution that waits for a worker",
                 .body = {{.name = "new_priority",
                           .kind = Kind::Integer,
                           .required = true,
                           .example = "10"}},
                 .answer_type = "ChangedPriority",
                 .errors = {"execution_not_found", "execution_not_eligible"}},
                change_priority);
    }
    add_act(routes, executions, partitions, "POST", "replay",
            {.id = "replayExecution",
             .summary = "Run a finished execution again",
             .query = {{.name = "subgraph",
                        .kind = Kind::Boolean,
                        .about = "With its skipped descendants in the flow"}},
             .body = {{.name = "reason"},
                      {.name = "requested_by"},
                      {.name = "keep_steps",
                       .kind = Kind::Boolean,
                       .about = "The new run goes on with the steps of the one before"}},
             .answer_type = "Replay",
             .errors = {"execution_not_found", "execution_not_terminal", "max_replays_exhausted",
                        "execution_not_in_flow", "flow_already_terminal"}},
            replay);
    add_act(routes, executions, partitions, "POST", "revoke-lease",
            {.id = "revokeLease",
             .summary = "Revoke the lease of an execution; the next claim reclaims it",
             .body = {{.name = "expected_lease_id"}, {.name = "reason"}},
             .answer_type = "RevokedLease",
             .errors = {"execution_not_found", "no_active_lease", "stale_lease"}},
            revoke_lease);
    add_hold_and_take_over(routes, executions, partitions);
}

}  // namespace ff::api
