#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "flowfabric/types.h"

namespace flowfabric {

// Budgets say how much, quotas how fast and how many at once. `raw` is everything the server said.

/// Amounts by dimension, such as {"tokens", 100}.
using Amounts = std::map<std::string, std::int64_t>;

/// What a limit is for: lane, namespace, ... and the name of one.
struct Scope {
    std::string type{};
    std::string id{};
};

struct NewBudget {
    /// Empty: the engine makes one up.
    std::string budget_id{};
    Scope scope{};
    /// Every dimension needs one.
    Amounts hard_limits{};
    Amounts soft_limits{};
    /// The engine's defaults when empty.
    std::string enforcement_mode{};
    std::string on_hard_limit{};
    std::string on_soft_limit{};
    /// 0: never begins anew.
    Millis reset_interval{0};
    /// Governs everything in its scope, not only those that name it.
    bool attach = false;
};

struct BudgetInfo {
    std::string budget_id{};
    Scope scope{};
    std::string enforcement_mode{};
    std::string on_hard_limit{};
    std::string on_soft_limit{};
    Amounts usage{};
    Amounts hard_limits{};
    Amounts soft_limits{};
    Amounts remaining{};
    std::vector<std::string> exhausted{};
    std::int64_t breach_count = 0;
    std::int64_t soft_breach_count = 0;
    std::int64_t reset_count = 0;
    std::int64_t next_reset_at = 0;
    std::int64_t created_at = 0;
    std::int64_t revision = 0;
    Json raw{};
};

struct BudgetPage {
    std::vector<BudgetInfo> budgets{};
    std::string next_cursor{};
    Json raw{};
};

/// What is empty stays as it is.
struct BudgetChanges {
    Amounts hard_limits{};
    Amounts soft_limits{};
    std::string enforcement_mode{};
    std::string on_hard_limit{};
    std::string on_soft_limit{};
    std::string actor{};
    std::string reason{};
};

struct NewQuota {
    /// Empty: the engine makes one up.
    std::string quota_id{};
    std::string name{};
    Scope scope{};
    std::int64_t window_seconds = 60;
    /// 0: no limit.
    std::int64_t max_per_window = 0;
    std::int64_t max_concurrent = 0;
    Millis jitter{0};
    /// Governs everything in its scope, not only those that name it.
    bool attach = false;
};

/// What is not given stays as it is.
struct QuotaChanges {
    std::optional<std::int64_t> window_seconds{};
    std::optional<std::int64_t> max_per_window{};
    std::optional<std::int64_t> max_concurrent{};
    std::optional<Millis> jitter{};
    std::string name{};
    std::string actor{};
    std::string reason{};
};

struct QuotaInfo {
    std::string quota_id{};
    std::string name{};
    Scope scope{};
    std::int64_t window_seconds = 0;
    std::int64_t max_per_window = 0;
    std::int64_t max_concurrent = 0;
    /// Admitted in the present window, and running now.
    std::int64_t window_entries = 0;
    std::int64_t held_slots = 0;
    Millis next_slot_in{0};
    Json raw{};
};

struct QuotaPage {
    std::vector<QuotaInfo> quotas{};
    std::string next_cursor{};
    Json raw{};
};

/// What giving back the spending of one execution has freed.
struct ReleasedBudget {
    /// False: there was nothing to give back.
    bool released = false;
    Amounts dimensions{};
};

}  // namespace flowfabric
