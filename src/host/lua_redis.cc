#include "host/lua_redis.h"

#include <string>
#include <string_view>

#include <lua.hpp>

#include "base/digest.h"
#include "base/log.h"
#include "host/lua_commands.h"
#include "host/lua_raise.h"

namespace ff::host {
namespace {

LuaCommands& commands_of(lua_State* lua) {
    return *static_cast<LuaCommands*>(lua_touserdata(lua, lua_upvalueindex(1)));
}

int redis_call(lua_State* lua) {
    LuaCommands& commands = commands_of(lua);
    if (!commands.run()) return lua_error(lua);
    if (commands.state().over_limit()) return luaL_error(lua, "not enough memory");
    return 1;
}

int redis_pcall(lua_State* lua) {
    LuaCommands& commands = commands_of(lua);
    commands.run();
    if (commands.state().over_limit()) return luaL_error(lua, "not enough memory");
    return 1;
}

/// Not in Valkey: a hash as a table at once, where HGETALL would answer a list to be sorted out.
int redis_hash(lua_State* lua) {
    LuaCommands& commands = commands_of(lua);
    if (!commands.read_hash()) return lua_error(lua);
    if (commands.state().over_limit()) return luaL_error(lua, "not enough memory");
    return 1;
}

/// Not in Valkey: what leases are judged by while it is not the time of the call; nil otherwise.
int redis_lease_time(lua_State* lua) {
    const std::optional<std::int64_t> held = commands_of(lua).held_lease_time_ms();
    if (held.has_value())
        lua_pushnumber(lua, static_cast<double>(*held));
    else
        lua_pushnil(lua);
    return 1;
}

bool is_one_text(lua_State* lua) {
    return lua_gettop(lua) == 1 && lua_type(lua, 1) == LUA_TSTRING;
}

/// The text gets the code ERR if it is a single word; a leading `-` is dropped.
int redis_error_reply(lua_State* lua) {
    if (!is_one_text(lua)) {
        push_error_table(lua, "ERR wrong number or type of arguments");
        return 1;
    }
    std::size_t length = 0;
    const char* bytes = lua_tolstring(lua, 1, &length);
    std::string_view text(bytes, length);
    if (text.starts_with('-')) text.remove_prefix(1);
    lua_createtable(lua, 0, 1);
    lua_pushstring(lua, text.find(' ') == std::string_view::npos ? "ERR " : "");
    lua_pushlstring(lua, text.data(), text.size());
    lua_concat(lua, 2);
    lua_setfield(lua, -2, "err");
    return 1;
}

int redis_status_reply(lua_State* lua) {
    if (!is_one_text(lua)) {
        push_error_table(lua, "ERR wrong number or type of arguments");
        return 1;
    }
    lua_createtable(lua, 0, 1);
    lua_pushvalue(lua, 1);
    lua_setfield(lua, -2, "ok");
    return 1;
}

void push_digest(lua_State* lua, std::string_view bytes) {
    const std::string digest = sha1_hex(bytes);
    lua_pushlstring(lua, digest.data(), digest.size());
}

int redis_sha1hex(lua_State* lua) {
    if (lua_gettop(lua) != 1) return raise_error_table(lua, "ERR wrong number of arguments");
    std::size_t length = 0;
    const char* bytes = lua_tolstring(lua, 1, &length);
    const LuaState::Unlimited unlimited(commands_of(lua).state());
    push_digest(lua, {bytes, length});
    return 1;
}

constexpr int kLogLevelMax = 3;

void write_log(int level, std::string_view text) {
    constexpr log::Level kLevels[] = {log::Level::Debug, log::Level::Debug, log::Level::Info,
                                      log::Level::Warn};
    log::write(kLevels[level], "host", "function_log", {{"text", text}});
}

int redis_log(lua_State* lua) {
    const int count = lua_gettop(lua);
    if (count < 2)
        return raise_error_table(lua, "ERR server.log() requires two arguments or more.");
    if (lua_isnumber(lua, 1) == 0)
        return raise_error_table(lua, "ERR First argument must be a number (log level).");
    const auto level = static_cast<int>(lua_tonumber(lua, 1));
    if (level < 0 || level > kLogLevelMax) return raise_error_table(lua, "ERR Invalid log level.");
    // Joined by Lua itself: nothing here owns memory while Lua may raise.
    luaL_Buffer buffer;
    luaL_buffinit(lua, &buffer);
    for (int i = 2; i <= count; ++i) {
        if (lua_isstring(lua, i) == 0) continue;
        if (i > 2) luaL_addchar(&buffer, ' ');
        lua_pushvalue(lua, i);
        luaL_addvalue(&buffer);
    }
    luaL_pushresult(&buffer);
    std::size_t length = 0;
    const char* bytes = lua_tolstring(lua, -1, &length);
    write_log(level, {bytes, length});
    return 0;
}

void set_command_function(lua_State* lua, LuaCommands& commands, const char* name,
                          lua_CFunction function) {
    lua_pushlightuserdata(lua, &commands);
    lua_pushcclosure(lua, function, 1);
    lua_setfield(lua, -2, name);
}

}  // namespace

void add_log_functions(lua_State* lua) {
    lua_pushcfunction(lua, redis_log);
    lua_setfield(lua, -2, "log");
    int level = 0;
    for (const char* name : {"LOG_DEBUG", "LOG_VERBOSE", "LOG_NOTICE", "LOG_WARNING"}) {
        lua_pushnumber(lua, level++);
        lua_setfield(lua, -2, name);
    }
}

void push_redis_library(lua_State* lua, LuaCommands& commands) {
    lua_newtable(lua);
    set_command_function(lua, commands, "call", redis_call);
    set_command_function(lua, commands, "pcall", redis_pcall);
    set_command_function(lua, commands, "ff_hash", redis_hash);
    set_command_function(lua, commands, "ff_lease_time", redis_lease_time);
    set_command_function(lua, commands, "sha1hex", redis_sha1hex);
    lua_pushcfunction(lua, redis_error_reply);
    lua_setfield(lua, -2, "error_reply");
    lua_pushcfunction(lua, redis_status_reply);
    lua_setfield(lua, -2, "status_reply");
    add_log_functions(lua);
}

}  // namespace ff::host
