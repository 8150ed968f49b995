#pragma once

#include <optional>

#include "engine/call_writer.h"
#include "engine/fence.h"

namespace ff::engine {

/// lease_id, lease_epoch, attempt_id; three empty arguments without a fence.
void write_fence(CallWriter& to, const std::optional<Fence>& fence);
/// `operator_override` without a fence: only an operator acts so.
void write_source(CallWriter& to, const std::optional<Fence>& fence);

}  // namespace ff::engine
