#pragma once

struct lua_State;

namespace ff::host {

class LuaCommands;

/// Pushes the content of `redis` as functions see it.
void push_redis_library(lua_State* lua, LuaCommands& commands);

/// Adds redis.log and its levels to the table at the top.
void add_log_functions(lua_State* lua);

}  // namespace ff::host
