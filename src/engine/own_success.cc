#include "engine/own_success.h"

#include "base/numbers.h"

namespace ff::engine {
namespace {

// Positions within the details, which are elements 3 to 9 of the reply.
constexpr std::size_t kOutcome = 0;
constexpr std::size_t kPhase = 2;
constexpr std::size_t kReleaseOp = 4;
constexpr std::size_t kReleaseLease = 5;
constexpr std::size_t kDelayUntil = 6;

bool is_not_active(const Error& refusal) {
    return refusal.code == "execution_not_active";
}

}  // namespace

std::optional<ReleasedLease> released_by(const Error& refusal, const std::optional<Fence>& fence) {
    if (!is_not_active(refusal) || !fence) return std::nullopt;
    const auto& details = refusal.detail;
    if (details.size() <= kReleaseLease) return std::nullopt;
    if (details[kReleaseLease] != fence->lease_id.to_string()) return std::nullopt;
    ReleasedLease released{.terminal_outcome = details[kOutcome],
                           .lifecycle_phase = details[kPhase],
                           .last_release_op = details[kReleaseOp]};
    if (details.size() > kDelayUntil) {
        if (const auto ms = parse_i64(details[kDelayUntil])) {
            released.delay_until = timestamp_from_ms(*ms);
        }
    }
    return released;
}

std::string_view outcome_told_by(const Error& refusal) {
    if (!is_not_active(refusal) || refusal.detail.empty()) return {};
    return refusal.detail[kOutcome];
}

}  // namespace ff::engine
