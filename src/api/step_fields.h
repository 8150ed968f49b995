#pragma once

#include <vector>

#include "api/fields.h"
#include "api/route.h"
#include "engine/steps.h"

namespace ff::api {

/// Member `steps` of a body: `name`, `value` or `value_base64`, `encoding` of each. `least`: how
/// many there must be.
Result<std::vector<engine::Step>> parse_steps(const Fields& body, std::size_t least);

/// Name, value and encoding as members of the object at hand.
void write_step(json::Writer& out, const engine::Step& step);

/// `steps` of a body whose call ends or records something.
FieldDoc steps_doc(bool required);

}  // namespace ff::api
