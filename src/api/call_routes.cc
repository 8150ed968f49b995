#include <algorithm>
#include <utility>

#include "api/call_fields.h"
#include "api/execution_route_parts.h"
#include "api/fields.h"
#include "api/json_response.h"
#include "api/lease_fields.h"
#include "api/parse_path.h"
#include "api/step_fields.h"
#include "base/numbers.h"
#include "model/error_catalogue.h"
#include "model/step_name.h"

namespace ff::api {
namespace {

using Kind = FieldDoc::Kind;
using service::Executions;

constexpr std::int64_t kPageDefault = 100;
constexpr std::int64_t kPageMost = 1000;
constexpr TextLimits kKind{.least = 1, .most = 256};
constexpr TextLimits kEncoding{.most = 256};

Result<service::CalledExecution> parse_child(const Fields& item) {
    FF_CHECK(item.only({"name", "execution_kind", "lane_id", "payload", "payload_base64",
                        "payload_encoding", "policy", "tags", "priority", "allow_missing_budget"}));
    FF_TRY(model::StepName name, item.id<model::StepName>("name"));
    service::CalledExecution child{.name = std::move(name).take_text()};
    FF_TRY(child.execution_kind, item.text("execution_kind", kKind));
    FF_TRY(child.lane, item.id_if<model::LaneId>("lane_id"));
    FF_TRY(std::optional<Bytes> payload, item.bytes_if("payload"));
    child.payload = std::move(payload).value_or(Bytes());
    FF_TRY(child.payload_encoding, item.text_or("payload_encoding", "", kEncoding));
    FF_TRY(std::optional<std::string> policy, item.object_text_if("policy"));
    child.policy_json = std::move(policy).value_or("");
    FF_TRY(const auto tags, item.text_map_if("tags"));
    if (tags) child.tags = service::Tags(tags->begin(), tags->end());
    FF_TRY(child.priority, item.integer_if("priority"));
    FF_TRY(child.allow_missing_budget, item.flag_or("allow_missing_budget", false));
    return child;
}

Result<service::CallRequest> parse_call(Call& call, const model::PartitionConfig& partitions) {
    FF_TRY(const model::ExecutionId id, parse_path_execution(call, partitions));
    FF_TRY(const json::Value object, call.object());
    const Fields body(object);
    FF_CHECK(body.matches_path("execution_id", id.to_string()));
    FF_TRY(const PresentedLease lease, required_lease(call, id));
    service::CallRequest request{.execution_id = id, .fence = lease.fence};
    FF_TRY(const std::string failure, body.text_or("on_child_failure", "fail"));
    if (failure != "fail" && failure != "continue")
        return body.refuse("on_child_failure", "unknown");
    request.continue_on_failure = failure == "continue";
    FF_TRY(request.steps, parse_steps(body, 0));
    FF_TRY(const std::vector<Fields> items,
           body.objects("children", {.least = 1, .most = engine::CallChildren::kPerCallMax}));
    for (const Fields& item : items) {
        FF_TRY(service::CalledExecution child, parse_child(item));
        request.children.push_back(std::move(child));
    }
    return request;
}

Task<http::Response> call_children(Executions& executions, model::PartitionConfig partitions,
                                   Call& call) {
    FF_CO_TRY(service::CallRequest request, parse_call(call, partitions));
    FF_CO_TRY(const engine::CallChildren::Outcome outcome,
              co_await executions.call_children(std::move(request)));
    co_return json_response(200, [&outcome](json::Writer& out) {
        out.key("status").string(outcome.eligible ? "eligible" : "moved");
        out.key("public_state").string(outcome.public_state);
        out.key("replayed").boolean(outcome.replayed);
        out.key("children").begin_array();
        for (const auto& [name, id] : outcome.children) {
            out.begin_object();
            out.key("name").string(name);
            out.key("execution_id").string(id.to_string());
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

Task<http::Response> children(Executions& executions, model::PartitionConfig partitions,
                              Call& call) {
    FF_CO_TRY(const model::ExecutionId id, parse_path_execution(call, partitions));
    FF_CO_TRY(const std::int64_t first, parse_after(call));
    FF_CO_TRY(const auto limit, call.query_integer("limit", 1, kSafeIntegerMax));
    engine::ReadChildren request{.execution_id = id,
                                 .first = first,
                                 .limit = std::min(limit.value_or(kPageDefault), kPageMost)};
    FF_CO_TRY(const engine::ReadChildren::Outcome page,
              co_await executions.children(std::move(request)));
    co_return json_response(200, [&page](json::Writer& out) {
        out.key("children").begin_array();
        for (const engine::CalledChild& child : page.children) {
            out.begin_object();
            write_called_child(out, child);
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

void write_if_set(json::Writer& out, std::string_view name, const std::string& text) {
    // Free text is cut at a number of bytes when it is stored, maybe inside a character.
    if (!text.empty()) write_bytes(out, name, text);
}

}  // namespace

void write_called_child(json::Writer& out, const engine::CalledChild& child) {
    out.key("name").string(child.name);
    out.key("execution_id").string(child.execution_id);
    if (child.outcome.empty()) {
        out.key("outcome").null();
    } else {
        out.key("outcome").string(child.outcome);
    }
    write_if_set(out, "result", child.result);
    write_if_set(out, "result_encoding", child.result_encoding);
    write_if_set(out, "failure_reason", child.failure_reason);
    write_if_set(out, "failure_category", child.failure_category);
}

void add_call_routes(Routes& routes, Executions& executions, model::PartitionConfig partitions) {
    routes.add(
        {.method = "POST",
         .pattern = "/v1/executions/{id}/call-children",
         .body = BodyClass::Bulk,
         .doc = {.id = "callChildren",
                 .summary = "Create children and give the task back until all of them have ended",
                 .body = {{.name = "task_token", .about = "Of the claim; or header FF-Task-Token"},
                          {.name = "lease",
                           .kind = Kind::Object,
                           .type = "Lease",
                           .about = "lease_id, lease_epoch, attempt_id, attempt_index"},
                          {.name = "children",
                           .kind = Kind::Array,
                           .type = "[NewChild]",
                           .required = true,
                           .about = "1..256 of name, execution_kind, lane_id, payload or "
                                    "payload_base64, payload_encoding, policy, tags, priority, "
                                    "allow_missing_budget",
                           .example = R"([{"name":"de","execution_kind":"translate"}])"},
                          {.name = "on_child_failure",
                           .type = "fail|continue",
                           .about = "fail by default"},
                          steps_doc(false)},
                 .answer_type = "CallReceipt",
                 .errors = {"budget_not_found", "quota_policy_not_found", "execution_not_found",
                            "fence_required", "partial_fence_triple", "stale_lease",
                            "lease_expired", "lease_revoked", "execution_not_active",
                            "step_limit_exceeded", "call_limit_exceeded", "invalid_policy_json",
                            "invalid_capabilities", "lane_not_accepting", "budget_exceeded"}},
         .handle = [&executions, partitions](Call& call) {
             return call_children(executions, partitions, call);
         }});
    routes.add(
        {.method = "GET",
         .pattern = "/v1/executions/{id}/children",
         .doc = {.id = "listChildren",
                 .summary = "The children that an execution called, in the order of the calls",
                 .query = {{.name = "after", .about = "next_cursor of the page before"},
                           {.name = "limit", .kind = Kind::Integer, .about = "100; at most 1000"}},
                 .answer_type = "ChildPage",
                 .errors = {"execution_not_found", "invalid_cursor"}},
         .handle = [&executions, partitions](Call& call) {
             return children(executions, partitions, call);
         }});
}

}  // namespace ff::api
