#pragma once

#include "base/json.h"
#include "engine/budget.h"

namespace ff::api {

/// What a budget said to a report, as members of an open object: `status` and, of a breach, what
/// was breached and what to do.
void write_verdict(json::Writer& out, const engine::UsageVerdict& verdict);

}  // namespace ff::api
