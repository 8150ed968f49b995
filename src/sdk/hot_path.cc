#include "sdk/hot_path.h"

#include "base/bytes.h"
#include "base/json.h"
#include "sdk/door.h"
#include "sdk/public_error.h"
#include "sdk/words.h"

namespace ff::sdk {
namespace {

using flowfabric::Error;
using flowfabric::Json;
using flowfabric::Result;

constexpr flowfabric::Millis kBeyondTheWait{5000};
constexpr flowfabric::Millis kPlainTimeout{30'000};

void write_texts(json::Writer& out, std::string_view name, const std::vector<std::string>& texts) {
    out.key(name).begin_array();
    for (const std::string& text : texts) out.string(text);
    out.end_array();
}

void write_completion(json::Writer& out, const HotCompletion& completion) {
    const HeldLease& lease = completion.lease;
    out.begin_object().key("execution_id").string(lease.execution_id);
    out.key("lease").begin_object();
    out.key("lease_id").string(lease.lease_id);
    out.key("lease_epoch").integer(lease.lease_epoch);
    out.key("attempt_id").string(lease.attempt_id);
    out.key("attempt_index").integer(lease.attempt_index).end_object();
    if (completion.result) write_bytes(out, "result", *completion.result);
    out.end_object();
}

std::string body_of(const HotClaim& request) {
    std::string body;
    json::Writer out(body);
    out.begin_object().key("worker_instance_id").string(request.worker_instance_id);
    if (!request.ns.empty()) out.key("namespace").string(request.ns);
    write_texts(out, "lanes", request.lanes);
    write_texts(out, "capabilities", request.capabilities);
    if (!request.kinds.empty()) write_texts(out, "kinds", request.kinds);
    out.key("max_tasks").unsigned_integer(request.tasks_max);
    out.key("wait_ms").integer(request.wait.count());
    out.key("lease_ttl_ms").integer(request.lease_ttl.count());
    if (!request.claim_id.empty()) out.key("claim_id").string(request.claim_id);
    if (request.first_try) out.key("first_try").boolean(true);
    if (!request.completions.empty()) {
        out.key("completions").begin_array();
        for (const HotCompletion& completion : request.completions)
            write_completion(out, completion);
        out.end_array();
    }
    out.end_object();
    return body;
}

std::string text_of(json::Value object, std::string_view name) {
    const auto member = object.find(name);
    if (!member) return {};
    return std::string(member->as_string().value_or(""));
}

std::int64_t number_of(json::Value object, std::string_view name) {
    const auto member = object.find(name);
    return member ? member->as_integer().value_or(0) : 0;
}

std::string bytes_in(json::Value object, const std::string& name) {
    if (object.find(name)) return text_of(object, name);
    return from_base64(text_of(object, name + "_base64")).value_or("");
}

HotTask task_of(json::Value task) {
    HotTask read{.payload = bytes_in(task, "payload"),
                 .payload_omitted = text_of(task, "payload_state") == "omitted"};
    flowfabric::TaskInfo& info = read.info;
    info.execution_id = text_of(task, "execution_id");
    info.ns = text_of(task, "namespace");
    info.lane = text_of(task, "lane_id");
    info.kind = text_of(task, "execution_kind");
    info.flow_id = text_of(task, "flow_id");
    info.priority = static_cast<int>(number_of(task, "priority"));
    info.created_at = number_of(task, "created_at");
    info.attempt_index = number_of(task, "attempt_index");
    info.attempt_id = text_of(task, "attempt_id");
    info.attempt_type = text_of(task, "attempt_type");
    info.lease_id = text_of(task, "lease_id");
    info.lease_epoch = number_of(task, "lease_epoch");
    info.lease_ttl = flowfabric::Millis(number_of(task, "lease_ttl_ms"));
    info.payload_encoding = text_of(task, "payload_encoding");
    info.suspension_id = text_of(task, "suspension_id");
    info.continuation = bytes_in(task, "continuation_metadata_pointer");
    if (const auto tags = task.find("tags")) {
        for (std::size_t i = 0; i < tags->size(); ++i) {
            const auto [name, value] = tags->member(i);
            info.tags.emplace(name, value.as_string().value_or(""));
        }
    }
    return read;
}

std::optional<Error> outcome_of(json::Value result) {
    if (text_of(result, "status") != "error") return std::nullopt;
    const auto item = Json::parse(result.to_text());
    return error_of_item(item ? *item : Json());
}

}  // namespace

Result<HotClaimed> Door::claim(const HotClaim& request) {
    DoorRequest sent{.operation = request.completions.empty() ? "claim" : "complete_and_claim",
                     .method = "POST",
                     .target = "/v1/workers/" + percent(request.worker_id) + "/tasks/claim",
                     .body = body_of(request),
                     .stop = request.stop};
    sent.timeout = request.wait.count() > 0 ? request.wait + kBeyondTheWait : kPlainTimeout;
    if (request.timeout) sent.timeout = *request.timeout;
    FF_SDK_TRY(const DoorReply reply, success_of(send(sent)));
    HotClaimed claimed;
    if (reply.status == 204) return claimed;
    const auto document = json::Document::parse(reply.body);
    if (!document.has_value()) return malformed_response("claim", document.error().text());
    if (const auto tasks = document->root().find("tasks")) {
        for (std::size_t i = 0; i < tasks->size(); ++i)
            claimed.tasks.push_back(task_of(tasks->element(i)));
    }
    if (const auto results = document->root().find("results")) {
        for (std::size_t i = 0; i < results->size(); ++i)
            claimed.completions.push_back(outcome_of(results->element(i)));
    }
    if (claimed.completions.size() != request.completions.size())
        return malformed_response("claim", "not as many results as completions");
    return claimed;
}

}  // namespace ff::sdk
