#include "host/lua_pieces.h"

#include <array>

#include <lua.hpp>

#include "base/assert.h"
#include "host/lua_commands.h"
#include "host/lua_raise.h"

namespace ff::host {
namespace {

LuaCommands& commands_at(void* context) {
    return *static_cast<LuaCommands*>(context);
}

void add_text(void* context, const char* bytes, std::size_t size) {
    commands_at(context).add_text({bytes, size});
}

void add_number(void* context, double number) {
    commands_at(context).add_number(number);
}

void add_argument(void* context, double place) {
    commands_at(context).add_argument(place);
}

void add_entry_id(void* context, double ms, double ordinal) {
    commands_at(context).add_entry_id(ms, ordinal);
}

void add_joined(void* context, const char* first, std::size_t first_size, const char* second,
                std::size_t second_size, const char* third, std::size_t third_size) {
    commands_at(context).add_joined({first, first_size}, {second, second_size},
                                    {third, third_size});
}

int exists(void* context, const char* first, std::size_t first_size, const char* second,
           std::size_t second_size, const char* third, std::size_t third_size) {
    return commands_at(context).exists({first, first_size}, {second, second_size},
                                       {third, third_size})
               ? 1
               : 0;
}

double argument_size(void* context, double place) {
    return static_cast<double>(commands_at(context).argument_size(place));
}

int run_pieces(void* context) {
    return commands_at(context).run_pieces() ? 1 : 0;
}

int raise_piece_error(lua_State* lua) {
    auto& commands = *static_cast<LuaCommands*>(lua_touserdata(lua, lua_upvalueindex(1)));
    return raise_error_table(lua, commands.piece_error());
}

/// Only the functions it returns know the foreign library.
constexpr const char* kWrappers = R"lua(
local ffi, context, text_at, number_at, argument_at, entry_id_at, joined_at, exists_at, size_at, run_at = ...
local self = ffi.cast("void *", context)
local text = ffi.cast("void (*)(void *, const char *, size_t)", text_at)
local number = ffi.cast("void (*)(void *, double)", number_at)
local argument = ffi.cast("void (*)(void *, double)", argument_at)
local entry_id = ffi.cast("void (*)(void *, double, double)", entry_id_at)
local joined = ffi.cast("void (*)(void *, const char *, size_t, const char *, size_t, const char *, size_t)", joined_at)
local exists = ffi.cast("int (*)(void *, const char *, size_t, const char *, size_t, const char *, size_t)", exists_at)
local size = ffi.cast("double (*)(void *, double)", size_at)
local run = ffi.cast("int (*)(void *)", run_at)
return function(value)
    text(self, value, #value)
end, function(value)
    number(self, value)
end, function(place)
    argument(self, place)
end, function(ms, ordinal)
    entry_id(self, ms, ordinal)
end, function(first, second, third)
    joined(self, first, #first, second, #second, third, #third)
end, function(first, second, third)
    return exists(self, first, #first, second, #second, third, #third) == 1
end, function(place)
    return size(self, place)
end, function()
    return run(self) == 1
end, function(first, second, third)
    return {ff_value_of = first, second, third}
end
)lua";

template <class Function>
void push_address(lua_State* lua, Function* function) {
    lua_pushlightuserdata(lua, reinterpret_cast<void*>(function));
}

}  // namespace

void add_piece_functions(lua_State* lua, LuaCommands& commands) {
    const int table = lua_gettop(lua);
    FF_ASSERT(luaL_loadstring(lua, kWrappers) == 0);
    lua_pushcfunction(lua, luaopen_ffi);
    lua_call(lua, 0, 1);
    lua_pushlightuserdata(lua, &commands);
    push_address(lua, &add_text);
    push_address(lua, &add_number);
    push_address(lua, &add_argument);
    push_address(lua, &add_entry_id);
    push_address(lua, &add_joined);
    push_address(lua, &exists);
    push_address(lua, &argument_size);
    push_address(lua, &run_pieces);
    constexpr std::array kNames = {"ff_value_of", "ff_run",    "ff_argument_size",
                                   "ff_exists",   "ff_joined", "ff_entry_id",
                                   "ff_argument", "ff_number", "ff_text"};
    lua_call(lua, 10, static_cast<int>(kNames.size()));
    for (const char* name : kNames) lua_setfield(lua, table, name);
    lua_pushlightuserdata(lua, &commands);
    lua_pushcclosure(lua, raise_piece_error, 1);
    lua_setfield(lua, table, "ff_raise");
}

}  // namespace ff::host
