#include "host/lua_registration.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <lua.hpp>

#include "host/lua_raise.h"

namespace ff::host {
namespace {

constexpr std::string_view kNoWrites = "no-writes";
constexpr std::string_view kAllowOom = "allow-oom";
constexpr std::array<std::string_view, 5> kFlags = {kNoWrites, kAllowOom, "allow-stale",
                                                    "no-cluster", "allow-cross-slot-keys"};

std::string text_at(lua_State* lua, int index) {
    std::size_t length = 0;
    const char* bytes = lua_tolstring(lua, index, &length);
    return bytes == nullptr ? std::string() : std::string(bytes, length);
}

bool is_text(lua_State* lua, int index) {
    return lua_isstring(lua, index) != 0;
}

/// Takes the function at `index` into the registry.
void keep_callback(lua_State* lua, int index, Registration& registration) {
    lua_Debug about;
    lua_pushvalue(lua, index);
    if (lua_getinfo(lua, ">S", &about) != 0) registration.line = about.linedefined;
    lua_pushvalue(lua, index);
    registration.reference = luaL_ref(lua, LUA_REGISTRYINDEX);
}

// The functions below answer an error text, or nullptr. They never raise, because they own memory.

const char* read_flags(lua_State* lua, int table, std::vector<std::string>& flags) {
    for (int i = 1;; ++i) {
        lua_rawgeti(lua, table, i);
        if (lua_isnil(lua, -1)) {
            lua_pop(lua, 1);
            return nullptr;
        }
        const std::string flag = lua_type(lua, -1) == LUA_TSTRING ? text_at(lua, -1) : "";
        lua_pop(lua, 1);
        if (std::ranges::find(kFlags, flag) == kFlags.end()) return "ERR unknown flag given";
        flags.push_back(flag);
    }
}

/// The name is at -2, the value at -1.
const char* read_named(lua_State* lua, Registration& registration, bool& has_name) {
    if (!is_text(lua, -2))
        return "ERR named argument key given to server.register_function is not a string";
    // Copies, because reading a number as text would change it under lua_next.
    lua_pushvalue(lua, -2);
    const std::string key = text_at(lua, -1);
    lua_pop(lua, 1);
    lua_pushvalue(lua, -1);
    const int value = lua_gettop(lua);
    const char* problem = nullptr;
    if (key == "function_name") {
        has_name = is_text(lua, value);
        if (has_name)
            registration.name = text_at(lua, value);
        else
            problem =
                "ERR function_name argument given to server.register_function must be a string";
    } else if (key == "description") {
        if (is_text(lua, value))
            registration.description = text_at(lua, value);
        else
            problem = "ERR description argument given to server.register_function must be a string";
    } else if (key == "callback") {
        if (lua_isfunction(lua, value))
            keep_callback(lua, value, registration);
        else
            problem = "ERR callback argument given to server.register_function must be a function";
    } else if (key == "flags") {
        problem = lua_istable(lua, value)
                      ? read_flags(lua, value, registration.flags)
                      : "ERR flags argument to server.register_function must be a table "
                        "representing function flags";
    } else {
        problem = "ERR unknown argument given to server.register_function";
    }
    lua_pop(lua, 1);
    return problem;
}

const char* read_table(lua_State* lua, Registration& registration) {
    if (!lua_istable(lua, 1))
        return "ERR calling server.register_function with a single argument is only applicable to "
               "Lua table (representing named arguments).";
    bool has_name = false;
    lua_pushnil(lua);
    while (lua_next(lua, 1) != 0) {
        const char* problem = read_named(lua, registration, has_name);
        if (problem != nullptr) return problem;
        lua_pop(lua, 1);
    }
    if (!has_name) return "ERR server.register_function must get a function name argument";
    if (registration.reference == 0)
        return "ERR server.register_function must get a callback argument";
    return nullptr;
}

const char* read_pair(lua_State* lua, Registration& registration) {
    if (!is_text(lua, 1)) return "ERR first argument to server.register_function must be a string";
    if (!lua_isfunction(lua, 2))
        return "ERR second argument to server.register_function must be a function";
    registration.name = text_at(lua, 1);
    keep_callback(lua, 2, registration);
    return nullptr;
}

const char* read(lua_State* lua, std::vector<Registration>& registrations) {
    const int count = lua_gettop(lua);
    if (count < 1 || count > 2) return "ERR wrong number of arguments to server.register_function";
    Registration registration;
    const char* problem = count == 1 ? read_table(lua, registration) : read_pair(lua, registration);
    // A refused one is kept too: its callback must be let go of with the rest.
    registrations.push_back(std::move(registration));
    return problem;
}

int register_function(lua_State* lua) {
    auto* registrations =
        static_cast<std::vector<Registration>*>(lua_touserdata(lua, lua_upvalueindex(1)));
    const char* problem = read(lua, *registrations);
    return problem == nullptr ? 0 : raise_error_table(lua, problem);
}

}  // namespace

bool Registration::may_write() const {
    return std::ranges::find(flags, kNoWrites) == flags.end();
}

bool Registration::allowed_when_full() const {
    return !may_write() || std::ranges::find(flags, kAllowOom) != flags.end();
}

void add_register_function(lua_State* lua, std::vector<Registration>& registrations) {
    lua_pushlightuserdata(lua, &registrations);
    lua_pushcclosure(lua, register_function, 1);
    lua_setfield(lua, -2, "register_function");
}

}  // namespace ff::host
