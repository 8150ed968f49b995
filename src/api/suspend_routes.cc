#include "api/suspend_routes.h"

#include <utility>

#include "api/approval_fields.h"
#include "api/condition_fields.h"
#include "api/fields.h"
#include "api/json_response.h"
#include "api/lease_fields.h"
#include "api/parse_path.h"
#include "api/step_fields.h"
#include "api/stream_json.h"
#include "api/stream_query.h"
#include "model/error_catalogue.h"
#include "model/execution_policy.h"

namespace ff::api {
namespace {

using Kind = FieldDoc::Kind;
constexpr std::size_t kSignalsMost = 256;
constexpr std::size_t kAdditionalMost = 63;
constexpr TextLimits kName{.most = 1024};

struct Ground {
    service::Suspensions& suspensions;
    model::PartitionConfig partitions{};
};

Result<service::WantedWaitpoint> parse_wanted(const Fields& body) {
    FF_CHECK(body.only({"waitpoint_id", "waitpoint_key", "use_pending"}));
    service::WantedWaitpoint wanted;
    FF_TRY(wanted.id, body.id_if<model::WaitpointId>("waitpoint_id"));
    FF_TRY(wanted.key, body.id_if<model::WaitpointKey>("waitpoint_key"));
    FF_TRY(const auto pending, body.id_if<model::WaitpointId>("use_pending"));
    if (!pending) return wanted;
    if (wanted.id || wanted.key) return model::make_error("use_pending_with_extras_unsupported");
    wanted.id = pending;
    wanted.pending = true;
    return wanted;
}

Result<Done> parse_condition(const Fields& body, service::NewSuspension& request) {
    FF_TRY(request.signals, body.texts("signals", {.most = kSignalsMost}, kName));
    FF_TRY(const std::string match, body.text_or("match", "any"));
    if (match != "any" && match != "all") return body.refuse("match", "unknown");
    request.match_all = match == "all" && !request.signals.empty();
    FF_CHECK(check_condition_members(body));
    FF_TRY(auto condition, body.object_text_if("resume_condition"));
    if (condition && (body.has("signals") || body.has("match")))
        return body.refuse("resume_condition", "given_twice");
    request.resume_condition_json = std::move(condition).value_or("");
    FF_TRY(auto policy, body.object_text_if("resume_policy"));
    request.resume_policy_json = std::move(policy).value_or("");
    return Done{};
}

Result<Done> parse_timeout(const Fields& body, service::NewSuspension& request) {
    FF_TRY(request.timeout_at, body.due_if("timeout_at"));
    FF_TRY(const auto timeout_ms, body.integer_if("timeout_ms", {.least = 0}));
    if (timeout_ms && request.timeout_at) return body.refuse("timeout_ms", "given_twice");
    if (timeout_ms) request.timeout_at = model::DueTime::after(Millis(*timeout_ms));
    FF_TRY(request.timeout_behavior, body.text_or("timeout_behavior", "fail"));
    if (!model::parse_timeout_behavior(request.timeout_behavior))
        return body.refuse("timeout_behavior", "unknown");
    return Done{};
}

Result<service::NewSuspension> parse_suspension(const Ground& ground, Call& call) {
    FF_TRY(service::HeldAttempt attempt, parse_held(call, ground.partitions));
    FF_TRY(const json::Value object, call.object());
    const Fields body(object);
    service::NewSuspension request{.attempt = std::move(attempt)};
    FF_TRY(request.reason_code, body.text_or("reason_code", "", kName));
    FF_CHECK(parse_condition(body, request));
    FF_CHECK(parse_timeout(body, request));
    FF_TRY(const auto waitpoint, body.fields_if("waitpoint"));
    if (waitpoint) {
        FF_TRY(request.waitpoint, parse_wanted(*waitpoint));
    }
    FF_TRY(const std::vector<Fields> additional,
           body.objects("additional_waitpoints", {.most = kAdditionalMost}));
    for (const Fields& each : additional) {
        FF_TRY(service::WantedWaitpoint wanted, parse_wanted(each));
        request.additional.push_back(std::move(wanted));
    }
    FF_TRY(auto continuation, body.bytes_if("continuation_metadata_pointer"));
    request.continuation = std::move(continuation).value_or("");
    FF_TRY(request.suspension_id, body.id_if<model::SuspensionId>("suspension_id"));
    FF_TRY(request.idempotency_key, body.id_if<model::IdempotencyKey>("idempotency_key"));
    FF_TRY(request.approval, parse_approval(body));
    FF_TRY(request.steps, parse_steps(body, 0));
    return request;
}

Task<http::Response> suspend(Ground ground, Call& call) {
    FF_CO_TRY(service::NewSuspension request, parse_suspension(ground, call));
    FF_CO_TRY(const engine::SuspendExecution::Outcome outcome,
              co_await ground.suspensions.suspend(std::move(request)));
    http::Response response = json_response(200, [&](json::Writer& out) {
        out.key("status").string(outcome.already_satisfied ? "already_satisfied" : "suspended");
        if (outcome.already_satisfied) out.key("lease_held").boolean(true);
        if (outcome.replayed) out.key("replayed").boolean(true);
        out.key("suspension_id").string(outcome.suspension_id);
        write_bound(out, outcome.waitpoint);
        out.key("additional_waitpoints").begin_array();
        for (const engine::BoundWaitpoint& waitpoint : outcome.additional) {
            out.begin_object();
            write_bound(out, waitpoint);
            out.end_object();
        }
        out.end_array();
    });
    response.headers.push_back({.name = "Cache-Control", .value = "no-store"});
    co_return response;
}

void write_signal(json::Writer& out, const service::ResumeSignal& signal) {
    out.begin_object().key("signal_id").string(signal.signal_id);
    write_bytes(out, "signal_name", signal.name);
    write_bytes(out, "signal_category", signal.category);
    write_bytes(out, "source_type", signal.source_type);
    write_bytes(out, "source_identity", signal.source_identity);
    write_bytes(out, "correlation_id", signal.correlation_id);
    out.key("accepted_at");
    if (signal.accepted_at) {
        out.integer(to_ms(*signal.accepted_at));
    } else {
        out.null();
    }
    if (signal.payload) write_bytes(out, "payload", *signal.payload);
    out.end_object();
}

Task<http::Response> resume_signals(Ground ground, Call& call) {
    FF_CO_TRY(model::ExecutionId id, parse_path_execution(call, ground.partitions));
    const std::string text = call.query("attempt_index").value_or("");
    auto index = model::AttemptIndex::parse(text);
    if (!index.has_value()) co_return within_field(std::move(index).error(), "attempt_index");
    FF_CO_TRY(const std::vector<service::ResumeSignal> signals,
              co_await ground.suspensions.resume_signals(id, *index));
    co_return json_response(200, [&](json::Writer& out) {
        out.key("signals").begin_array();
        for (const service::ResumeSignal& signal : signals) write_signal(out, signal);
        out.end_array();
    });
}

Task<http::Response> show(Ground ground, Call& call) {
    FF_CO_TRY(model::ExecutionId id, parse_path_execution(call, ground.partitions));
    FF_CO_TRY(const service::SuspensionView view, co_await ground.suspensions.current(id));
    co_return json_response(200, [&](json::Writer& out) {
        write_fields(out, view.fields);
        out.key("waitpoints").begin_array();
        for (const service::SuspensionWaitpoint& waitpoint : view.waitpoints) {
            out.begin_object();
            write_fields(out, waitpoint.fields);
            out.end_object();
        }
        out.end_array();
    });
}

void write_remaining(json::Writer& out, const std::optional<std::int64_t>& remaining) {
    out.key("remaining");
    if (remaining) {
        out.integer(*remaining);
    } else {
        out.null();
    }
}

void write_node(json::Writer& out, const service::ConditionNode& node) {
    out.begin_object().key("path").string(node.path).key("kind").string(node.kind);
    out.key("satisfied").boolean(node.satisfied);
    write_remaining(out, node.remaining);
    if (node.counts_sources) {
        out.key("sources_by_type").begin_object();
        for (const auto& [type, count] : node.sources_by_type) out.key(type).integer(count);
        out.end_object();
    }
    out.end_object();
}

Task<http::Response> evaluate(Ground ground, Call& call) {
    FF_CO_TRY(model::ExecutionId id, parse_path_execution(call, ground.partitions));
    FF_CO_TRY(const service::ConditionView view, co_await ground.suspensions.evaluate(id));
    co_return json_response(200, [&](json::Writer& out) {
        out.key("suspension_id").string(view.suspension_id);
        out.key("condition_type").string(view.condition_type);
        out.key("match_mode").string(view.match_mode);
        write_bytes(out, "resume_condition_json", view.condition_json);
        out.key("satisfied").boolean(view.remaining == 0);
        write_remaining(out, view.remaining);
        out.key("nodes").begin_array();
        for (const service::ConditionNode& node : view.nodes) write_node(out, node);
        out.end_array().key("matchers").begin_array();
        for (const service::MatcherView& matcher : view.matchers) {
            out.begin_object();
            write_bytes(out, "name", matcher.name);
            out.key("satisfied").boolean(matcher.satisfied);
            if (!matcher.signal_id.empty()) out.key("signal_id").string(matcher.signal_id);
            out.end_object();
        }
        out.end_array();
    });
}

Route suspend_route(Ground ground) {
    return {
        .method = "POST",
        .pattern = "/v1/executions/{id}/suspend",
        .body = BodyClass::Large,
        .doc =
            {.id = "suspendExecution",
             .summary = "Pause until signals come, unless they are there already",
             .body = {{.name = "task_token", .about = "Or lease"},
                      {.name = "lease", .kind = Kind::Object, .type = "Lease"},
                      {.name = "reason_code", .example = "\"waiting_for_approval\""},
                      {.name = "signals",
                       .kind = Kind::Array,
                       .type = "[string]",
                       .about = "Names; empty for any signal",
                       .example = R"(["approved"])"},
                      {.name = "match", .type = "any|all", .example = "\"any\""},
                      {.name = "resume_condition", .kind = Kind::Object, .type = "ResumeCondition"},
                      {.name = "resume_policy", .kind = Kind::Object, .type = "ResumePolicy"},
                      {.name = "timeout_at", .type = "due", .about = "Milliseconds, or \"+<ms>\""},
                      {.name = "timeout_ms", .kind = Kind::Integer},
                      {.name = "timeout_behavior",
                       .type = "TimeoutBehavior",
                       .about = "fail by default"},
                      {.name = "waitpoint", .kind = Kind::Object, .type = "WantedWaitpoint"},
                      {.name = "additional_waitpoints",
                       .kind = Kind::Array,
                       .type = "[WantedWaitpoint]"},
                      {.name = "continuation_metadata_pointer", .kind = Kind::Bytes},
                      {.name = "suspension_id"},
                      {.name = "idempotency_key"},
                      doc_approval(),
                      steps_doc(false)},
             .answer_type = "SuspensionReceipt",
             .errors = {"fence_required", "stale_lease", "lease_expired", "execution_not_active",
                        "invalid_resume_condition", "step_limit_exceeded"}},
        .handle = [ground](Call& call) { return suspend(ground, call); }};
}

}  // namespace

Result<service::HeldAttempt> parse_held(Call& call, const model::PartitionConfig& partitions) {
    FF_TRY(model::ExecutionId id, parse_path_execution(call, partitions));
    FF_TRY(const json::Value object, call.object());
    FF_CHECK(Fields(object).matches_path("execution_id", id.to_string()));
    FF_TRY(PresentedLease lease, required_lease(call, id));
    if (!lease.attempt_index) return Fields(object).refuse("attempt_index", "missing");
    return service::HeldAttempt{
        .execution_id = id, .attempt_index = *lease.attempt_index, .fence = std::move(lease.fence)};
}

void write_bound(json::Writer& out, const engine::BoundWaitpoint& waitpoint) {
    out.key("waitpoint_id").string(waitpoint.id.to_string());
    write_bytes(out, "waitpoint_key", waitpoint.key);
    out.key("waitpoint_token").string(waitpoint.token.reveal());
}

void add_suspend_routes(Routes& routes, service::Suspensions& suspensions,
                        model::PartitionConfig partitions) {
    const Ground ground{.suspensions = suspensions, .partitions = partitions};
    routes.add(suspend_route(ground));
    routes.add({.method = "GET",
                .pattern = "/v1/executions/{id}/resume-signals",
                .doc = {.id = "listResumeSignals",
                        .summary = "The signals that resumed an attempt",
                        .query = {{.name = "attempt_index",
                                   .kind = Kind::Integer,
                                   .required = true,
                                   .example = "0"}},
                        .answer_type = "ResumeSignals",
                        .errors = {"execution_not_found"}},
                .handle = [ground](Call& call) { return resume_signals(ground, call); }});
    routes.add({.method = "GET",
                .pattern = "/v1/executions/{id}/suspension",
                .doc = {.id = "getSuspension",
                        .summary = "The current or last suspension, without tokens",
                        .answer_type = "Suspension",
                        .errors = {"execution_not_found", "execution_not_suspended"}},
                .handle = [ground](Call& call) { return show(ground, call); }});
    routes.add({.method = "GET",
                .pattern = "/v1/executions/{id}/suspension/condition",
                .doc = {.id = "getSuspensionCondition",
                        .summary = "What an open suspension still waits for",
                        .answer_type = "ConditionState",
                        .errors = {"execution_not_found", "execution_not_suspended"}},
                .handle = [ground](Call& call) { return evaluate(ground, call); }});
}

}  // namespace ff::api
