#include "service/execution_listing.h"

#include <array>

#include "base/bytes.h"
#include "model/error_catalogue.h"

namespace ff::service {
namespace {

struct Name {
    std::string_view text{};
    ListState state = ListState::Eligible;
};

constexpr std::array kNames{
    Name{"eligible", ListState::Eligible},
    Name{"delayed", ListState::Delayed},
    Name{"terminal", ListState::Terminal},
    Name{"suspended", ListState::Suspended},
    Name{"active", ListState::Active},
    Name{"blocked_dependencies", ListState::BlockedDependencies},
    Name{"blocked_budget", ListState::BlockedBudget},
    Name{"blocked_quota", ListState::BlockedQuota},
    Name{"blocked_route", ListState::BlockedRoute},
    Name{"blocked_operator", ListState::BlockedOperator},
};

}  // namespace

std::optional<ListState> parse_list_state(std::string_view text) {
    for (const Name& name : kNames) {
        if (name.text == text) return name.state;
    }
    return std::nullopt;
}

std::string index_of(const model::LaneKeys& keys, ListState state) {
    switch (state) {
        case ListState::Eligible:
            return keys.eligible();
        case ListState::Delayed:
            return keys.delayed();
        case ListState::Terminal:
            return keys.terminal();
        case ListState::Suspended:
            return keys.suspended();
        case ListState::Active:
            return keys.active();
        case ListState::BlockedDependencies:
            return keys.blocked_dependencies();
        case ListState::BlockedBudget:
            return keys.blocked_budget();
        case ListState::BlockedQuota:
            return keys.blocked_quota();
        case ListState::BlockedRoute:
            return keys.blocked_route();
        case ListState::BlockedOperator:
            return keys.blocked_operator();
    }
    return {};
}

bool stands_in(const model::StateVector& vector, ListState state) {
    using model::EligibilityState;
    using model::LifecyclePhase;
    const bool runnable = vector.lifecycle_phase == LifecyclePhase::Runnable;
    const EligibilityState eligibility = vector.eligibility_state;
    switch (state) {
        case ListState::Eligible:
            return runnable && eligibility == EligibilityState::EligibleNow;
        case ListState::Delayed:
            return runnable && eligibility == EligibilityState::NotEligibleUntilTime;
        case ListState::Terminal:
            return vector.lifecycle_phase == LifecyclePhase::Terminal;
        case ListState::Suspended:
            return vector.lifecycle_phase == LifecyclePhase::Suspended;
        case ListState::Active:
            return vector.lifecycle_phase == LifecyclePhase::Active;
        case ListState::BlockedDependencies:
            return runnable && eligibility == EligibilityState::BlockedByDependencies;
        case ListState::BlockedBudget:
            return runnable && eligibility == EligibilityState::BlockedByBudget;
        case ListState::BlockedQuota:
            return runnable && eligibility == EligibilityState::BlockedByQuota;
        case ListState::BlockedRoute:
            return runnable && eligibility == EligibilityState::BlockedByRoute;
        case ListState::BlockedOperator:
            return runnable && (eligibility == EligibilityState::BlockedByOperator ||
                                eligibility == EligibilityState::BlockedByLaneState);
    }
    return false;
}

std::string IndexPlace::encode() const {
    return to_hex(score + ' ' + member);
}

Result<IndexPlace> IndexPlace::decode(std::string_view cursor) {
    const auto text = from_hex(cursor);
    const std::size_t space = text ? text->find(' ') : std::string::npos;
    if (space == std::string::npos) return model::make_error("invalid_cursor");
    return IndexPlace{.score = text->substr(0, space), .member = text->substr(space + 1)};
}

}  // namespace ff::service
