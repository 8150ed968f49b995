#pragma once

#include <optional>
#include <string_view>

#include "api/call.h"
#include "base/json.h"
#include "base/result.h"
#include "engine/fence.h"
#include "model/execution_id.h"
#include "service/task_token.h"

namespace ff::api {

/// The lease that a worker presents with a task route (spec 07, section 4.1).
struct PresentedLease {
    engine::Fence fence;
    /// Always there if a token was presented.
    std::optional<model::AttemptIndex> attempt_index{};
    std::optional<Millis> lease_ttl{};
    std::optional<model::LaneId> lane{};

    friend bool operator==(const PresentedLease&, const PresentedLease&) = default;
};

/// What the members of `body` (`task_token`, a `lease` object, or its members at the top level) and
/// the `FF-Task-Token` header say together about a lease of `execution_id`; nothing if neither
/// names one. `invalid_input` if two differ or the token is of another execution,
/// `partial_fence_triple` if a member is missing.
Result<std::optional<PresentedLease>> find_lease(const json::Value& body,
                                                 std::optional<std::string_view> header,
                                                 const model::ExecutionId& execution_id);

/// As `find_lease` of a call with a JSON body; `fence_required` if there is none.
Result<PresentedLease> required_lease(Call& call, const model::ExecutionId& execution_id);
/// The same for a body of octets, where only the header can say it.
Result<PresentedLease> header_lease(const Call& call, const model::ExecutionId& execution_id);

}  // namespace ff::api
