// Runs the programs that a trustworthy LuaJIT survives, one Lua state each: luajit_check <file>...
// Prints the version; the exit code is the number of programs that failed.
#include <cstdio>

#include <lua.hpp>

int main(int count, char** names) {
    int failed = 0;
    for (int i = 1; i < count; ++i) {
        lua_State* lua = luaL_newstate();
        luaL_openlibs(lua);
        if (luaL_dofile(lua, names[i]) != 0) {
            std::fprintf(stderr, "%s\n", lua_tostring(lua, -1));
            ++failed;
        }
        lua_close(lua);
    }
    std::puts(LUAJIT_VERSION);
    return failed;
}
