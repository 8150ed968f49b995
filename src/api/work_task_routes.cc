#include <utility>

#include "api/execution_fields.h"
#include "api/fields.h"
#include "api/json_response.h"
#include "api/lease_fields.h"
#include "api/parse_path.h"
#include "api/policy_fields.h"
#include "api/step_fields.h"
#include "api/work_routes.h"
#include "base/numbers.h"
#include "model/error_catalogue.h"
#include "model/exec_keys.h"

namespace ff::api {
namespace {

using Kind = FieldDoc::Kind;
using service::Work;

constexpr TextLimits kFreeText{.most = 65536};
constexpr std::int64_t kDelayMost = 365LL * 24 * 3600 * 1000;

/// What every task route begins with.
struct TaskCall {
    model::ExecutionId id;
    PresentedLease lease;
    Fields body;
};

Result<TaskCall> parse_task(Call& call, const model::PartitionConfig& partitions) {
    FF_TRY(const model::ExecutionId id, parse_path_execution(call, partitions));
    FF_TRY(const json::Value object, call.object());
    const Fields body(object);
    FF_CHECK(body.matches_path("execution_id", id.to_string()));
    FF_TRY(const PresentedLease lease,
           call.is_octets() ? header_lease(call, id) : required_lease(call, id));
    return TaskCall{.id = id, .lease = lease, .body = body};
}

Task<http::Response> complete(Work& work, model::PartitionConfig partitions, Call& call) {
    FF_CO_TRY(const TaskCall task, parse_task(call, partitions));
    engine::CompleteExecution request{
        .execution_id = task.id, .fence = task.lease.fence, .lane = task.lease.lane};
    if (call.is_octets()) {
        request.result_encoding = call.query("result_encoding").value_or("");
        request.result = call.take_body();
    } else {
        FF_CO_TRY(std::optional<Bytes> result, task.body.bytes_if("result"));
        if (result) request.result = *std::move(result);
        FF_CO_TRY(request.result_encoding, task.body.text_or("result_encoding", "", {.most = 256}));
        FF_CO_TRY(request.steps, parse_steps(task.body, 0));
    }
    FF_CO_TRY(const auto outcome, co_await work.complete(std::move(request)));
    co_return json_response(200, [&outcome](json::Writer& out) {
        out.key("status").string("completed");
        out.key("public_state").string("completed");
        out.key("replayed").boolean(outcome.replayed);
    });
}

/// `next` or the number of a tier; the number may be one in JSON too.
Result<std::string> parse_fallback(const Fields& body) {
    const auto given = body.value().find("fallback_to");
    if (given && given->as_integer()) {
        if (*given->as_integer() < 0) return body.refuse("fallback_to", "out_of_range");
        return std::to_string(*given->as_integer());
    }
    return body.text_or("fallback_to", "", {.most = 16});
}

Task<http::Response> fail(Work& work, model::PartitionConfig partitions, Call& call) {
    FF_CO_TRY(const TaskCall task, parse_task(call, partitions));
    engine::FailExecution request{
        .execution_id = task.id, .fence = task.lease.fence, .lane = task.lease.lane};
    FF_CO_TRY(request.reason, task.body.text_or("reason", "", kFreeText));
    FF_CO_TRY(request.category, task.body.text_or("category", "", {.most = 256}));
    FF_CO_TRY(const bool no_retry, task.body.flag_or("no_retry", false));
    request.retry_by_policy = !no_retry;
    FF_CO_TRY(request.fallback_to, parse_fallback(task.body));
    FF_CO_TRY(request.steps, parse_steps(task.body, 0));
    FF_CO_TRY(service::FailedTask failed, co_await work.fail(std::move(request)));
    engine::FailExecution::Outcome& outcome = failed.outcome;
    // Attempts have no gaps: behind the one that failed comes the next number.
    if (outcome.retry_scheduled && !outcome.next_attempt && task.lease.attempt_index) {
        outcome.next_attempt = model::AttemptIndex{task.lease.attempt_index->value + 1};
    }
    co_return json_response(200, [&failed](json::Writer& out) {
        const engine::FailExecution::Outcome& outcome = failed.outcome;
        if (outcome.retry_scheduled) {
            out.key("status").string("retry_scheduled");
            out.key("delay_until").integer(to_ms(outcome.delay_until));
            if (outcome.next_attempt) {
                out.key("next_attempt_index").unsigned_integer(outcome.next_attempt->value);
            }
        } else {
            out.key("status").string("terminal_failed");
            if (!outcome.why.empty()) out.key("why").string(outcome.why);
            out.key("message").string(failed.message);
        }
        write_policy(out, failed.policy_json);
        out.key("replayed").boolean(outcome.replayed);
    });
}

Result<model::DueTime> parse_delay(const Fields& body) {
    FF_TRY(const auto until, body.due_if("delay_until"));
    FF_TRY(const auto span, body.integer_if("delay_ms", {.least = 0, .most = kDelayMost}));
    if (until && span) return body.refuse("delay_ms", "given_twice");
    if (until) return *until;
    if (!span) return body.refuse("delay_until", "missing");
    return model::DueTime::after(Millis(*span));
}

Task<http::Response> delay(Work& work, model::PartitionConfig partitions, Call& call) {
    FF_CO_TRY(const TaskCall task, parse_task(call, partitions));
    FF_CO_TRY(const model::DueTime until, parse_delay(task.body));
    engine::DelayExecution request{
        .execution_id = task.id, .fence = task.lease.fence, .delay_until = until};
    FF_CO_TRY(request.steps, parse_steps(task.body, 0));
    FF_CO_TRY(const auto outcome, co_await work.delay(std::move(request)));
    co_return json_response(200, [&outcome](json::Writer& out) {
        out.key("status").string("delayed");
        out.key("public_state").string("delayed");
        out.key("delay_until").integer(to_ms(outcome.delay_until));
        out.key("replayed").boolean(outcome.replayed);
    });
}

Task<http::Response> release(Work& work, model::PartitionConfig partitions, Call& call) {
    FF_CO_TRY(const TaskCall task, parse_task(call, partitions));
    FF_CO_TRY(const bool unbegun, task.body.flag_or("unbegun", false));
    FF_CO_CHECK(co_await work.release(task.id, task.lease.fence, unbegun));
    co_return json_response(200, [](json::Writer& out) { out.key("status").string("released"); });
}

Task<http::Response> wait_children(Work& work, model::PartitionConfig partitions, Call& call) {
    FF_CO_TRY(const TaskCall task, parse_task(call, partitions));
    engine::MoveToWaitingChildren request{.execution_id = task.id, .fence = task.lease.fence};
    FF_CO_TRY(request.steps, parse_steps(task.body, 0));
    FF_CO_TRY(const auto outcome, co_await work.wait_children(std::move(request)));
    co_return json_response(200, [&outcome](json::Writer& out) {
        out.key("status").string(outcome.blocked ? "moved" : "eligible");
        out.key("public_state").string(outcome.blocked ? "waiting_children" : "waiting");
        out.key("replayed").boolean(outcome.replayed);
    });
}

Task<http::Response> progress(Work& work, model::PartitionConfig partitions, Call& call) {
    FF_CO_TRY(const TaskCall task, parse_task(call, partitions));
    engine::UpdateProgress request{.execution_id = task.id, .fence = task.lease.fence};
    FF_CO_TRY(request.progress_pct, task.body.integer_if("pct", {.least = 0, .most = 100}));
    FF_CO_TRY(request.message, task.body.text_or("message", "", kFreeText));
    FF_CO_CHECK(co_await work.progress(std::move(request)));
    co_return json_response(200, [](json::Writer& out) { out.key("status").string("updated"); });
}

void write_verdict(json::Writer& out, const service::BudgetVerdict& one) {
    out.begin_object();
    out.key("budget_id").string(one.budget_id);
    if (!one.verdict) {
        write_item_error(out, one.verdict.error());
        out.end_object();
        return;
    }
    const engine::UsageVerdict& verdict = *one.verdict;
    using VerdictKind = engine::UsageVerdict::Kind;
    const bool hard = verdict.kind == VerdictKind::HardBreach;
    switch (verdict.kind) {
        case VerdictKind::Ok:
            out.key("status").string("ok");
            break;
        case VerdictKind::AlreadyApplied:
            out.key("status").string("already_applied");
            break;
        case VerdictKind::SoftBreach:
        case VerdictKind::HardBreach:
            out.key("status").string(hard ? "hard_breach" : "soft_breach");
            out.key("dimension").string(verdict.dimension);
            out.key("current_usage").integer(verdict.usage);
            out.key(hard ? "hard_limit" : "soft_limit").integer(verdict.limit);
            out.key("action").string(verdict.action);
            break;
    }
    out.end_object();
}

Task<http::Response> usage(Work& work, model::PartitionConfig partitions, Call& call) {
    FF_CO_TRY(const TaskCall task, parse_task(call, partitions));
    service::TaskUsage report{.execution_id = task.id, .fence = task.lease.fence};
    FF_CO_TRY(report.dimensions, read_amounts(task.body));
    if (report.dimensions.empty()) co_return task.body.refuse("dimensions", "missing");
    FF_CO_TRY(report.budget_id, task.body.id_if<model::BudgetId>("budget_id"));
    FF_CO_TRY(report.dedup_key, task.body.id_if<model::DedupId>("dedup_key"));
    FF_CO_TRY(report.mode, read_spend_mode(task.body));
    FF_CO_TRY(const std::vector<service::BudgetVerdict> verdicts,
              co_await work.report_usage(std::move(report)));
    co_return json_response(200, [&verdicts](json::Writer& out) {
        out.key("results").begin_array();
        for (const service::BudgetVerdict& one : verdicts) write_verdict(out, one);
        out.end_array();
    });
}

Result<engine::GrantRequest> parse_reclaim(Call& call, const model::PartitionConfig& partitions) {
    FF_TRY(const model::ExecutionId id, parse_path_execution(call, partitions));
    FF_TRY(const json::Value object, call.object());
    const Fields body(object);
    FF_CHECK(body.matches_path("execution_id", id.to_string()));
    FF_TRY(auto worker, body.id<model::WorkerId>("worker_id"));
    FF_TRY(auto instance, body.id<model::WorkerInstanceId>("worker_instance_id"));
    FF_TRY(auto lane, body.id<model::LaneId>("lane_id"));
    engine::GrantRequest request{.execution_id = id,
                                 .worker_id = std::move(worker),
                                 .worker_instance_id = std::move(instance),
                                 .lane = std::move(lane)};
    FF_TRY(const std::int64_t ttl,
           body.integer_or("grant_ttl_ms", 5000, {.least = 1, .most = 60'000}));
    request.grant_ttl = Millis(ttl);
    FF_TRY(const auto texts, body.texts("worker_capabilities", {.most = 4096}));
    const std::vector<std::string_view> tokens(texts.begin(), texts.end());
    FF_TRY(const auto capabilities, model::CapabilitySet::parse(tokens, "worker"));
    request.worker_capabilities_csv = capabilities.csv();
    FF_TRY(request.capability_hash, body.text_or("capability_hash", "", {.most = 128}));
    FF_TRY(request.route_snapshot_json, body.text_or("route_snapshot_json", "", {.most = 16384}));
    FF_TRY(request.admission_summary, body.text_or("admission_summary", "", {.most = 4096}));
    return request;
}

Task<http::Response> reclaim(Work& work, model::PartitionConfig partitions, Call& call) {
    FF_CO_TRY(engine::GrantRequest request, parse_reclaim(call, partitions));
    const model::ExecutionId id = request.execution_id;
    const std::string lane = request.lane.text();
    const Result<engine::Grant> grant = co_await work.grant_reclaim(std::move(request));
    if (!grant && grant.error().code == "execution_not_reclaimable") {
        co_return json_response(200, [&grant](json::Writer& out) {
            out.key("status").string("not_reclaimable");
            out.key("detail").begin_array();
            for (const std::string& one : grant.error().detail) out.string(one);
            out.end_array();
        });
    }
    if (!grant && grant.error().code == "max_retries_exhausted") {
        const std::vector<std::string>& detail = grant.error().detail;
        const auto count = parse_i64(detail.size() > 1 ? detail[1] : "");
        if (!count) co_return model::make_error("parse_error", {"reclaim_count"});
        co_return json_response(200, [&count](json::Writer& out) {
            out.key("status").string("reclaim_cap_exceeded");
            out.key("reclaim_count").integer(*count);
        });
    }
    if (!grant) co_return grant.error();
    co_return json_response(200, [&](json::Writer& out) {
        out.key("status").string("granted");
        out.key("execution_id").string(id.to_string());
        out.key("partition_key").string(id.partition().tag());
        out.key("grant_key").string(model::ExecKeys(id).claim_grant());
        out.key("expires_at_ms").integer(to_ms(grant->expires_at));
        out.key("lane_id").string(lane);
    });
}

std::vector<FieldDoc> with_lease(std::vector<FieldDoc> fields) {
    fields.push_back({.name = "task_token", .about = "Of the claim; or header FF-Task-Token"});
    fields.push_back({.name = "lease",
                      .kind = Kind::Object,
                      .type = "Lease",
                      .about = "lease_id, lease_epoch, attempt_id, attempt_index"});
    return fields;
}

struct TaskRoute {
    std::string name{};
    std::string id{};
    std::string answer{};
    std::string summary{};
    std::vector<FieldDoc> body{};
    BodyClass size = BodyClass::Control;
    Content content = Content::Json;
};

using Act = Task<http::Response> (*)(Work&, model::PartitionConfig, Call&);

void add_task(Routes& routes, Work& work, model::PartitionConfig partitions, TaskRoute route,
              Act act) {
    routes.add(
        {.method = "POST",
         .pattern = "/v1/executions/{id}/" + route.name,
         .body = route.size,
         .content = route.content,
         .doc = {.id = std::move(route.id),
                 .summary = std::move(route.summary),
                 .body = with_lease(std::move(route.body)),
                 .answer_type = std::move(route.answer),
                 .errors = {"execution_not_found", "fence_required", "partial_fence_triple",
                            "stale_lease", "lease_expired", "lease_revoked", "execution_not_active",
                            "step_limit_exceeded"}},
         .handle = [&work, partitions, act](Call& call) { return act(work, partitions, call); }});
}

void add_reclaim(Routes& routes, Work& work, model::PartitionConfig partitions) {
    routes.add(
        {.method = "POST",
         .pattern = "/v1/executions/{id}/reclaim",
         .body = BodyClass::Control,
         .doc = {.id = "reclaimExecution",
                 .summary = "Get a grant for an execution whose lease was lost",
                 .body = {{.name = "worker_id", .required = true, .example = "\"pool\""},
                          {.name = "worker_instance_id", .required = true, .example = "\"w-1\""},
                          {.name = "lane_id", .required = true, .example = "\"default\""},
                          {.name = "grant_ttl_ms", .kind = Kind::Integer},
                          {.name = "worker_capabilities", .kind = Kind::Array, .type = "[string]"},
                          {.name = "capability_hash"},
                          {.name = "route_snapshot_json"},
                          {.name = "admission_summary"}},
                 .answer_type = "ReclaimGrant",
                 .errors = {"execution_not_found", "capability_mismatch", "grant_already_exists",
                            "invalid_capabilities"}},
         .handle = [&work, partitions](Call& call) { return reclaim(work, partitions, call); }});
}

void add_usage(Routes& routes, Work& work, model::PartitionConfig partitions) {
    add_task(routes, work, partitions,
             {.name = "usage",
              .id = "reportUsage",
              .answer = "TaskUsageResults",
              .summary = "Report what a task has used to its budgets",
              .body = {{.name = "dimensions",
                        .kind = Kind::Object,
                        .type = "{integer}",
                        .required = true,
                        .example = R"({"total_tokens":12})"},
                       {.name = "budget_id", .about = "Absent: every budget of the execution"},
                       {.name = "dedup_key", .about = "The same again counts once"},
                       spend_mode_doc()}},
             usage);
}

void add_endings(Routes& routes, Work& work, model::PartitionConfig partitions) {
    add_task(routes, work, partitions,
             {.name = "complete",
              .id = "completeExecution",
              .answer = "CompletedTask",
              .summary = "Complete a task; a body of octets is the result itself",
              .body = {{.name = "result", .kind = Kind::Bytes},
                       {.name = "result_encoding"},
                       steps_doc(false)},
              .size = BodyClass::Large,
              .content = Content::JsonOrOctets},
             complete);
    add_task(routes, work, partitions,
             {.name = "fail",
              .id = "failExecution",
              .answer = "FailedTask",
              .summary = "Fail a task; its retry policy decides what follows",
              .body = {{.name = "reason"},
                       {.name = "category"},
                       {.name = "no_retry", .kind = Kind::Boolean},
                       {.name = "fallback_to",
                        .type = "string,integer",
                        .about = "next, or the number of a tier"},
                       steps_doc(false)},
              .size = BodyClass::Large},
             fail);
    add_task(routes, work, partitions,
             {.name = "delay",
              .id = "delayExecution",
              .answer = "DelayedTask",
              .summary = "Give a task back until a time",
              .body = {{.name = "delay_until", .type = "due"},
                       {.name = "delay_ms", .kind = Kind::Integer},
                       steps_doc(false)},
              .size = BodyClass::Large},
             delay);
}

}  // namespace

void add_task_routes(Routes& routes, Work& work, model::PartitionConfig partitions) {
    add_endings(routes, work, partitions);
    add_task(
        routes, work, partitions,
        {.name = "release",
         .id = "releaseExecution",
         .answer = "ReleasedTask",
         .summary = "Give a task back to its queue",
         .body = {{.name = "unbegun",
                   .kind = Kind::Boolean,
                   .about = "nothing was done for it: the next worker is told what you were"}}},
        release);
    add_task(routes, work, partitions,
             {.name = "wait-children",
              .id = "waitForChildren",
              .answer = "WaitingTask",
              .summary = "Give a task back until its dependencies are met",
              .body = {steps_doc(false)},
              .size = BodyClass::Large},
             wait_children);
    add_task(
        routes, work, partitions,
        {.name = "progress",
         .id = "reportProgress",
         .answer = "Progress",
         .summary = "Report the progress of a task",
         .body = {{.name = "pct", .kind = Kind::Integer, .about = "0..100"}, {.name = "message"}}},
        progress);
    add_usage(routes, work, partitions);
    add_reclaim(routes, work, partitions);
}

}  // namespace ff::api
