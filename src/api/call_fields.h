#pragma once

#include "base/json.h"
#include "engine/calls.h"

namespace ff::api {

/// A called child as members of the object at hand.
void write_called_child(json::Writer& out, const engine::CalledChild& child);

}  // namespace ff::api
