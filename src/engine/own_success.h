#pragma once

#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/time.h"
#include "engine/fence.h"

namespace ff::engine {

/// How the last lease of an execution ended, as `execution_not_active` tells it (spec 02,
/// section 9).
struct ReleasedLease {
    std::string_view terminal_outcome{};
    std::string_view lifecycle_phase{};
    std::string_view last_release_op{};
    std::optional<Timestamp> delay_until{};
};

/// If `refusal` says that the very lease of `fence` was given up, that is the caller's own earlier
/// success, provided the operation is the one it sent. Anything else is somebody else's doing. The
/// views live as long as the error.
std::optional<ReleasedLease> released_by(const Error& refusal, const std::optional<Fence>& fence);

/// The `terminal_outcome` of an `execution_not_active`; empty for any other error.
std::string_view outcome_told_by(const Error& refusal);

}  // namespace ff::engine
