#pragma once

#include <string_view>

struct lua_State;

namespace ff::host {

/// Pushes a table whose `err` is the text, as redis.pcall and redis.error_reply give it.
void push_error_table(lua_State* lua, std::string_view text);

/// Raises such a table. Nothing with a destructor may be alive in the caller.
int raise_error_table(lua_State* lua, std::string_view text);

}  // namespace ff::host
