#pragma once

struct lua_State;

namespace ff::host {

class LuaState;

/// Builds, in a fresh state, the tables that functions see, and nothing else (spec 01, section
/// 6.3). Every table a function can reach through a global refuses assignments.
///
/// Expects the table of `redis` as functions see it at the top of the stack and pops it. Pushes the
/// table of globals: reading a name that it lacks raises.
void push_function_globals(LuaState& state);

/// The globals of a library while it is being loaded: `redis` alone, which lacks everything but
/// what registers and logs; reading a missing field raises. Expects that table at the top.
void push_library_globals(lua_State* lua);

/// Pushes an empty environment whose reads go to the table of globals at the top of the stack,
/// which it pops, and which refuses writes.
void push_environment(lua_State* lua);

/// Makes the environment at `index` read from the table of globals at the top, and pops that.
void redirect_environment(lua_State* lua, int index);

}  // namespace ff::host
