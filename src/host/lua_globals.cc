#include "host/lua_globals.h"

#include <array>
#include <span>

#include <lua.hpp>

#include "base/assert.h"
#include "host/lua_json.h"
#include "host/lua_state.h"

namespace ff::host {
namespace {

constexpr std::array kBase = {"error",  "tonumber", "tostring", "type",  "pairs",
                              "ipairs", "next",     "select",   "unpack"};
constexpr std::array kString = {"byte",  "char",  "find", "format",  "gmatch", "gsub", "len",
                                "lower", "match", "rep",  "reverse", "sub",    "upper"};
constexpr std::array kTable = {"concat", "insert", "maxn", "remove", "sort"};
constexpr std::array kMath = {"abs",   "acos", "asin",  "atan",  "atan2", "ceil",  "cos",
                              "cosh",  "deg",  "exp",   "floor", "fmod",  "frexp", "huge",
                              "ldexp", "log",  "log10", "max",   "min",   "modf",  "pi",
                              "pow",   "rad",  "sin",   "sinh",  "sqrt",  "tan",   "tanh"};
constexpr std::array kBit = {"band", "bor", "bxor", "lshift", "rshift"};

int refuse_write(lua_State* lua) {
    return luaL_error(lua, "Attempt to modify a readonly table");
}

int refuse_read(lua_State* lua) {
    // A key that is no text has no name to show.
    const char* name = lua_type(lua, 2) == LUA_TSTRING ? lua_tostring(lua, 2) : "?";
    return luaL_error(lua, "Script attempted to access nonexistent global variable '%s'", name);
}

/// As Lua 5.1 has it: the message is given a place, which LuaJIT leaves out.
int assert_value(lua_State* lua) {
    luaL_checkany(lua, 1);
    if (lua_toboolean(lua, 1) == 0)
        return luaL_error(lua, "%s", luaL_optstring(lua, 2, "assertion failed!"));
    return lua_gettop(lua);
}

/// pcall, but an error table with a text in `err` arrives as that text, as in Valkey. In Lua,
/// because the compiler follows Lua's own pcall into what it calls, and no function of C.
constexpr const char* kProtectedCall = R"lua(
local pcall, type, rawget = pcall, type, rawget
local function told(done, ...)
    if done then return true, ... end
    local raised = ...
    if type(raised) == "table" then
        local text = rawget(raised, "err")
        if type(text) == "string" or type(text) == "number" then return false, text end
    end
    return false, raised
end
return function(...)
    return told(pcall(...))
end
)lua";

void push_protected_call(lua_State* lua) {
    FF_ASSERT(luaL_loadstring(lua, kProtectedCall) == 0);
    lua_call(lua, 0, 1);
}

void open_library(lua_State* lua, const char* name, lua_CFunction open) {
    lua_pushcfunction(lua, open);
    lua_pushstring(lua, name);
    lua_call(lua, 1, 0);
}

/// Copies the named fields of the table at `from` into the table at the top.
void copy_fields(lua_State* lua, int from, std::span<const char* const> names) {
    for (const char* name : names) {
        lua_getfield(lua, from, name);
        lua_setfield(lua, -2, name);
    }
}

/// Pushes a table with the named fields of a global table.
void push_selection(lua_State* lua, const char* library, std::span<const char* const> names) {
    lua_getglobal(lua, library);
    lua_newtable(lua);
    copy_fields(lua, lua_gettop(lua) - 1, names);
    lua_remove(lua, -2);
}

void set_missing_raises(lua_State* lua) {
    lua_createtable(lua, 0, 1);
    lua_pushcfunction(lua, refuse_read);
    lua_setfield(lua, -2, "__index");
    lua_setmetatable(lua, -2);
}

/// Replaces the table at the top by an empty one that shows its content and refuses writes.
void make_read_only(lua_State* lua) {
    push_environment(lua);
}

void set_read_only(lua_State* lua, const char* name) {
    make_read_only(lua);
    lua_setfield(lua, -2, name);
}

}  // namespace

void push_environment(lua_State* lua) {
    lua_newtable(lua);
    lua_createtable(lua, 0, 2);
    lua_pushcfunction(lua, refuse_write);
    lua_setfield(lua, -2, "__newindex");
    lua_pushvalue(lua, -3);
    lua_setfield(lua, -2, "__index");
    lua_setmetatable(lua, -2);
    lua_remove(lua, -2);
}

void redirect_environment(lua_State* lua, int index) {
    lua_getmetatable(lua, index);
    lua_insert(lua, -2);
    lua_setfield(lua, -2, "__index");
    lua_pop(lua, 1);
}

void push_function_globals(LuaState& state) {
    lua_State* lua = state.get();
    open_library(lua, "", luaopen_base);
    open_library(lua, LUA_STRLIBNAME, luaopen_string);
    open_library(lua, LUA_TABLIBNAME, luaopen_table);
    open_library(lua, LUA_MATHLIBNAME, luaopen_math);
    open_library(lua, LUA_BITLIBNAME, luaopen_bit);

    lua_newtable(lua);
    copy_fields(lua, LUA_GLOBALSINDEX, kBase);
    lua_pushcfunction(lua, assert_value);
    lua_setfield(lua, -2, "assert");
    push_protected_call(lua);
    lua_setfield(lua, -2, "pcall");
    push_selection(lua, LUA_STRLIBNAME, kString);
    // Methods of strings: ("x"):rep(3).
    lua_pushliteral(lua, "");
    lua_getmetatable(lua, -1);
    lua_pushvalue(lua, -3);
    lua_setfield(lua, -2, "__index");
    lua_pop(lua, 2);
    set_read_only(lua, LUA_STRLIBNAME);
    push_selection(lua, LUA_TABLIBNAME, kTable);
    set_read_only(lua, LUA_TABLIBNAME);
    push_selection(lua, LUA_MATHLIBNAME, kMath);
    set_read_only(lua, LUA_MATHLIBNAME);
    push_selection(lua, LUA_BITLIBNAME, kBit);
    set_read_only(lua, LUA_BITLIBNAME);
    push_json_library(state);
    set_read_only(lua, "cjson");
    lua_pushvalue(lua, -2);
    set_read_only(lua, "redis");
    lua_remove(lua, -2);
    set_missing_raises(lua);
}

void push_library_globals(lua_State* lua) {
    set_missing_raises(lua);
    make_read_only(lua);
    lua_createtable(lua, 0, 1);
    lua_insert(lua, -2);
    lua_setfield(lua, -2, "redis");
    set_missing_raises(lua);
}

}  // namespace ff::host
