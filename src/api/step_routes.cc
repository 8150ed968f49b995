#include <utility>

#include "api/json_response.h"
#include "api/lease_fields.h"
#include "api/parse_path.h"
#include "api/step_fields.h"
#include "api/work_routes.h"
#include "base/numbers.h"
#include "model/error_catalogue.h"

namespace ff::api {
namespace {

using Kind = FieldDoc::Kind;
using service::Work;

constexpr std::int64_t kPageDefault = 100;
constexpr std::int64_t kPageMost = 1000;

Result<engine::RecordSteps> parse_record(Call& call, const model::PartitionConfig& partitions) {
    FF_TRY(const model::ExecutionId id, parse_path_execution(call, partitions));
    FF_TRY(const json::Value object, call.object());
    const Fields body(object);
    FF_CHECK(body.matches_path("execution_id", id.to_string()));
    FF_TRY(const PresentedLease lease, required_lease(call, id));
    engine::RecordSteps request{.execution_id = id, .fence = lease.fence};
    FF_TRY(request.steps, parse_steps(body, 1));
    return request;
}

Task<http::Response> record(Work& work, model::PartitionConfig partitions, Call& call) {
    FF_CO_TRY(engine::RecordSteps request, parse_record(call, partitions));
    FF_CO_TRY(const engine::RecordSteps::Outcome answers,
              co_await work.record_steps(std::move(request)));
    co_return json_response(200, [&answers](json::Writer& out) {
        out.key("steps").begin_array();
        for (const engine::RecordSteps::Answer& one : answers) {
            out.begin_object();
            if (one.duplicate) {
                write_step(out, one.step);
            } else {
                out.key("name").string(one.step.name);
            }
            out.key("status").string(one.duplicate ? "duplicate" : "recorded");
            out.end_object();
        }
        out.end_array();
    });
}

Result<std::int64_t> parse_after(const Call& call) {
    const auto text = call.query("after");
    if (!text || text->empty()) return 0;
    const auto first = parse_i64(*text);
    if (!first || *first < 0) return model::make_error("invalid_cursor");
    return *first;
}

Task<http::Response> read(Work& work, model::PartitionConfig partitions, Call& call) {
    FF_CO_TRY(const model::ExecutionId id, parse_path_execution(call, partitions));
    FF_CO_TRY(const std::int64_t first, parse_after(call));
    FF_CO_TRY(const auto limit, call.query_integer("limit", 1, kSafeIntegerMax));
    engine::ReadSteps request{.execution_id = id,
                              .first = first,
                              .limit = std::min(limit.value_or(kPageDefault), kPageMost)};
    FF_CO_TRY(const engine::ReadSteps::Outcome page, co_await work.read_steps(std::move(request)));
    co_return json_response(200, [&page](json::Writer& out) {
        out.key("steps").begin_array();
        for (const engine::RecordedStep& one : page.steps) {
            out.begin_object();
            write_step(out, one.step);
            out.key("attempt_index").unsigned_integer(one.attempt_index.value);
            out.key("recorded_at").integer(to_ms(one.recorded_at));
            out.end_object();
        }
        out.end_array();
        if (page.next) {
            out.key("next_cursor").string(std::to_string(*page.next));
        } else {
            out.key("next_cursor").null();
        }
    });
}

}  // namespace

void add_step_routes(Routes& routes, Work& work, model::PartitionConfig partitions) {
    routes.add(
        {.method = "POST",
         .pattern = "/v1/executions/{id}/steps",
         .body = BodyClass::Large,
         .doc = {.id = "recordSteps",
                 .summary = "Record steps of a task; the first value of each name stays",
                 .body = {steps_doc(true),
                          {.name = "task_token", .about = "Of the claim; or header FF-Task-Token"},
                          {.name = "lease",
                           .kind = Kind::Object,
                           .type = "Lease",
                           .about = "lease_id, lease_epoch, attempt_id, attempt_index"}},
                 .answer_type = "RecordedSteps",
                 .errors = {"execution_not_found", "fence_required", "partial_fence_triple",
                            "stale_lease", "lease_expired", "lease_revoked", "execution_not_active",
                            "step_limit_exceeded"}},
         .handle = [&work, partitions](Call& call) { return record(work, partitions, call); }});
    routes.add(
        {.method = "GET",
         .pattern = "/v1/executions/{id}/steps",
         .doc = {.id = "listSteps",
                 .summary = "The recorded steps of an execution, in the order of writing",
                 .query = {{.name = "after", .about = "next_cursor of the page before"},
                           {.name = "limit", .kind = Kind::Integer, .about = "100; at most 1000"}},
                 .answer_type = "StepPage",
                 .errors = {"execution_not_found", "invalid_cursor"}},
         .handle = [&work, partitions](Call& call) { return read(work, partitions, call); }});
}

}  // namespace ff::api
