#include <filesystem>

#include <gtest/gtest.h>
#include <lua.hpp>

namespace ff::host {
namespace {

/// Configuring refuses a LuaJIT that fails one of these; this is the one that was linked.
TEST(LuaJitPrograms, PassOnTheCompilerWeLink) {
    std::size_t run = 0;
    for (const auto& entry : std::filesystem::directory_iterator(FF_LUAJIT_PROGRAMS)) {
        if (entry.path().extension() != ".lua") continue;
        lua_State* lua = luaL_newstate();
        luaL_openlibs(lua);
        EXPECT_EQ(luaL_dofile(lua, entry.path().c_str()), 0) << lua_tostring(lua, -1);
        lua_close(lua);
        ++run;
    }
    EXPECT_GE(run, 4U);
}

}  // namespace
}  // namespace ff::host
