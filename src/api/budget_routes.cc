#include "api/budget_routes.h"

#include <array>
#include <utility>

#include "api/budget_json.h"
#include "api/fields.h"
#include "api/json_response.h"
#include "api/parse_path.h"
#include "api/policy_fields.h"

namespace ff::api {
namespace {

using Kind = FieldDoc::Kind;

constexpr TextLimits kWordLimits{.most = 128};
constexpr TextLimits kReasonLimits{.most = 256};
/// Kept for people and shown again.
constexpr std::array<std::string_view, 5> kMetaFields = {"name", "created_by", "currency",
                                                         "cost_unit", "escalation_target"};

/// The three arrays of equal length as they stand; a missing array has a null for each dimension.
struct LimitLists {
    std::vector<std::string> dimensions{};
    std::vector<std::optional<std::int64_t>> hard{};
    std::vector<std::optional<std::int64_t>> soft{};
};

Result<std::vector<std::optional<std::int64_t>>> read_limits(const Fields& body,
                                                             std::string_view name,
                                                             std::size_t count) {
    FF_TRY(const std::vector<json::Value> items, body.array(name, {.most = kDimensionsMax}));
    std::vector<std::optional<std::int64_t>> limits(count);
    if (!body.has(name)) return limits;
    if (items.size() != count) return body.refuse(name, "length_mismatch");
    for (std::size_t i = 0; i < count; ++i) {
        if (items[i].is_null()) continue;
        limits[i] = items[i].as_integer();
        if (!limits[i]) return body.refuse(name, "not_integer");
        if (*limits[i] < 0) return body.refuse(name, "out_of_range");
    }
    return limits;
}

Result<LimitLists> read_limit_lists(const Fields& body) {
    LimitLists lists;
    FF_TRY(lists.dimensions, body.texts("dimensions", {.most = kDimensionsMax}, kWordLimits));
    FF_TRY(lists.hard, read_limits(body, "hard_limits", lists.dimensions.size()));
    FF_TRY(lists.soft, read_limits(body, "soft_limits", lists.dimensions.size()));
    return lists;
}

struct Modes {
    std::string enforcement{};
    std::string on_hard{};
    std::string on_soft{};
};

Result<Modes> read_modes(const Fields& body) {
    Modes modes;
    FF_TRY(modes.enforcement, body.text_or("enforcement_mode", "", kWordLimits));
    FF_TRY(modes.on_hard, body.text_or("on_hard_limit", "", kWordLimits));
    FF_TRY(modes.on_soft, body.text_or("on_soft_limit", "", kWordLimits));
    return modes;
}

Result<service::NewBudget> read_new_budget(const Fields& body) {
    service::NewBudget budget;
    FF_TRY(budget.id, body.id_if<model::BudgetId>("budget_id"));
    FF_TRY(budget.scope, read_scope(body));
    FF_TRY(Modes modes, read_modes(body));
    budget.enforcement_mode = std::move(modes.enforcement);
    budget.on_hard_limit = std::move(modes.on_hard);
    budget.on_soft_limit = std::move(modes.on_soft);
    FF_TRY(const std::int64_t interval, body.integer_or("reset_interval_ms", 0, {.least = 0}));
    budget.reset_interval = Millis(interval);
    FF_TRY(const LimitLists lists, read_limit_lists(body));
    for (std::size_t i = 0; i < lists.dimensions.size(); ++i) {
        budget.limits.push_back({.dimension = lists.dimensions[i],
                                 .hard = lists.hard[i].value_or(0),
                                 .soft = lists.soft[i].value_or(0)});
    }
    for (const std::string_view name : kMetaFields) {
        FF_TRY(const auto text, body.text_if(name, kReasonLimits));
        if (text) budget.meta.emplace(name, *text);
    }
    FF_TRY(budget.attach, body.flag_or("attach", false));
    return budget;
}

Task<http::Response> create_budget(service::Budgets& budgets, Call& call) {
    FF_CO_TRY(const json::Value object, call.object());
    FF_CO_TRY(service::NewBudget budget, read_new_budget(Fields(object)));
    FF_CO_TRY(const auto created, co_await budgets.create(std::move(budget)));
    co_return json_response(created.already_satisfied ? 200 : 201, [&](json::Writer& out) {
        out.key("status").string(created.already_satisfied ? "already_satisfied" : "created");
        out.key("budget_id").string(created.id.to_string());
    });
}

void write_amounts(json::Writer& out, std::string_view name,
                   const service::DimensionAmounts& amounts) {
    out.key(name).begin_object();
    for (const auto& [dimension, amount] : amounts) out.key(dimension).integer(amount);
    out.end_object();
}

void write_budget(json::Writer& out, const service::BudgetStatus& budget) {
    out.key("budget_id").string(budget.id.to_string());
    write_scope(out, budget.scope);
    if (!budget.name.empty()) out.key("name").string(budget.name);
    out.key("enforcement_mode").string(budget.enforcement_mode);
    out.key("on_hard_limit").string(budget.on_hard_limit);
    out.key("on_soft_limit").string(budget.on_soft_limit);
    write_amounts(out, "usage", budget.usage);
    write_amounts(out, "hard_limits", budget.hard_limits);
    write_amounts(out, "soft_limits", budget.soft_limits);
    write_amounts(out, "remaining", budget.remaining);
    out.key("exhausted_dims").begin_array();
    for (const std::string& dimension : budget.exhausted_dimensions) out.string(dimension);
    out.end_array();
    out.key("breach_count").integer(budget.breach_count);
    out.key("soft_breach_count").integer(budget.soft_breach_count);
    write_time_if(out, "last_breach_at", budget.last_breach_at);
    if (!budget.last_breach_dimension.empty()) {
        out.key("last_breach_dim").string(budget.last_breach_dimension);
    }
    out.key("reset_interval_ms").integer(budget.reset_interval_ms);
    out.key("reset_count").integer(budget.reset_count);
    write_time_if(out, "next_reset_at", budget.next_reset_at);
    write_time_if(out, "created_at", budget.created_at);
    out.key("revision").integer(budget.limits_revision);
}

Task<http::Response> get_budget(service::Budgets& budgets, Call& call) {
    FF_CO_TRY(const model::BudgetId id, parse_path<model::BudgetId>(call, "id"));
    FF_CO_TRY(const service::BudgetStatus budget, co_await budgets.get(id));
    co_return json_response(200, [&](json::Writer& out) { write_budget(out, budget); });
}

Task<http::Response> list_budgets(service::Budgets& budgets, Call& call) {
    FF_CO_TRY(PolicyPage page, read_policy_page(call));
    FF_CO_TRY(const service::BudgetPage found,
              co_await budgets.list(std::move(page.cursor), page.limit));
    co_return json_response(200, [&](json::Writer& out) {
        out.key("budgets").begin_array();
        for (const service::BudgetStatus& budget : found.budgets) {
            out.begin_object();
            write_budget(out, budget);
            out.end_object();
        }
        out.end_array();
        write_next_cursor(out, found.next_cursor);
    });
}

Result<service::BudgetChange> read_change(Call& call) {
    FF_TRY(const json::Value object, call.object());
    const Fields body(object);
    FF_TRY(const model::BudgetId id, parse_path<model::BudgetId>(call, "id"));
    FF_CHECK(body.matches_path("budget_id", call.path("id")));
    service::BudgetChange change{.id = id};
    FF_TRY(change.actor, body.text_or("actor", "", kReasonLimits));
    FF_TRY(change.reason, body.text_or("reason", "", kReasonLimits));
    FF_TRY(Modes modes, read_modes(body));
    change.enforcement_mode = std::move(modes.enforcement);
    change.on_hard_limit = std::move(modes.on_hard);
    change.on_soft_limit = std::move(modes.on_soft);
    FF_TRY(const LimitLists lists, read_limit_lists(body));
    for (std::size_t i = 0; i < lists.dimensions.size(); ++i) {
        change.limits.push_back(
            {.dimension = lists.dimensions[i], .hard = lists.hard[i], .soft = lists.soft[i]});
    }
    return change;
}

Task<http::Response> update_budget(service::Budgets& budgets, Call& call) {
    FF_CO_TRY(service::BudgetChange change, read_change(call));
    FF_CO_TRY(const std::int64_t revision, co_await budgets.update(std::move(change)));
    co_return json_response(200, [&](json::Writer& out) { out.key("revision").integer(revision); });
}

Result<service::UsageReport> read_report(Call& call, const Fields& body) {
    FF_TRY(const model::BudgetId id, parse_path<model::BudgetId>(call, "id"));
    FF_CHECK(body.matches_path("budget_id", call.path("id")));
    service::UsageReport report{.id = id};
    FF_TRY(report.amounts, read_amounts(body));
    FF_TRY(report.dedup_id, body.id_if<model::DedupId>("dedup_key"));
    return report;
}

http::Response verdict_reply(const engine::UsageVerdict& verdict) {
    return json_response(200, [&](json::Writer& out) { write_verdict(out, verdict); });
}

Task<http::Response> report_usage(service::Budgets& budgets, Call& call) {
    FF_CO_TRY(const json::Value object, call.object());
    const Fields body(object);
    FF_CO_TRY(service::UsageReport report, read_report(call, body));
    FF_CO_TRY(const auto verdict, co_await budgets.report(std::move(report)));
    co_return verdict_reply(verdict);
}

Task<http::Response> spend(service::Budgets& budgets, Call& call) {
    FF_CO_TRY(const json::Value object, call.object());
    const Fields body(object);
    FF_CO_TRY(service::UsageReport report, read_report(call, body));
    FF_CO_TRY(const auto execution, body.id<model::ExecutionId>("execution_id"));
    FF_CO_CHECK(model::check_in_range(execution, budgets.partitions()));
    FF_CO_TRY(const engine::SpendMode mode, read_spend_mode(body));
    FF_CO_TRY(const auto verdict, co_await budgets.spend(std::move(report), execution, mode));
    co_return verdict_reply(verdict);
}

Task<http::Response> release(service::Budgets& budgets, Call& call) {
    FF_CO_TRY(const json::Value object, call.object());
    const Fields body(object);
    FF_CO_TRY(const model::BudgetId id, parse_path<model::BudgetId>(call, "id"));
    FF_CO_CHECK(body.matches_path("budget_id", call.path("id")));
    FF_CO_TRY(const auto execution, body.id<model::ExecutionId>("execution_id"));
    FF_CO_CHECK(model::check_in_range(execution, budgets.partitions()));
    FF_CO_TRY(const auto released, co_await budgets.release(id, execution));
    co_return json_response(200, [&](json::Writer& out) {
        out.key("status").string(released.released ? "released" : "noop");
        if (!released.released) return;
        out.key("dimensions").begin_object();
        for (const auto& [dimension, amount] : released.amounts) {
            out.key(dimension).integer(amount);
        }
        out.end_object();
    });
}

Task<http::Response> reset_budget(service::Budgets& budgets, Call& call) {
    FF_CO_TRY(const model::BudgetId id, parse_path<model::BudgetId>(call, "id"));
    FF_CO_TRY(const auto next, co_await budgets.reset(id));
    co_return json_response(200, [&](json::Writer& out) {
        out.key("status").string("reset");
        out.key("next_reset_at").integer(next ? to_ms(*next) : 0);
    });
}

Task<http::Response> change_attachment(service::Budgets& budgets, Call& call, bool attach) {
    FF_CO_TRY(const json::Value object, call.object());
    FF_CO_TRY(const model::BudgetId id, parse_path<model::BudgetId>(call, "id"));
    FF_CO_TRY(model::PolicyScope scope, read_scope(Fields(object)));
    if (attach) {
        FF_CO_CHECK(co_await budgets.attach(id, std::move(scope)));
    } else {
        FF_CO_CHECK(co_await budgets.detach(id, std::move(scope)));
    }
    co_return json_response(200, [attach](json::Writer& out) {
        out.key("status").string(attach ? "attached" : "detached");
    });
}

std::vector<FieldDoc> limit_fields() {
    return {{.name = "enforcement_mode", .about = "strict (default) or advisory"},
            {.name = "on_hard_limit",
             .about = "fail (default), suspend, deny_child, close_scope, reroute_fallback or warn"},
            {.name = "on_soft_limit", .about = "warn"},
            {.name = "dimensions",
             .kind = Kind::Array,
             .type = "[string]",
             .example = R"(["total_tokens"])"},
            {.name = "hard_limits", .kind = Kind::Array, .type = "[integer?]", .example = "[1000]"},
            {.name = "soft_limits", .kind = Kind::Array, .type = "[integer?]", .example = "[800]"}};
}

void add_definition_routes(Routes& routes, service::Budgets& budgets) {
    std::vector<FieldDoc> created = scope_fields();
    created.push_back({.name = "budget_id", .about = "A UUID; minted where absent"});
    for (FieldDoc& field : limit_fields()) created.push_back(std::move(field));
    created.push_back({.name = "reset_interval_ms", .kind = Kind::Integer});
    created.push_back({.name = "attach", .kind = Kind::Boolean, .about = "Governs its scope"});
    for (const std::string_view name : kMetaFields) created.push_back({.name = std::string(name)});
    routes.add({.method = "POST",
                .pattern = "/v1/budgets",
                .body = BodyClass::Control,
                .audit = "budget.create",
                .doc = {.id = "createBudget",
                        .summary = "Create a budget",
                        .body = created,
                        .answer_type = "CreatedBudget",
                        .statuses = {201, 200},
                        .errors = {"invalid_budget_scope", "budget_attach_conflict"}},
                .handle = [&budgets](Call& call) { return create_budget(budgets, call); }});
    routes.add({.method = "GET",
                .pattern = "/v1/budgets",
                .doc = {.id = "listBudgets",
                        .summary = "Budgets in the order of their ids",
                        .query = {{.name = "cursor"}, {.name = "limit", .kind = Kind::Integer}},
                        .answer_type = "BudgetPage"},
                .handle = [&budgets](Call& call) { return list_budgets(budgets, call); }});
    routes.add({.method = "GET",
                .pattern = "/v1/budgets/{id}",
                .doc = {.id = "getBudget",
                        .summary = "What a budget allows and what is used of it",
                        .answer_type = "Budget",
                        .errors = {"budget_not_found"}},
                .handle = [&budgets](Call& call) { return get_budget(budgets, call); }});
    std::vector<FieldDoc> changed = limit_fields();
    changed.push_back({.name = "actor"});
    changed.push_back({.name = "reason"});
    routes.add({.method = "PUT",
                .pattern = "/v1/budgets/{id}",
                .body = BodyClass::Control,
                .audit = "budget.update",
                .doc = {.id = "updateBudget",
                        .summary = "Change limits and modes; what is absent or null stays",
                        .body = changed,
                        .answer_type = "Revision",
                        .errors = {"budget_not_found", "budget_override_not_allowed"}},
                .handle = [&budgets](Call& call) { return update_budget(budgets, call); }});
}

void add_use_routes(Routes& routes, service::Budgets& budgets) {
    const FieldDoc execution{.name = "execution_id", .required = true};
    const std::vector<FieldDoc> report{{.name = "dimensions",
                                        .kind = Kind::Object,
                                        .type = "{integer}",
                                        .required = true,
                                        .example = R"({"total_tokens":5})"},
                                       {.name = "dedup_key", .about = "Counts once a day"}};
    std::vector<FieldDoc> spent = report;
    spent.push_back(execution);
    spent.push_back(spend_mode_doc());
    struct Use {
        std::string action{};
        std::string id{};
        std::string answer{};
        std::string summary{};
        std::vector<FieldDoc> body{};
    };
    const auto add = [&](Use use, RouteHandler handle) {
        const std::string& action = use.action;
        const bool is_operator = action == "reset" || action == "attach" || action == "detach";
        routes.add({.method = "POST",
                    .pattern = "/v1/budgets/{id}/" + action,
                    .body = BodyClass::Control,
                    .audit = is_operator ? "budget." + action : "",
                    .doc = {.id = use.id,
                            .summary = use.summary,
                            .body = use.body,
                            .answer_type = use.answer,
                            .errors = {"budget_not_found", "budget_attach_conflict"}},
                    .handle = std::move(handle)});
    };
    add({"usage", "checkBudget", "UsageVerdict",
         "Ask for an amount: counted if it fits under every hard limit", report},
        [&budgets](Call& call) { return report_usage(budgets, call); });
    add({"spend", "spendBudget", "UsageVerdict", "Tell what an execution has used", spent},
        [&budgets](Call& call) { return spend(budgets, call); });
    add({"release",
         "releaseBudget",
         "ReleasedUsage",
         "Give back what an execution spent",
         {execution}},
        [&budgets](Call& call) { return release(budgets, call); });
    add({"reset", "resetBudget", "BudgetReset", "Begin the next period now"},
        [&budgets](Call& call) { return reset_budget(budgets, call); });
    add({"attach", "attachBudget", "Attachment", "Let a budget govern its scope", scope_fields()},
        [&budgets](Call& call) { return change_attachment(budgets, call, true); });
    add({"detach", "detachBudget", "Attachment", "Let a budget govern only those that name it",
         scope_fields()},
        [&budgets](Call& call) { return change_attachment(budgets, call, false); });
}

}  // namespace

void add_budget_routes(Routes& routes, service::Budgets& budgets) {
    add_definition_routes(routes, budgets);
    add_use_routes(routes, budgets);
}

}  // namespace ff::api
