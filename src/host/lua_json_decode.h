#pragma once

#include <string_view>

struct lua_State;

namespace ff::host {

/// Pushes the value of a JSON text and answers true, or pushes the reason and answers false.
/// Never raises.
bool push_decoded_json(lua_State* lua, std::string_view text);

}  // namespace ff::host
