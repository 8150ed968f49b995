#include "sdk/readings.h"

#include "base/json.h"
#include "sdk/words.h"

namespace ff::sdk {

using namespace flowfabric;

namespace {

void write_text(json::Writer& out, std::string_view name, const std::string& text) {
    if (!text.empty()) out.key(name).string(text);
}

}  // namespace

flowfabric::Result<flowfabric::Done> write_body(std::string& body, const NewExecution& execution) {
    json::Writer out(body);
    out.begin_object().key("execution_kind").string(execution.kind);
    out.key("lane_id").string(execution.lane).key("namespace").string(execution.ns);
    write_bytes(out, "payload", execution.payload);
    write_text(out, "execution_id", execution.execution_id);
    write_text(out, "idempotency_key", execution.idempotency_key);
    write_text(out, "colocate_with_flow", execution.colocate_with_flow);
    write_text(out, "payload_encoding", execution.payload_encoding);
    write_text(out, "creator_identity", execution.creator_identity);
    if (execution.priority != 0) out.key("priority").integer(execution.priority);
    if (!execution.tags.empty()) out.key("tags").raw(tags_json(execution.tags).dump());
    if (!execution.policy.empty()) {
        const auto policy = Json::parse(execution.policy);
        if (!policy) return config_error("the policy is no JSON: " + policy.error().text());
        out.key("policy").raw(execution.policy);
    }
    if (execution.delay_until) out.key("delay_until").raw(execution.delay_until->json().dump());
    if (execution.deadline) out.key("execution_deadline_at").raw(execution.deadline->json().dump());
    if (execution.hold_for_dependencies) out.key("initial_hold").string("dependencies");
    if (execution.allow_missing_budget) out.key("allow_missing_budget").boolean(true);
    out.end_object();
    return flowfabric::Done{};
}

Json tags_json(const Tags& tags) {
    Json object = Json::object();
    for (const auto& [name, value] : tags) object.set(name, value);
    return object;
}

CreatedExecution created_of(const Json& reply) {
    return {.execution_id = reply["execution_id"].text(),
            .public_state = reply["public_state"].text(),
            .duplicate = reply["status"].text() == "duplicate",
            .retention_ms = reply["retention_ms"].integer(),
            .expires_at = reply["expires_at"].integer()};
}

ExecutionInfo info_of(Json reply) {
    const Json& vector = reply["state_vector"];
    ExecutionInfo info{.execution_id = reply["execution_id"].text(),
                       .ns = reply["namespace"].text(),
                       .lane = reply["lane_id"].text(),
                       .kind = reply["execution_kind"].text(),
                       .public_state = reply["public_state"].text(),
                       .lifecycle_phase = vector["lifecycle_phase"].text(),
                       .terminal_outcome = vector["terminal_outcome"].text(),
                       .blocking_reason = vector["blocking_reason"].text(),
                       .failure_reason = reply["failure_reason"].text(),
                       .flow_id = reply["flow_id"].text(),
                       .progress_message = reply["progress_message"].text()};
    info.progress_pct = static_cast<int>(reply["progress_pct"].integer(-1));
    info.priority = static_cast<int>(reply["priority"].integer());
    info.created_at = reply["created_at"].integer();
    info.started_at = reply["started_at"].integer();
    info.completed_at = reply["completed_at"].integer();
    info.attempt_index = reply["current_attempt_index"].integer();
    info.attempt_count = reply["total_attempt_count"].integer();
    info.retention_ms = reply["retention_ms"].integer();
    info.expires_at = reply["expires_at"].integer();
    info.retries = reply["retries"].text();
    info.raw = std::move(reply);
    return info;
}

ExecutionSummary summary_of(const Json& one) {
    return {.execution_id = one["execution_id"].text(),
            .ns = one["namespace"].text(),
            .lane = one["lane_id"].text(),
            .kind = one["execution_kind"].text(),
            .public_state = one["public_state"].text(),
            .priority = static_cast<int>(one["priority"].integer()),
            .created_at = one["created_at"].integer(),
            .retention_ms = one["retention_ms"].integer(),
            .expires_at = one["expires_at"].integer()};
}

Waitpoint waitpoint_of(const Json& one) {
    return {.waitpoint_id = one["waitpoint_id"].text(),
            .waitpoint_key = one["waitpoint_key"].text(),
            .token = one["waitpoint_token"].text(),
            .state = one["state"].text(),
            .expires_at = one["expires_at"].integer(),
            .signal_names = one["required_signal_names"].text_items()};
}

SignalReceipt receipt_of(const Json& reply) {
    if (reply["status"].text() == "duplicate")
        return {.kind = SignalReceipt::Kind::Duplicate,
                .signal_id = reply["existing_signal_id"].text()};
    const std::string& effect = reply["effect"].text();
    const bool resumed = effect == "resume_condition_satisfied";
    return {.kind = resumed ? SignalReceipt::Kind::TriggeredResume : SignalReceipt::Kind::Accepted,
            .signal_id = reply["signal_id"].text(),
            .effect = effect};
}

Frame frame_of(const Json& one) {
    const Json& fields = one["fields"];
    return {.id = one["id"].text(),
            .type = fields["frame_type"].text(),
            .payload = bytes_of(fields, "payload").value_or(""),
            .at = fields["ts"].integer()};
}

FramePage frames_of(const Json& reply) {
    FramePage page;
    for (const Json& one : reply["frames"].items()) page.frames.push_back(frame_of(one));
    if (reply.has("next")) page.next = reply["next"].text();
    page.closed = reply.has("closed_at") && !reply["more"].boolean();
    page.closed_reason = reply["closed_reason"].text();
    return page;
}

UsageResult usage_of(const Json& one) {
    const bool hard = one["status"].text() == "hard_breach";
    return {.status = one["status"].text(),
            .budget_id = one["budget_id"].text(),
            .dimension = one["dimension"].text(),
            .current_usage = one["current_usage"].integer(),
            .limit = one[hard ? "hard_limit" : "soft_limit"].integer(),
            .action = one["action"].text()};
}

ReceivedSignal signal_of(const Json& one) {
    return {.signal_id = one["signal_id"].text(),
            .name = one["signal_name"].text(),
            .category = one["signal_category"].text(),
            .source_type = one["source_type"].text(),
            .source_identity = one["source_identity"].text(),
            .correlation_id = one["correlation_id"].text(),
            .accepted_at = one["accepted_at"].integer(),
            .payload = bytes_of(one, "payload")};
}

}  // namespace ff::sdk
