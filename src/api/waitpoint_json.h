#pragma once

#include <optional>
#include <string_view>

#include "base/json.h"
#include "base/time.h"
#include "hub/waitpoints.h"
#include "model/execution_id.h"

namespace ff::api {

/// Nothing where there is no time.
void write_time(json::Writer& out, std::string_view name, const std::optional<Timestamp>& at);
/// The members of an open waitpoint.
void write_waitpoint(json::Writer& out, const model::ExecutionId& execution,
                     const hub::OpenWaitpoint& waitpoint);

}  // namespace ff::api
