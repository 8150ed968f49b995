#include "sched/budget_room.h"

#include <algorithm>
#include <string_view>

#include "base/numbers.h"

namespace ff::sched {
namespace {

constexpr std::string_view kHard = "hard:";

std::string_view field(const engine::Fields& fields, std::string_view name) {
    const auto found = std::ranges::find(
        fields, name, [](const auto& entry) -> const auto& { return entry.first; });
    return found == fields.end() ? std::string_view() : std::string_view(found->second);
}

std::int64_t number(std::string_view text) {
    return parse_i64(text).value_or(0);
}

}  // namespace

bool is_non_blocking(const engine::GetBudget::Outcome& budget) {
    const std::string_view mode = field(budget.definition, "enforcement_mode");
    return mode == "advisory" || mode == "warn" ||
           field(budget.definition, "on_hard_limit") == "warn";
}

std::optional<std::string> why_exhausted(const std::string& budget_id,
                                         const engine::GetBudget::Outcome& budget) {
    if (is_non_blocking(budget)) return std::nullopt;
    for (const auto& [name, value] : budget.limits) {
        if (!name.starts_with(kHard)) continue;
        const std::int64_t hard = number(value);
        const std::string dimension = name.substr(kHard.size());
        const std::int64_t used = number(field(budget.usage, dimension));
        if (hard <= 0 || used < hard) continue;
        return "budget " + budget_id + ": " + dimension + " " + std::to_string(used) + "/" +
               std::to_string(hard);
    }
    return std::nullopt;
}

}  // namespace ff::sched
