#include "host/lua_raise.h"

#include <lua.hpp>

namespace ff::host {

void push_error_table(lua_State* lua, std::string_view text) {
    lua_createtable(lua, 0, 1);
    lua_pushlstring(lua, text.data(), text.size());
    lua_setfield(lua, -2, "err");
}

int raise_error_table(lua_State* lua, std::string_view text) {
    push_error_table(lua, text);
    return lua_error(lua);
}

}  // namespace ff::host
