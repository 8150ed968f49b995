#include "host/lua_state.h"

#include <lua.hpp>

#include "base/assert.h"

namespace ff::host {

namespace {

/// A library of a hundred functions has more traces than the defaults allow; past the limit the
/// compiler throws all of them away and starts over. How much it records before it gives a trace up
/// stays as it is: more gains nothing, and what is given up costs milliseconds.
constexpr const char* kCompilerLimits =
    "jit.opt.start('maxtrace=8000', 'maxmcode=32768', 'maxsnap=5000', 'maxirconst=4000')";

/// After how many runs a loop or function is compiled, and another way out of it.
constexpr const char* kEager = "jit.opt.start('hotloop=20', 'hotexit=4')";
/// As the compiler has it by itself.
constexpr const char* kPatient = "jit.opt.start('hotloop=56', 'hotexit=10')";

void start_compiler(lua_State* lua, bool compile) {
    lua_pushcfunction(lua, luaopen_jit);
    lua_pushliteral(lua, LUA_JITLIBNAME);
    lua_call(lua, 1, 0);
    if (compile) {
        FF_ASSERT(luaL_dostring(lua, kCompilerLimits) == 0);
    } else {
        FF_ASSERT(luaJIT_setmode(lua, 0, LUAJIT_MODE_ENGINE | LUAJIT_MODE_OFF) == 1);
    }
    lua_settop(lua, 0);
}

}  // namespace

LuaState::LuaState(std::size_t memory_max, bool compile) {
    memory_.max = memory_max;
    lua_ = lua_newstate(&LuaState::allocate, &memory_);
    FF_ASSERT(lua_ != nullptr);
    start_compiler(lua_, compile);
}

void LuaState::set_eager(bool eager) {
    FF_ASSERT(luaL_dostring(lua_, eager ? kEager : kPatient) == 0);
}

LuaState::~LuaState() {
    memory_.limited = false;
    lua_close(lua_);
}

void* LuaState::allocate(void* context, void* block, std::size_t former, std::size_t wanted) {
    auto& memory = *static_cast<Memory*>(context);
    if (wanted > former && memory.limited && memory.used + (wanted - former) > memory.max)
        return nullptr;
    void* fresh = memory.blocks.allocate(block, former, wanted);
    if (fresh != nullptr || wanted == 0) memory.used += wanted - former;
    return fresh;
}

}  // namespace ff::host
