// Steps a handler records, children it calls, and what people are asked.

#include "flowfabric/steps.h"

#include "flowfabric/client.h"
#include "flowfabric/task.h"
#include "sdk/public_error.h"
#include "sdk/readings.h"
#include "sdk/task_requests.h"
#include "sdk/words.h"

namespace flowfabric {

using ff::sdk::execution_path;
using ff::sdk::get_json;
using ff::sdk::query_of;

namespace {

Step step_of(const Json& one) {
    return {.name = one["name"].text(),
            .value = ff::sdk::bytes_of(one, "value").value_or(Bytes{}),
            .encoding = one["encoding"].text(),
            .attempt_index = one["attempt_index"].integer(),
            .recorded_at = one["recorded_at"].integer()};
}

CalledChild child_of(const Json& one) {
    return {.name = one["name"].text(),
            .execution_id = one["execution_id"].text(),
            .outcome = one["outcome"].text(),
            .result = ff::sdk::bytes_of(one, "result"),
            .result_encoding = one["result_encoding"].text(),
            .failure_reason = one["failure_reason"].text(),
            .failure_category = one["failure_category"].text()};
}

std::vector<CalledChild> children_of(const Json& reply) {
    std::vector<CalledChild> children;
    for (const Json& one : reply["children"].items()) children.push_back(child_of(one));
    return children;
}

/// Nothing when its policy is no JSON.
Result<Json> body_of(const NewChild& child) {
    Json body = Json::object({{"name", child.name}, {"execution_kind", child.kind}});
    if (child.payload) ff::sdk::set_bytes(body, "payload", *child.payload);
    body.set_text("payload_encoding", child.payload_encoding).set_text("lane_id", child.lane);
    if (!child.policy.empty()) {
        FF_SDK_TRY(Json policy, Json::parse(child.policy));
        body.set("policy", std::move(policy));
    }
    if (!child.tags.empty()) body.set("tags", ff::sdk::tags_json(child.tags));
    if (child.priority) body.set("priority", *child.priority);
    return body;
}

}  // namespace

Result<StepPage> AdminClient::read_steps(const std::string& id, const std::string& after) const {
    const std::string target = execution_path(id, "/steps") + query_of({{"after", after}});
    FF_SDK_TRY(const Json reply, get_json(*door_, "read_steps", target));
    StepPage page{.next_cursor = reply["next_cursor"].text()};
    for (const Json& one : reply["steps"].items()) page.steps.push_back(step_of(one));
    return page;
}

Result<ChildPage> AdminClient::read_children(const std::string& id,
                                             const std::string& after) const {
    const std::string target = execution_path(id, "/children") + query_of({{"after", after}});
    FF_SDK_TRY(const Json reply, get_json(*door_, "read_children", target));
    return ChildPage{.children = children_of(reply), .next_cursor = reply["next_cursor"].text()};
}

Result<ApprovalPage> AdminClient::list_approvals(const ApprovalQuery& query) const {
    const std::string target =
        "/v1/approvals" + query_of({{"namespace", query.ns}, {"cursor", query.cursor}});
    FF_SDK_TRY(const Json reply, get_json(*door_, "list_approvals", target));
    ApprovalPage page{.next_cursor = reply["next_cursor"].text()};
    for (const Json& one : reply["approvals"].items())
        page.approvals.push_back({.execution_id = one["execution_id"].text(),
                                  .waitpoint = ff::sdk::waitpoint_of(one),
                                  .raw = one});
    return page;
}

Result<Bytes> Task::record_step(const std::string& name, const Bytes& value,
                                const std::string& encoding) {
    Json step = Json::object({{"name", name}});
    ff::sdk::set_bytes(step, "value", value);
    step.set_text("encoding", encoding);
    Json body = Json::object();
    body.set("steps", Json::array({std::move(step)}));
    FF_SDK_TRY(const Json reply,
               ff::sdk::with_lease(*state_, "record_steps", "/steps", std::move(body)));
    const Json& first = reply["steps"].items().front();
    const bool duplicate = first["status"].text() == "duplicate";
    Bytes kept = duplicate ? ff::sdk::bytes_of(first, "value").value_or(Bytes{}) : value;
    if (state_->steps) state_->steps->insert_or_assign(name, kept);
    return kept;
}

Result<Bytes> Task::step(const std::string& name, const std::function<Result<Bytes>()>& work) {
    if (!state_->steps) {
        std::map<std::string, Bytes> recorded;
        std::string cursor;
        do {
            FF_SDK_TRY(StepPage page, AdminClient(state_->door).read_steps(id(), cursor));
            for (Step& one : page.steps) recorded.emplace(one.name, std::move(one.value));
            cursor = std::move(page.next_cursor);
        } while (!cursor.empty());
        state_->steps = std::move(recorded);
    }
    if (const auto found = state_->steps->find(name); found != state_->steps->end())
        return found->second;
    FF_SDK_TRY(const Bytes value, work());
    return record_step(name, value);
}

Result<std::vector<CalledChild>> Task::call_children(const ChildCalls& calls) {
    Json children = Json::array();
    for (const NewChild& child : calls.children) {
        FF_SDK_TRY(Json body, body_of(child));
        children.push(std::move(body));
    }
    Json body =
        Json::object({{"on_child_failure", calls.continue_on_failure ? "continue" : "fail"}});
    body.set("children", std::move(children));
    FF_SDK_TRY(const Json reply,
               ff::sdk::ending(*state_, "call_children", "/call-children", std::move(body)));
    return children_of(reply);
}

}  // namespace flowfabric
