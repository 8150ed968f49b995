#include "sdk/readings_flows.h"

namespace ff::sdk {

using namespace flowfabric;

FlowInfo flow_of(Json reply) {
    FlowInfo flow{.flow_id = reply["flow_id"].text(),
                  .kind = reply["flow_kind"].text(),
                  .ns = reply["namespace"].text(),
                  .public_state = reply["public_flow_state"].text(),
                  .failure_policy = reply["failure_policy"].text(),
                  .outcome_policy = reply["outcome_policy"].text(),
                  .cancel_reason = reply["cancel_reason"].text(),
                  .graph_revision = reply["graph_revision"].integer(),
                  .node_count = reply["node_count"].integer(),
                  .edge_count = reply["edge_count"].integer(),
                  .sealed = reply["sealed"].boolean(),
                  .created_at = reply["created_at"].integer(),
                  .finished_at = reply["finished_at"].integer(),
                  .cancelled_at = reply["cancelled_at"].integer(),
                  .ended = amounts_of(reply["ended"])};
    for (const auto& [name, value] : reply["tags"].members()) flow.tags.emplace(name, value.text());
    flow.raw = std::move(reply);
    return flow;
}

FlowMember member_of(const Json& one) {
    return {.execution_id = one["execution_id"].text(),
            .name = one["name"].text(),
            .public_state = one["public_state"].text(),
            .lane = one["lane_id"].text(),
            .kind = one["execution_kind"].text(),
            .priority = static_cast<int>(one["priority"].integer()),
            .created_at = one["created_at"].integer(),
            .completed_at = one["completed_at"].integer(),
            .skip_reason = one["skip_reason"].text(),
            .cancellation_reason = one["cancellation_reason"].text()};
}

FlowEdge edge_of(const Json& one) {
    return {.edge_id = one["edge_id"].text(),
            .upstream = one["upstream_execution_id"].text(),
            .downstream = one["downstream_execution_id"].text(),
            .kind = one["dependency_kind"].text(),
            .data_passing_ref = one["data_passing_ref"].text(),
            .state = one["edge_state"].text()};
}

FlowGroup group_of(const Json& one) {
    return {.downstream = one["downstream_execution_id"].text(),
            .policy = one["policy"].text(),
            .on_satisfied = one["on_satisfied"].text(),
            .k = one["k"].integer(),
            .state = one["state"].text(),
            .n = one["n"].integer(),
            .succeeded = one["succeeded"].integer(),
            .failed = one["failed"].integer(),
            .skipped = one["skipped"].integer()};
}

CancelledFlow cancelled_flow_of(Json reply) {
    CancelledFlow flow{.status = reply["status"].text(),
                       .cancellation_policy = reply["cancellation_policy"].text(),
                       .public_state = reply["public_flow_state"].text(),
                       .member_count = reply["member_count"].integer(),
                       .members = reply["member_execution_ids"].text_items(),
                       .failed_members = reply["failed_member_execution_ids"].text_items()};
    flow.raw = std::move(reply);
    return flow;
}

BudgetInfo budget_of(Json reply) {
    BudgetInfo budget{.budget_id = reply["budget_id"].text(),
                      .scope = {reply["scope_type"].text(), reply["scope_id"].text()},
                      .enforcement_mode = reply["enforcement_mode"].text(),
                      .on_hard_limit = reply["on_hard_limit"].text(),
                      .on_soft_limit = reply["on_soft_limit"].text(),
                      .usage = amounts_of(reply["usage"]),
                      .hard_limits = amounts_of(reply["hard_limits"]),
                      .soft_limits = amounts_of(reply["soft_limits"]),
                      .remaining = amounts_of(reply["remaining"]),
                      .exhausted = reply["exhausted_dims"].text_items(),
                      .breach_count = reply["breach_count"].integer(),
                      .soft_breach_count = reply["soft_breach_count"].integer(),
                      .reset_count = reply["reset_count"].integer(),
                      .next_reset_at = reply["next_reset_at"].integer(),
                      .created_at = reply["created_at"].integer(),
                      .revision = reply["revision"].integer()};
    budget.raw = std::move(reply);
    return budget;
}

QuotaInfo quota_of(Json reply) {
    QuotaInfo quota{.quota_id = reply["quota_policy_id"].text(),
                    .name = reply["name"].text(),
                    .scope = {reply["scope_type"].text(), reply["scope_id"].text()},
                    .window_seconds = reply["window_seconds"].integer(),
                    .max_per_window = reply["max_requests_per_window"].integer(),
                    .max_concurrent = reply["max_concurrent"].integer(),
                    .window_entries = reply["window_entries"].integer(),
                    .held_slots = reply["held_slots"].integer(),
                    .next_slot_in = Millis(reply["next_slot_in_ms"].integer())};
    quota.raw = std::move(reply);
    return quota;
}

Lane lane_of(const Json& one) {
    Lane lane{.lane = one["lane_id"].text(),
              .state = one["state"].text(),
              .scheduling_weight = one["scheduling_weight"].integer(1),
              .default_policy = one["default_policy_json"].text(),
              .counts = amounts_of(one["counts"])};
    if (one.has("default_priority"))
        lane.default_priority = static_cast<int>(one["default_priority"].integer());
    return lane;
}

WorkerInfo worker_of(const Json& one) {
    return {.worker_id = one["worker_id"].text(),
            .worker_instance_id = one["worker_instance_id"].text(),
            .lanes = one["lanes"].text_items(),
            .capabilities = one["capabilities"].text_items(),
            .registered_at = one["registered_at_ms"].integer(),
            .last_heartbeat_at = one["last_heartbeat_ms"].integer()};
}

Grant grant_of(const Json& reply) {
    return {.execution_id = reply["execution_id"].text(),
            .kind = reply["kind"].text(),
            .lane = reply["lane_id"].text(),
            .expires_at = reply["expires_at_ms"].integer()};
}

Amounts amounts_of(const Json& object) {
    Amounts amounts;
    for (const auto& [name, value] : object.members()) {
        if (value.is_number()) amounts.emplace(name, value.integer());
    }
    return amounts;
}

Json amounts_json(const Amounts& amounts) {
    Json object = Json::object();
    for (const auto& [name, amount] : amounts) object.set(name, amount);
    return object;
}

}  // namespace ff::sdk
