#pragma once

namespace ff::host {

class LuaState;

/// Pushes the table `cjson` with `encode`, `decode` and `null`, by Valkey's conventions: an empty
/// table is `{}`, numbers have 14 digits, null is a light userdata, an array with large gaps is
/// refused, bytes that are not UTF-8 pass through.
void push_json_library(LuaState& state);

}  // namespace ff::host
