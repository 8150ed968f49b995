#pragma once

#include <optional>
#include <string>

#include "engine/budget.h"

namespace ff::sched {

/// Why a budget lets no further work start: `budget <id>: <dim> <used>/<limit>`. Nothing while
/// there is room in every dimension, or if the budget never blocks.
std::optional<std::string> why_exhausted(const std::string& budget_id,
                                         const engine::GetBudget::Outcome& budget);

/// A budget that counts and reports but never holds anything back.
bool is_non_blocking(const engine::GetBudget::Outcome& budget);

}  // namespace ff::sched
