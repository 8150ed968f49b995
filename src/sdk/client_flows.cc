// What a client asks about flows, budgets and quotas.

#include "flowfabric/client.h"
#include "sdk/public_error.h"
#include "sdk/readings.h"
#include "sdk/words.h"

namespace flowfabric {

using ff::sdk::flow_path;
using ff::sdk::get_json;
using ff::sdk::percent;
using ff::sdk::post_json;

namespace {

constexpr Millis kBeyondTheWait{5000};
constexpr Millis kPlainTimeout{30'000};

std::string budget_path(const std::string& id, std::string_view rest = {}) {
    return "/v1/budgets/" + percent(id) + std::string(rest);
}

std::string quota_path(const std::string& id, std::string_view rest = {}) {
    return "/v1/quotas/" + percent(id) + std::string(rest);
}

SubmittedFlow submitted_of(Json reply) {
    SubmittedFlow flow{.flow_id = reply["flow_id"].text(),
                       .already_satisfied = reply["status"].text() == "already_satisfied"};
    for (const auto& [name, id] : reply["nodes"].members()) flow.nodes.emplace(name, id.text());
    flow.raw = std::move(reply);
    return flow;
}

}  // namespace

Result<std::string> AdminClient::create_flow(const Json& flow) const {
    FF_SDK_TRY(const Json reply, post_json(*door_, "create_flow", "/v1/flows", flow));
    return reply["flow_id"].text();
}

Result<SubmittedFlow> AdminClient::submit_flow(const Json& graph) const {
    FF_SDK_TRY(Json reply, ff::sdk::ask(*door_, {.operation = "submit_flow",
                                                 .method = "POST",
                                                 .target = "/v1/flows/submit",
                                                 .body = graph.dump(),
                                                 .repeatable = graph.has("flow_id")}));
    return submitted_of(std::move(reply));
}

Result<SubmittedFlow> AdminClient::expand_flow(const std::string& flow_id,
                                               const Json& graph) const {
    FF_SDK_TRY(Json reply, post_json(*door_, "expand_flow", flow_path(flow_id, "/expand"), graph));
    return submitted_of(std::move(reply));
}

Result<Json> AdminClient::seal_flow(const std::string& flow_id) const {
    return post_json(*door_, "seal_flow", flow_path(flow_id, "/seal"), Json());
}

Result<Json> AdminClient::list_flows(const std::map<std::string, std::string>& filters) const {
    return get_json(*door_, "list_flows", "/v1/flows" + ff::sdk::query_of(filters));
}

Result<Json> AdminClient::describe_flow(const std::string& flow_id) const {
    return get_json(*door_, "describe_flow", flow_path(flow_id));
}

Result<Json> AdminClient::flow_graph(const std::string& flow_id, const std::string& cursor) const {
    return get_json(*door_, "flow_graph",
                    flow_path(flow_id, "/graph" + ff::sdk::query_of({{"cursor", cursor}})));
}

Result<Json> AdminClient::flow_summary(const std::string& flow_id) const {
    return get_json(*door_, "flow_summary", flow_path(flow_id, "/summary"));
}

Result<Json> AdminClient::flow_members(const std::string& flow_id,
                                       const std::string& cursor) const {
    return get_json(*door_, "flow_members",
                    flow_path(flow_id, "/members" + ff::sdk::query_of({{"cursor", cursor}})));
}

Result<Json> AdminClient::flow_edges(const std::string& flow_id, const std::string& cursor) const {
    return get_json(*door_, "flow_edges",
                    flow_path(flow_id, "/edges" + ff::sdk::query_of({{"cursor", cursor}})));
}

Result<Json> AdminClient::add_execution_to_flow(const std::string& flow_id,
                                                const std::string& id) const {
    return post_json(*door_, "add_execution_to_flow", flow_path(flow_id, "/members"),
                     Json::object({{"execution_id", id}}));
}

Result<Json> AdminClient::stage_dependency_edge(const std::string& flow_id, const Json& edge,
                                                bool apply) const {
    return post_json(*door_, "stage_dependency_edge",
                     flow_path(flow_id, apply ? "/edges?apply=true" : "/edges"), edge);
}

Result<Json> AdminClient::apply_dependency_to_child(const std::string& flow_id,
                                                    const Json& edge) const {
    return post_json(*door_, "apply_dependency_to_child", flow_path(flow_id, "/edges/apply"), edge);
}

Result<Json> AdminClient::set_edge_group_policy(const std::string& flow_id,
                                                const std::string& downstream,
                                                const Json& policy) const {
    return ff::sdk::ask(*door_,
                        {.operation = "set_edge_group_policy",
                         .method = "PUT",
                         .target = flow_path(flow_id, "/edge-groups/" + percent(downstream)),
                         .body = policy.dump(),
                         .repeatable = true});
}

Result<Done> AdminClient::set_flow_tags(const std::string& flow_id, const Tags& tags) const {
    FF_SDK_TRY([[maybe_unused]] const Json reply,
               ff::sdk::ask(*door_, {.operation = "set_flow_tags",
                                     .method = "PUT",
                                     .target = flow_path(flow_id, "/tags"),
                                     .body = ff::sdk::tags_json(tags).dump(),
                                     .repeatable = true}));
    return Done{};
}

Result<Json> AdminClient::cancel_flow(const std::string& flow_id, const std::string& reason,
                                      Millis wait) const {
    const bool waits = wait.count() > 0;
    const std::string query =
        waits ? "?wait=true&timeout_ms=" + std::to_string(wait.count()) : std::string();
    return ff::sdk::ask(*door_, {.operation = "cancel_flow",
                                 .method = "POST",
                                 .target = flow_path(flow_id, "/cancel" + query),
                                 .body = Json::object({{"reason", reason}}).dump(),
                                 .timeout = waits ? wait + kBeyondTheWait : kPlainTimeout});
}

Result<std::string> AdminClient::create_budget(const Json& budget) const {
    FF_SDK_TRY(const Json reply, post_json(*door_, "create_budget", "/v1/budgets", budget));
    return reply["budget_id"].text();
}

Result<Json> AdminClient::describe_budget(const std::string& budget_id) const {
    return get_json(*door_, "describe_budget", budget_path(budget_id));
}

Result<Json> AdminClient::update_budget(const std::string& budget_id, const Json& changes) const {
    return ff::sdk::ask(*door_, {.operation = "update_budget",
                                 .method = "PUT",
                                 .target = budget_path(budget_id),
                                 .body = changes.dump()});
}

Result<UsageResult> AdminClient::report_usage(const std::string& budget_id,
                                              const std::map<std::string, std::int64_t>& dimensions,
                                              const std::string& dedup_key) const {
    Json amounts = Json::object();
    for (const auto& [name, amount] : dimensions) amounts.set(name, amount);
    Json body = Json::object({{"dimensions", amounts}});
    body.set_text("dedup_key", dedup_key);
    FF_SDK_TRY(const Json reply, ff::sdk::ask(*door_, {.operation = "report_usage",
                                                       .method = "POST",
                                                       .target = budget_path(budget_id, "/usage"),
                                                       .body = body.dump(),
                                                       .repeatable = !dedup_key.empty()}));
    return ff::sdk::usage_of(reply);
}

Result<Json> AdminClient::spend_budget(const std::string& budget_id, const Json& spend) const {
    return post_json(*door_, "spend_budget", budget_path(budget_id, "/spend"), spend);
}

Result<Json> AdminClient::release_budget(const std::string& budget_id,
                                         const std::string& id) const {
    return post_json(*door_, "release_budget", budget_path(budget_id, "/release"),
                     Json::object({{"execution_id", id}}));
}

Result<Json> AdminClient::reset_budget(const std::string& budget_id) const {
    return post_json(*door_, "reset_budget", budget_path(budget_id, "/reset"), Json());
}

Result<Json> AdminClient::attach_budget(const std::string& budget_id, const Json& scope) const {
    return post_json(*door_, "attach_budget", budget_path(budget_id, "/attach"), scope);
}

Result<Json> AdminClient::detach_budget(const std::string& budget_id, const Json& scope) const {
    return post_json(*door_, "detach_budget", budget_path(budget_id, "/detach"), scope);
}

Result<std::string> AdminClient::create_quota(const Json& quota) const {
    FF_SDK_TRY(const Json reply, post_json(*door_, "create_quota", "/v1/quotas", quota));
    return reply["quota_policy_id"].text();
}

Result<Json> AdminClient::describe_quota(const std::string& quota_id) const {
    return get_json(*door_, "describe_quota", quota_path(quota_id));
}

Result<Json> AdminClient::attach_quota(const std::string& quota_id, const Json& scope) const {
    return post_json(*door_, "attach_quota", quota_path(quota_id, "/attach"), scope);
}

Result<Json> AdminClient::detach_quota(const std::string& quota_id, const Json& scope) const {
    return post_json(*door_, "detach_quota", quota_path(quota_id, "/detach"), scope);
}

}  // namespace flowfabric
