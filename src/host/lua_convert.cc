#include "host/lua_convert.h"

#include <algorithm>

#include <lua.hpp>

#include "base/assert.h"

namespace ff::host {
namespace {

/// Deeper tables cannot be a reply of ours; without a limit a table inside itself would never end.
constexpr int kReplyDepthMax = 64;

std::string_view view_at(lua_State* lua, int index) {
    std::size_t length = 0;
    const char* bytes = lua_tolstring(lua, index, &length);
    return {bytes, length};
}

/// Where push_reply_names put them.
enum Name : int { kErr = 2, kOk, kDouble, kMap, kSet };

/// Pushes the field if the table has a value of that type under it.
bool push_field(lua_State* lua, int table, Name name, int type) {
    lua_pushvalue(lua, name);
    lua_rawget(lua, table);
    if (lua_type(lua, -1) == type) return true;
    lua_pop(lua, 1);
    return false;
}

std::string single_line(std::string_view text) {
    std::string line(text);
    std::replace_if(line.begin(), line.end(), [](char c) { return c == '\r' || c == '\n'; }, ' ');
    return line;
}

void send(lua_State* lua, int index, keyspace::ReplySink& sink, int depth);

/// Calls `visit` with key at -2 and value at -1 for every pair; visit leaves the stack as it was.
template <class Visit>
void each_pair(lua_State* lua, int table, Visit visit) {
    lua_pushnil(lua);
    while (lua_next(lua, table) != 0) {
        visit();
        lua_pop(lua, 1);
    }
}

void send_pairs(lua_State* lua, int table, keyspace::ReplySink& sink, int depth, bool with_values) {
    std::size_t count = 0;
    each_pair(lua, table, [&] { ++count; });
    if (with_values)
        sink.map(count);
    else
        sink.set(count);
    each_pair(lua, table, [&] {
        const int value = lua_gettop(lua);
        // A copy of the key: converting a number in place would confuse lua_next.
        lua_pushvalue(lua, value - 1);
        send(lua, value + 1, sink, depth + 1);
        lua_pop(lua, 1);
        if (with_values) send(lua, value, sink, depth + 1);
    });
}

void send_array(lua_State* lua, int table, keyspace::ReplySink& sink, int depth) {
    int count = 0;
    for (;;) {
        lua_rawgeti(lua, table, count + 1);
        const bool end = lua_isnil(lua, -1);
        lua_pop(lua, 1);
        if (end) break;
        ++count;
    }
    sink.array(static_cast<std::size_t>(count));
    for (int i = 1; i <= count; ++i) {
        lua_rawgeti(lua, table, i);
        send(lua, lua_gettop(lua), sink, depth + 1);
        lua_pop(lua, 1);
    }
}

void send_table(lua_State* lua, int table, keyspace::ReplySink& sink, int depth) {
    if (push_field(lua, table, kErr, LUA_TSTRING)) {
        sink.error(single_line(view_at(lua, -1)));
        lua_pop(lua, 1);
    } else if (push_field(lua, table, kOk, LUA_TSTRING)) {
        sink.status(single_line(view_at(lua, -1)));
        lua_pop(lua, 1);
    } else if (push_field(lua, table, kDouble, LUA_TNUMBER)) {
        sink.real(lua_tonumber(lua, -1));
        lua_pop(lua, 1);
    } else if (push_field(lua, table, kMap, LUA_TTABLE)) {
        send_pairs(lua, lua_gettop(lua), sink, depth, true);
        lua_pop(lua, 1);
    } else if (push_field(lua, table, kSet, LUA_TTABLE)) {
        send_pairs(lua, lua_gettop(lua), sink, depth, false);
        lua_pop(lua, 1);
    } else {
        send_array(lua, table, sink, depth);
    }
}

void send(lua_State* lua, int index, keyspace::ReplySink& sink, int depth) {
    if (depth > kReplyDepthMax || lua_checkstack(lua, 8) == 0) {
        sink.error("ERR reached lua stack limit");
        return;
    }
    switch (lua_type(lua, index)) {
        case LUA_TSTRING:
            sink.bulk(view_at(lua, index));
            return;
        case LUA_TNUMBER:
            sink.integer(truncate_to_integer(lua_tonumber(lua, index)));
            return;
        case LUA_TBOOLEAN:
            if (lua_toboolean(lua, index) != 0)
                sink.integer(1);
            else
                sink.null();
            return;
        case LUA_TTABLE:
            send_table(lua, index, sink, depth);
            return;
        default:
            sink.null();
    }
}

}  // namespace

void LuaReplySink::reset() {
    open_.clear();
    failed_ = false;
}

void LuaReplySink::settle() {
    while (!open_.empty()) {
        lua_rawseti(lua_, -2, open_.back().next);
        ++open_.back().next;
        if (--open_.back().left > 0) return;
        open_.pop_back();
    }
}

void LuaReplySink::null() {
    lua_pushboolean(lua_, 0);
    settle();
}

void LuaReplySink::integer(std::int64_t value) {
    lua_pushnumber(lua_, static_cast<lua_Number>(value));
    settle();
}

void LuaReplySink::real(double value) {
    lua_pushnumber(lua_, value);
    settle();
}

void LuaReplySink::bulk(std::string_view bytes) {
    lua_pushlstring(lua_, bytes.data(), bytes.size());
    settle();
}

void LuaReplySink::status(std::string_view text) {
    lua_createtable(lua_, 0, 1);
    lua_pushlstring(lua_, text.data(), text.size());
    lua_setfield(lua_, -2, "ok");
    settle();
}

void LuaReplySink::error(std::string_view text) {
    failed_ = true;
    error_text_ = text;
}

void LuaReplySink::array(std::size_t size) {
    lua_createtable(lua_, static_cast<int>(size), 0);
    if (size == 0) {
        settle();
        return;
    }
    // Replies nest three deep at most (stream, entry, fields), two slots each.
    open_.push_back({.left = size});
}

LuaRecordSink::LuaRecordSink(lua_State* lua) : lua_(lua) {
    lua_newtable(lua);
    names_ = luaL_ref(lua, LUA_REGISTRYINDEX);
}

void LuaRecordSink::reset() {
    is_field_ = true;
    lua_rawgeti(lua_, LUA_REGISTRYINDEX, names_);
    names_at_ = lua_gettop(lua_);
}

void LuaRecordSink::name(std::string_view bytes, std::uint16_t number) {
    const int place = number + 1;
    lua_rawgeti(lua_, names_at_, place);
    if (lua_isnil(lua_, -1)) {
        lua_pop(lua_, 1);
        lua_pushlstring(lua_, bytes.data(), bytes.size());
        lua_pushvalue(lua_, -1);
        lua_rawseti(lua_, names_at_, place);
    }
    is_field_ = false;
}

void LuaRecordSink::null() {
    lua_pushnil(lua_);
}

void LuaRecordSink::array(std::size_t size) {
    if (size == 0) return null();
    // Functions mark what they have changed at the first place.
    lua_createtable(lua_, 1, static_cast<int>(size / 2));
}

void LuaRecordSink::bulk(std::string_view bytes) {
    lua_pushlstring(lua_, bytes.data(), bytes.size());
    if (!is_field_) lua_rawset(lua_, -3);
    is_field_ = !is_field_;
}

void push_reply_names(lua_State* lua) {
    FF_ASSERT(lua_gettop(lua) == kErr - 1);
    for (const char* name : {"err", "ok", "double", "map", "set"}) lua_pushstring(lua, name);
}

void send_lua_value(lua_State* lua, int index, keyspace::ReplySink& sink) {
    send(lua, index, sink, 0);
}

std::int64_t truncate_to_integer(double value) {
    constexpr double kLimit = 9223372036854775808.0;
    if (!(value >= -kLimit && value < kLimit)) return INT64_MIN;
    return static_cast<std::int64_t>(value);
}

}  // namespace ff::host
