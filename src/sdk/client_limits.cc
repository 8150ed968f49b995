// What a client asks about budgets and quotas.

#include "flowfabric/client.h"
#include "sdk/public_error.h"
#include "sdk/readings.h"
#include "sdk/readings_flows.h"
#include "sdk/words.h"

namespace flowfabric {

using ff::sdk::get_json;
using ff::sdk::percent;
using ff::sdk::post_json;
using ff::sdk::query_of;

namespace {

std::string budget_path(const std::string& id, std::string_view rest = {}) {
    return "/v1/budgets/" + percent(id) + std::string(rest);
}

std::string quota_path(const std::string& id, std::string_view rest = {}) {
    return "/v1/quotas/" + percent(id) + std::string(rest);
}

Json scope_json(const Scope& scope) {
    return Json::object({{"scope_type", scope.type}, {"scope_id", scope.id}});
}

/// `dimensions`, `hard_limits` and `soft_limits` as lists of one length; a soft limit of 0 is none.
Result<Done> set_limits(Json& body, const Amounts& hard, const Amounts& soft) {
    Json dimensions = Json::array();
    Json hard_limits = Json::array();
    Json soft_limits = Json::array();
    for (const auto& [name, limit] : hard) {
        dimensions.push(name);
        hard_limits.push(limit);
        soft_limits.push(soft.contains(name) ? soft.at(name) : 0);
    }
    for (const auto& [name, limit] : soft) {
        if (!hard.contains(name)) return config_error("a soft limit without a hard one: " + name);
    }
    if (hard.empty()) return Done{};
    body.set("dimensions", std::move(dimensions))
        .set("hard_limits", std::move(hard_limits))
        .set("soft_limits", std::move(soft_limits));
    return Done{};
}

Result<Done> post_scope(ff::sdk::Door& door, std::string_view operation, std::string target,
                        const Scope& scope) {
    FF_SDK_TRY([[maybe_unused]] const Json reply,
               post_json(door, operation, std::move(target), scope_json(scope)));
    return Done{};
}

std::string page_query(const std::string& cursor, int limit) {
    return query_of({{"cursor", cursor}, {"limit", std::to_string(limit)}});
}

}  // namespace

Result<std::string> AdminClient::create_budget(const NewBudget& budget) const {
    Json body = Json::object();
    body.set_text("budget_id", budget.budget_id)
        .set_text("scope_type", budget.scope.type)
        .set_text("scope_id", budget.scope.id)
        .set_text("enforcement_mode", budget.enforcement_mode)
        .set_text("on_hard_limit", budget.on_hard_limit)
        .set_text("on_soft_limit", budget.on_soft_limit);
    FF_SDK_TRY([[maybe_unused]] Done limits,
               set_limits(body, budget.hard_limits, budget.soft_limits));
    if (budget.reset_interval.count() > 0)
        body.set("reset_interval_ms", std::int64_t{budget.reset_interval.count()});
    if (budget.attach) body.set("attach", true);
    FF_SDK_TRY(const Json reply, ff::sdk::ask(*door_, {.operation = "create_budget",
                                                       .method = "POST",
                                                       .target = "/v1/budgets",
                                                       .body = body.dump(),
                                                       .repeatable = !budget.budget_id.empty()}));
    return reply["budget_id"].text();
}

Result<BudgetInfo> AdminClient::describe_budget(const std::string& budget_id) const {
    FF_SDK_TRY(Json reply, get_json(*door_, "describe_budget", budget_path(budget_id)));
    return ff::sdk::budget_of(std::move(reply));
}

Result<BudgetPage> AdminClient::list_budgets(const std::string& cursor, int limit) const {
    FF_SDK_TRY(Json reply,
               get_json(*door_, "list_budgets", "/v1/budgets" + page_query(cursor, limit)));
    BudgetPage page{.next_cursor = reply["next_cursor"].text()};
    for (const Json& one : reply["budgets"].items())
        page.budgets.push_back(ff::sdk::budget_of(one));
    page.raw = std::move(reply);
    return page;
}

Result<std::int64_t> AdminClient::update_budget(const std::string& budget_id,
                                                const BudgetChanges& changes) const {
    Json body = Json::object();
    body.set_text("enforcement_mode", changes.enforcement_mode)
        .set_text("on_hard_limit", changes.on_hard_limit)
        .set_text("on_soft_limit", changes.on_soft_limit)
        .set_text("actor", changes.actor)
        .set_text("reason", changes.reason);
    FF_SDK_TRY([[maybe_unused]] Done limits,
               set_limits(body, changes.hard_limits, changes.soft_limits));
    FF_SDK_TRY(const Json reply, ff::sdk::ask(*door_, {.operation = "update_budget",
                                                       .method = "PUT",
                                                       .target = budget_path(budget_id),
                                                       .body = body.dump()}));
    return reply["revision"].integer();
}

Result<UsageResult> AdminClient::try_spend(const std::string& budget_id, const Amounts& dimensions,
                                           const std::string& dedup_key) const {
    Json body = Json::object({{"dimensions", ff::sdk::amounts_json(dimensions)}});
    body.set_text("dedup_key", dedup_key);
    FF_SDK_TRY(const Json reply, ff::sdk::ask(*door_, {.operation = "report_usage",
                                                       .method = "POST",
                                                       .target = budget_path(budget_id, "/usage"),
                                                       .body = body.dump(),
                                                       .repeatable = !dedup_key.empty()}));
    return ff::sdk::usage_of(reply);
}

Result<UsageResult> AdminClient::spend(const std::string& budget_id, const std::string& id,
                                       const Amounts& dimensions,
                                       const std::string& dedup_key) const {
    Json body =
        Json::object({{"execution_id", id}, {"dimensions", ff::sdk::amounts_json(dimensions)}});
    body.set_text("dedup_key", dedup_key);
    FF_SDK_TRY(const Json reply, ff::sdk::ask(*door_, {.operation = "spend_budget",
                                                       .method = "POST",
                                                       .target = budget_path(budget_id, "/spend"),
                                                       .body = body.dump(),
                                                       .repeatable = !dedup_key.empty()}));
    return ff::sdk::usage_of(reply);
}

Result<UsageResult> AdminClient::report_usage(const std::string& budget_id,
                                              const Amounts& dimensions,
                                              const std::string& dedup_key) const {
    return try_spend(budget_id, dimensions, dedup_key);
}

Result<UsageResult> AdminClient::spend_budget(const std::string& budget_id, const std::string& id,
                                              const Amounts& dimensions,
                                              const std::string& dedup_key) const {
    return spend(budget_id, id, dimensions, dedup_key);
}

Result<ReleasedBudget> AdminClient::release_budget(const std::string& budget_id,
                                                   const std::string& id) const {
    FF_SDK_TRY(const Json reply,
               post_json(*door_, "release_budget", budget_path(budget_id, "/release"),
                         Json::object({{"execution_id", id}})));
    return ReleasedBudget{.released = reply["status"].text() == "released",
                          .dimensions = ff::sdk::amounts_of(reply["dimensions"])};
}

Result<std::int64_t> AdminClient::reset_budget(const std::string& budget_id) const {
    FF_SDK_TRY(const Json reply,
               post_json(*door_, "reset_budget", budget_path(budget_id, "/reset"), Json()));
    return reply["next_reset_at"].integer();
}

Result<Done> AdminClient::attach_budget(const std::string& budget_id, const Scope& scope) const {
    return post_scope(*door_, "attach_budget", budget_path(budget_id, "/attach"), scope);
}

Result<Done> AdminClient::detach_budget(const std::string& budget_id, const Scope& scope) const {
    return post_scope(*door_, "detach_budget", budget_path(budget_id, "/detach"), scope);
}

Result<std::string> AdminClient::create_quota(const NewQuota& quota) const {
    Json body = Json::object({{"window_seconds", quota.window_seconds},
                              {"max_requests_per_window", quota.max_per_window},
                              {"max_concurrent", quota.max_concurrent}});
    body.set_text("quota_policy_id", quota.quota_id)
        .set_text("name", quota.name)
        .set_text("scope_type", quota.scope.type)
        .set_text("scope_id", quota.scope.id);
    if (quota.jitter.count() > 0) body.set("jitter_ms", std::int64_t{quota.jitter.count()});
    if (quota.attach) body.set("attach", true);
    FF_SDK_TRY(const Json reply, ff::sdk::ask(*door_, {.operation = "create_quota",
                                                       .method = "POST",
                                                       .target = "/v1/quotas",
                                                       .body = body.dump(),
                                                       .repeatable = !quota.quota_id.empty()}));
    return reply["quota_policy_id"].text();
}

Result<QuotaInfo> AdminClient::describe_quota(const std::string& quota_id) const {
    FF_SDK_TRY(Json reply, get_json(*door_, "describe_quota", quota_path(quota_id)));
    return ff::sdk::quota_of(std::move(reply));
}

Result<std::int64_t> AdminClient::update_quota(const std::string& quota_id,
                                               const QuotaChanges& changes) const {
    Json body = Json::object();
    if (changes.window_seconds) body.set("window_seconds", *changes.window_seconds);
    if (changes.max_per_window) body.set("max_requests_per_window", *changes.max_per_window);
    if (changes.max_concurrent) body.set("max_concurrent", *changes.max_concurrent);
    if (changes.jitter) body.set("jitter_ms", std::int64_t{changes.jitter->count()});
    body.set_text("name", changes.name)
        .set_text("actor", changes.actor)
        .set_text("reason", changes.reason);
    FF_SDK_TRY(const Json reply, ff::sdk::ask(*door_, {.operation = "update_quota",
                                                       .method = "PUT",
                                                       .target = quota_path(quota_id),
                                                       .body = body.dump()}));
    return reply["revision"].integer();
}

Result<QuotaPage> AdminClient::list_quotas(const std::string& cursor, int limit) const {
    FF_SDK_TRY(Json reply,
               get_json(*door_, "list_quotas", "/v1/quotas" + page_query(cursor, limit)));
    QuotaPage page{.next_cursor = reply["next_cursor"].text()};
    for (const Json& one : reply["quotas"].items()) page.quotas.push_back(ff::sdk::quota_of(one));
    page.raw = std::move(reply);
    return page;
}

Result<Done> AdminClient::attach_quota(const std::string& quota_id, const Scope& scope) const {
    return post_scope(*door_, "attach_quota", quota_path(quota_id, "/attach"), scope);
}

Result<Done> AdminClient::detach_quota(const std::string& quota_id, const Scope& scope) const {
    return post_scope(*door_, "detach_quota", quota_path(quota_id, "/detach"), scope);
}

}  // namespace flowfabric
