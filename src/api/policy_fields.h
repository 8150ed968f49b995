#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "api/call.h"
#include "api/fields.h"
#include "api/route.h"
#include "base/json.h"
#include "base/time.h"
#include "engine/budget.h"
#include "model/partition.h"

namespace ff::api {

// What the routes of budgets and of quotas have in common.

/// `scope_type` and `scope_id`; both empty where absent.
Result<model::PolicyScope> read_scope(const Fields& body);
void write_scope(json::Writer& out, const model::PolicyScope& scope);
std::vector<FieldDoc> scope_fields();

struct PolicyPage {
    std::string cursor{};
    std::size_t limit = 50;
};
Result<PolicyPage> read_policy_page(const Call& call);
/// `mode` of a body that tells what was spent: `spent` unless it says `check`.
Result<engine::SpendMode> read_spend_mode(const Fields& body);
FieldDoc spend_mode_doc();
/// Of one definition, report or spend.
inline constexpr std::size_t kDimensionsMax = 64;
/// What was used of each of the `dimensions`, which must be there.
Result<std::map<std::string, std::int64_t>> read_amounts(const Fields& body);
void write_next_cursor(json::Writer& out, const std::string& cursor);
void write_time_if(json::Writer& out, std::string_view name, const std::optional<Timestamp>& at);

}  // namespace ff::api
