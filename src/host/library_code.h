#pragma once

#include <string_view>

struct lua_State;

namespace ff::host {

/// As luaL_loadbuffer. All shards of a process load the same text, one after the other, and to read
/// half a megabyte of it takes longer than to open an empty store: the code of the last one is
/// kept.
int load_compiled(lua_State* lua, std::string_view text, const char* chunk_name);

}  // namespace ff::host
