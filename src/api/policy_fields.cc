#include "api/policy_fields.h"

#include <algorithm>

namespace ff::api {
namespace {

constexpr std::int64_t kPageDefault = 50;
constexpr std::int64_t kPageMax = 1'000;
constexpr TextLimits kScopeTypeLimits{.most = 64};
constexpr TextLimits kScopeIdLimits{.most = 256};
constexpr TextLimits kModeLimits{.most = 16};

}  // namespace

Result<model::PolicyScope> read_scope(const Fields& body) {
    model::PolicyScope scope;
    FF_TRY(scope.type, body.text_or("scope_type", "", kScopeTypeLimits));
    FF_TRY(scope.id, body.text_or("scope_id", "", kScopeIdLimits));
    return scope;
}

void write_scope(json::Writer& out, const model::PolicyScope& scope) {
    out.key("scope_type").string(scope.type);
    out.key("scope_id").string(scope.id);
}

std::vector<FieldDoc> scope_fields() {
    return {
        {.name = "scope_type",
         .required = true,
         .about = "flow, lane, tenant (or namespace) or global",
         .example = "\"lane\""},
        {.name = "scope_id", .about = "Of that flow, lane or tenant", .example = "\"default\""}};
}

Result<PolicyPage> read_policy_page(const Call& call) {
    FF_TRY(const auto limit, call.query_integer("limit", 1, kSafeIntegerMax));
    return PolicyPage{
        .cursor = call.query("cursor").value_or(""),
        .limit = static_cast<std::size_t>(std::min(limit.value_or(kPageDefault), kPageMax))};
}

Result<engine::SpendMode> read_spend_mode(const Fields& body) {
    FF_TRY(const std::string text, body.text_or("mode", "spent", kModeLimits));
    const auto mode = engine::parse_spend_mode(text);
    if (!mode) return body.refuse("mode", "unknown");
    return *mode;
}

Result<std::map<std::string, std::int64_t>> read_amounts(const Fields& body) {
    FF_TRY(auto amounts, body.integer_map_if("dimensions", {.least = 0}));
    if (!amounts) return body.refuse("dimensions", "missing");
    if (amounts->size() > kDimensionsMax) {
        return body.refuse("dimensions",
                           "more than " + std::to_string(kDimensionsMax) + " dimensions");
    }
    return *std::move(amounts);
}

FieldDoc spend_mode_doc() {
    return {.name = "mode",
            .type = "spent|check",
            .about =
                "spent (default): it is counted whatever the limits say, so a limit is passed "
                "by at most what work that already runs spends before it hears of the breach; "
                "check: past a hard limit nothing is counted"};
}

void write_next_cursor(json::Writer& out, const std::string& cursor) {
    out.key("next_cursor");
    if (cursor.empty()) {
        out.null();
    } else {
        out.string(cursor);
    }
}

void write_time_if(json::Writer& out, std::string_view name, const std::optional<Timestamp>& at) {
    if (at) out.key(name).integer(to_ms(*at));
}

}  // namespace ff::api
