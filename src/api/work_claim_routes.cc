#include <memory>
#include <utility>

#include "api/call_fields.h"
#include "api/execution_fields.h"
#include "api/fields.h"
#include "api/json_response.h"
#include "api/lease_fields.h"
#include "api/parse_path.h"
#include "api/step_fields.h"
#include "api/watch_peer.h"
#include "api/work_routes.h"
#include "model/error_catalogue.h"
#include "model/exec_keys.h"

namespace ff::api {
namespace {

using Kind = FieldDoc::Kind;
using service::ClaimedWork;
using service::Work;
using service::WorkRequest;

constexpr std::size_t kLanesMost = 64;
constexpr std::size_t kCompletionsMost = 256;
constexpr CountLimits kCapabilities{.most = 4096};

Result<std::vector<model::LaneId>> parse_lanes(const Fields& body) {
    FF_TRY(const auto names, body.texts("lanes", {.least = 1, .most = kLanesMost}));
    std::vector<model::LaneId> lanes;
    for (const std::string& name : names) {
        auto lane = model::LaneId::parse(name);
        if (!lane) return within_field(std::move(lane).error(), body.full_name("lanes"));
        lanes.push_back(*std::move(lane));
    }
    return lanes;
}

Result<model::CapabilitySet> parse_capabilities(const Fields& body, std::string_view name) {
    FF_TRY(const auto texts, body.texts(name, kCapabilities));
    const std::vector<std::string_view> tokens(texts.begin(), texts.end());
    return model::CapabilitySet::parse(tokens, "worker");
}

/// Absent: any kind.
Result<model::KindSet> parse_kinds(const Fields& body) {
    if (!body.has("kinds")) return model::KindSet();
    FF_TRY(const auto names, body.texts("kinds"));
    return model::KindSet::parse(names, body.full_name("kinds"));
}

Result<WorkRequest> parse_claim(const Call& call, const Fields& body, bool completes) {
    FF_TRY(model::WorkerId worker, parse_path<model::WorkerId>(call, "worker_id"));
    FF_CHECK(body.matches_path("worker_id", worker.text()));
    FF_TRY(auto instance, body.id<model::WorkerInstanceId>("worker_instance_id"));
    WorkRequest request{
        .claim = {.worker_id = std::move(worker), .worker_instance_id = std::move(instance)}};
    sched::ClaimRequest& claim = request.claim;
    FF_TRY(claim.lanes, parse_lanes(body));
    FF_TRY(claim.only_namespace, body.id_if<model::Namespace>("namespace"));
    FF_TRY(claim.capabilities, parse_capabilities(body, "capabilities"));
    FF_TRY(claim.kinds, parse_kinds(body));
    const std::int64_t tasks_most = sched::ClaimRequest::kTasksMost;
    FF_TRY(const std::int64_t tasks,
           body.integer_or("max_tasks", 1, {.least = completes ? 0 : 1, .most = tasks_most}));
    claim.tasks_max = static_cast<std::size_t>(tasks);
    const std::int64_t wait_most = sched::ClaimRequest::kWaitMost.count();
    FF_TRY(const std::int64_t wait, body.integer_or("wait_ms", 0, {.least = 0, .most = wait_most}));
    claim.wait = Millis(wait);
    FF_TRY(const std::int64_t ttl,
           body.integer_or("lease_ttl_ms", 30'000, {.least = 1000, .most = 3'600'000}));
    claim.lease_ttl = Millis(ttl);
    FF_TRY(claim.claim_id, body.text_or("claim_id", "", {.most = 128}));
    FF_TRY(claim.first_try, body.flag_or("first_try", false));
    FF_TRY(request.include_payload, body.flag_or("include_payload", true));
    FF_TRY(request.payload_bytes_max,
           body.integer_or("max_payload_bytes", WorkRequest::kPayloadBytesDefault,
                           {.least = 0, .most = WorkRequest::kPayloadBytesDefault}));
    return request;
}

/// An item that cannot be understood is refused on its own.
struct ParsedCompletion {
    std::string execution_id{};
    Result<engine::CompleteExecution> completion;
};

Result<engine::CompleteExecution> parse_completion(const Fields& item,
                                                   const model::PartitionConfig& partitions) {
    FF_CHECK(
        item.only({"execution_id", "task_token", "lease", "lease_id", "lease_epoch", "attempt_id",
                   "attempt_index", "result", "result_base64", "result_encoding", "steps"}));
    FF_TRY(const auto id, item.id<model::ExecutionId>("execution_id"));
    FF_CHECK(model::check_in_range(id, partitions));
    FF_TRY(const auto lease, find_lease(item.value(), std::nullopt, id));
    if (!lease) return model::make_error("fence_required");
    engine::CompleteExecution completion{.execution_id = id, .fence = lease->fence};
    FF_TRY(std::optional<Bytes> result, item.bytes_if("result"));
    if (result) completion.result = *std::move(result);
    FF_TRY(completion.result_encoding, item.text_or("result_encoding", "", {.most = 256}));
    FF_TRY(completion.steps, parse_steps(item, 0));
    return completion;
}

std::string_view payload_word(engine::ClaimedTask::PayloadState state) {
    switch (state) {
        case engine::ClaimedTask::PayloadState::Inline:
            return "inline";
        case engine::ClaimedTask::PayloadState::None:
            return "none";
        case engine::ClaimedTask::PayloadState::Omitted:
            return "omitted";
    }
    return {};
}

void write_steps(json::Writer& out, const engine::ClaimedTask& task) {
    out.key("steps_state").string(payload_word(task.steps_state));
    if (task.steps_state != engine::ClaimedTask::PayloadState::Inline) return;
    out.key("steps").begin_array();
    for (const engine::Step& step : task.steps) {
        out.begin_object();
        write_step(out, step);
        out.end_object();
    }
    out.end_array();
}

void write_children(json::Writer& out, const engine::ClaimedTask& task) {
    out.key("children_state").string(payload_word(task.children_state));
    if (task.children_state != engine::ClaimedTask::PayloadState::Inline) return;
    out.key("children").begin_array();
    for (const engine::CalledChild& child : task.children) {
        out.begin_object();
        write_called_child(out, child);
        out.end_object();
    }
    out.end_array();
}

void write_task(json::Writer& out, const ClaimedWork& work) {
    const engine::ClaimedTask& task = work.task.task;
    out.begin_object();
    out.key("execution_id").string(task.execution_id.to_string());
    out.key("namespace").string(task.ns);
    out.key("lane_id").string(work.task.lane.text());
    out.key("execution_kind").string(task.execution_kind);
    out.key("priority").integer(task.priority);
    out.key("created_at").integer(to_ms(task.created_at));
    if (task.flow_id.empty()) {
        out.key("flow_id").null();
    } else {
        out.key("flow_id").string(task.flow_id);
    }
    out.key("attempt_index").unsigned_integer(task.attempt_index.value);
    out.key("attempt_id").string(task.fence.attempt_id.to_string());
    out.key("attempt_type").string(task.attempt_type);
    out.key("lease_id").string(task.fence.lease_id.to_string());
    out.key("lease_epoch").unsigned_integer(task.fence.lease_epoch.value);
    out.key("lease_ttl_ms").integer(work.lease_ttl.count());
    out.key("lease_expires_at").integer(to_ms(task.lease_expires_at));
    out.key("tags").begin_object();
    for (const auto& [name, value] : task.tags) out.key(name).string(value);
    out.end_object();
    out.key("payload_state").string(payload_word(task.payload_state));
    if (task.payload_state == engine::ClaimedTask::PayloadState::Inline) {
        write_bytes(out, "payload", task.payload);
    }
    write_steps(out, task);
    write_children(out, task);
    if (!task.payload_encoding.empty()) out.key("payload_encoding").string(task.payload_encoding);
    if (!task.suspension_id.empty()) out.key("suspension_id").string(task.suspension_id);
    if (!task.continuation.empty()) {
        write_bytes(out, "continuation_metadata_pointer", task.continuation);
    }
    out.key("task_token").string(work.token);
    out.end_object();
}

void write_tasks(json::Writer& out, const std::vector<ClaimedWork>& tasks) {
    out.key("tasks").begin_array();
    for (const ClaimedWork& task : tasks) write_task(out, task);
    out.end_array();
}

boost::asio::awaitable<void> give_back(Work& work, std::vector<ClaimedWork> tasks) {
    // What cannot be given back is reclaimed when its lease ends.
    const Result<Done> given = co_await work.give_back(std::move(tasks));
    static_cast<void>(given.has_value());
}

/// A reply that takes its tasks back if nobody gets it. The copy holds leases only.
void take_back_if_undelivered(http::Response& response, Work& work,
                              std::vector<ClaimedWork> tasks) {
    if (tasks.empty()) return;
    for (ClaimedWork& task : tasks) {
        task.task.task.payload.clear();
        task.task.task.continuation.clear();
        task.task.task.steps.clear();
        task.task.task.children.clear();
    }
    response.undelivered = [&work, tasks = std::move(tasks)] { return give_back(work, tasks); };
}

boost::asio::awaitable<void> run_claim(Work& work, WorkRequest request,
                                       Result<std::vector<ClaimedWork>>& tasks) {
    tasks = co_await work.claim(std::move(request));
}

Task<http::Response> claim_only(Work& work, Call& call, WorkRequest request) {
    Result<std::vector<ClaimedWork>> tasks = std::vector<ClaimedWork>();
    if (request.claim.wait == Millis(0)) {
        tasks = co_await work.claim(std::move(request));
        // A claim that waits is told when its client leaves; this one has to look.
        if (tasks && !tasks->empty() && call.peer().has_left()) {
            co_await give_back(work, *std::move(tasks));
            co_return http::Response{.status = 204};
        }
    } else {
        auto abandonment = std::make_shared<sched::Abandonment>();
        request.claim.abandonment = abandonment;
        auto claiming = run_claim(work, std::move(request), tasks);
        std::function<void()> left = [abandonment] { abandonment->abandon(); };
        co_await watch_peer(call.peer(), std::move(claiming), std::move(left));
        if (abandonment->abandoned() && tasks) {
            co_await give_back(work, *std::move(tasks));
            co_return http::Response{.status = 204};
        }
    }
    if (!tasks) co_return std::move(tasks).error();
    if (tasks->empty()) co_return http::Response{.status = 204};
    http::Response response =
        json_response(200, [&tasks](json::Writer& out) { write_tasks(out, *tasks); });
    take_back_if_undelivered(response, work, *std::move(tasks));
    co_return response;
}

boost::asio::awaitable<void> run_completing(Work& work, WorkRequest request,
                                            std::vector<engine::CompleteExecution> completions,
                                            service::CompletedWork& done) {
    done = co_await work.complete_and_claim(std::move(request), std::move(completions));
}

http::Response completed_reply(
    const std::vector<ParsedCompletion>& items,
    const std::vector<Result<engine::CompleteExecution::Outcome>>& results,
    const std::vector<ClaimedWork>& tasks) {
    return json_response(200, [&](json::Writer& out) {
        write_tasks(out, tasks);
        out.key("results").begin_array();
        std::size_t sent = 0;
        for (const ParsedCompletion& item : items) {
            out.begin_object();
            out.key("execution_id").string(item.execution_id);
            const auto* result = item.completion ? &results[sent++] : nullptr;
            if (result != nullptr && *result) {
                out.key("status").string("completed");
                out.key("replayed").boolean((*result)->replayed);
            } else {
                write_item_error(out,
                                 result != nullptr ? result->error() : item.completion.error());
            }
            out.end_object();
        }
        out.end_array();
    });
}

Task<http::Response> complete_and_claim(Work& work, Call& call, WorkRequest request,
                                        std::vector<ParsedCompletion> items) {
    std::vector<engine::CompleteExecution> completions;
    for (ParsedCompletion& item : items) {
        if (item.completion) completions.push_back(*item.completion);
    }
    auto abandonment = std::make_shared<sched::Abandonment>();
    request.claim.abandonment = abandonment;
    service::CompletedWork done;
    const bool waits = request.claim.wait > Millis(0);
    auto working = run_completing(work, std::move(request), std::move(completions), done);
    std::function<void()> left = [abandonment] { abandonment->abandon(); };
    if (waits) {
        co_await watch_peer(call.peer(), std::move(working), std::move(left));
    } else {
        co_await std::move(working);
    }
    const bool left_unseen = !waits && !done.tasks.empty() && call.peer().has_left();
    if (abandonment->abandoned() || left_unseen) {
        co_await give_back(work, std::move(done.tasks));
        done.tasks.clear();
    }
    http::Response response = completed_reply(items, done.results, done.tasks);
    take_back_if_undelivered(response, work, std::move(done.tasks));
    co_return response;
}

Task<http::Response> claim(Work& work, model::PartitionConfig partitions, Call& call) {
    FF_CO_TRY(const json::Value object, call.object());
    const Fields body(object);
    const bool completes = body.has("completions");
    FF_CO_TRY(WorkRequest request, parse_claim(call, body, completes));
    if (!completes) co_return co_await claim_only(work, call, std::move(request));
    FF_CO_TRY(const std::vector<Fields> given,
              body.objects("completions", {.most = kCompletionsMost}));
    std::vector<ParsedCompletion> items;
    for (const Fields& item : given) {
        FF_CO_TRY(std::string id, item.text("execution_id"));
        items.push_back(
            {.execution_id = std::move(id), .completion = parse_completion(item, partitions)});
    }
    co_return co_await complete_and_claim(work, call, std::move(request), std::move(items));
}

Task<http::Response> grant(Work& work, Call& call) {
    FF_CO_TRY(const json::Value object, call.object());
    const Fields body(object);
    FF_CO_TRY(auto worker, parse_path<model::WorkerId>(call, "worker_id"));
    FF_CO_TRY(auto lane, body.id<model::LaneId>("lane_id"));
    FF_CO_TRY(auto instance, body.id<model::WorkerInstanceId>("worker_instance_id"));
    FF_CO_TRY(auto capabilities, parse_capabilities(body, "capabilities"));
    FF_CO_TRY(const std::int64_t ttl,
              body.integer_or("grant_ttl_ms", 5000, {.least = 1, .most = 60'000}));
    sched::GrantSearch search{.lane = std::move(lane),
                              .worker_id = std::move(worker),
                              .worker_instance_id = std::move(instance),
                              .capabilities = std::move(capabilities),
                              .grant_ttl = Millis(ttl)};
    FF_CO_TRY(const std::optional<sched::FoundGrant> found, co_await work.grant(std::move(search)));
    if (!found) co_return http::Response{.status = 204};
    co_return json_response(200, [&found](json::Writer& out) {
        out.key("execution_id").string(found->execution_id.to_string());
        out.key("partition_key").string(found->execution_id.partition().tag());
        out.key("grant_key").string(model::ExecKeys(found->execution_id).claim_grant());
        out.key("expires_at_ms").integer(to_ms(found->grant.expires_at));
        out.key("kind").string(engine::to_string(found->grant.kind));
        out.key("lane_id").string(found->lane.text());
    });
}

std::vector<FieldDoc> claim_fields() {
    return {{.name = "worker_instance_id", .required = true, .example = "\"w-1\""},
            {.name = "lanes",
             .kind = Kind::Array,
             .type = "[string]",
             .required = true,
             .example = "[\"default\"]"},
            {.name = "namespace", .about = "Only executions of this one"},
            {.name = "capabilities", .kind = Kind::Array, .type = "[string]"},
            {.name = "kinds",
             .kind = Kind::Array,
             .type = "[string]",
             .about = "Only executions of these kinds, at most 64; absent: any"},
            {.name = "max_tasks", .kind = Kind::Integer, .about = "1; at most 256"},
            {.name = "wait_ms", .kind = Kind::Integer, .about = "0; at most 30000"},
            {.name = "lease_ttl_ms", .kind = Kind::Integer, .about = "30000; 1000..3600000"},
            {.name = "include_payload", .kind = Kind::Boolean, .about = "true"},
            {.name = "max_payload_bytes", .kind = Kind::Integer, .about = "4194304"},
            {.name = "claim_id", .about = "The same again gives the same tasks"},
            {.name = "first_try",
             .kind = Kind::Boolean,
             .about = "The claim_id was never sent before: it is not looked for"},
            {.name = "completions",
             .kind = Kind::Array,
             .type = "[Completion]",
             .about = "Tasks to complete first"}};
}

}  // namespace

void add_claim_routes(Routes& routes, Work& work, model::PartitionConfig partitions) {
    routes.add(
        {.method = "POST",
         .pattern = "/v1/workers/{worker_id}/tasks/claim",
         .body = BodyClass::Bulk,
         .doc = {.id = "claimTasks",
                 .summary = "Claim tasks, waiting for them if need be",
                 .body = claim_fields(),
                 .answer_type = "ClaimedTasks",
                 .statuses = {200, 204},
                 .errors = {"invalid_capabilities", "too_many_requests"}},
         .handle = [&work, partitions](Call& call) { return claim(work, partitions, call); }});
    routes.add(
        {.method = "POST",
         .pattern = "/v1/workers/{worker_id}/claim",
         .body = BodyClass::Control,
         .doc = {.id = "requestGrant",
                 .summary = "Get a grant, for a worker that claims against the store itself",
                 .body = {{.name = "lane_id", .required = true, .example = "\"default\""},
                          {.name = "worker_instance_id", .required = true, .example = "\"w-1\""},
                          {.name = "capabilities", .kind = Kind::Array, .type = "[string]"},
                          {.name = "grant_ttl_ms", .kind = Kind::Integer, .about = "1..60000"}},
                 .answer_type = "Grant",
                 .statuses = {200, 204},
                 .errors = {"invalid_capabilities"}},
         .handle = [&work](Call& call) { return grant(work, call); }});
}

}  // namespace ff::api
