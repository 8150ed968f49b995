#include "host/lua_convert.h"

#include <algorithm>
#include <set>
#include <utility>

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
enum Name : int { kErr = 2, kOk, kDouble, kMap, kSet, kValueOf };

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

/// Sends one value and everything in it.
class Sender {
  public:
    Sender(lua_State* lua, keyspace::ReplySink& sink, ValueSource& values)
        : lua_(lua), sink_(sink), values_(values) {}

    void send(int index, int depth) {
        if (depth > kReplyDepthMax || lua_checkstack(lua_, 8) == 0) {
            sink_.error("ERR reached lua stack limit");
            return;
        }
        switch (lua_type(lua_, index)) {
            case LUA_TSTRING:
                sink_.bulk(view_at(lua_, index));
                return;
            case LUA_TNUMBER:
                sink_.integer(truncate_to_integer(lua_tonumber(lua_, index)));
                return;
            case LUA_TBOOLEAN:
                if (lua_toboolean(lua_, index) != 0)
                    sink_.integer(1);
                else
                    sink_.null();
                return;
            case LUA_TTABLE:
                send_table(index, depth);
                return;
            default:
                sink_.null();
        }
    }

  private:
    /// Calls `visit` with key at -2 and value at -1 for every pair; visit leaves the stack as it
    /// was.
    template <class Visit>
    void each_pair(int table, Visit visit) {
        lua_pushnil(lua_);
        while (lua_next(lua_, table) != 0) {
            visit();
            lua_pop(lua_, 1);
        }
    }

    void send_pairs(int table, int depth, bool with_values) {
        std::size_t count = 0;
        each_pair(table, [&] { ++count; });
        if (with_values)
            sink_.map(count);
        else
            sink_.set(count);
        each_pair(table, [&] {
            const int value = lua_gettop(lua_);
            // A copy of the key: converting a number in place would confuse lua_next.
            lua_pushvalue(lua_, value - 1);
            send(value + 1, depth + 1);
            lua_pop(lua_, 1);
            if (with_values) send(value, depth + 1);
        });
    }

    void send_array(int table, int depth) {
        int count = 0;
        for (;;) {
            lua_rawgeti(lua_, table, count + 1);
            const bool end = lua_isnil(lua_, -1);
            lua_pop(lua_, 1);
            if (end) break;
            ++count;
        }
        sink_.array(static_cast<std::size_t>(count));
        for (int i = 1; i <= count; ++i) {
            lua_rawgeti(lua_, table, i);
            send(lua_gettop(lua_), depth + 1);
            lua_pop(lua_, 1);
        }
    }

    void send_table(int table, int depth) {
        if (push_field(lua_, table, kErr, LUA_TSTRING)) {
            sink_.error(single_line(view_at(lua_, -1)));
        } else if (push_field(lua_, table, kOk, LUA_TSTRING)) {
            sink_.status(single_line(view_at(lua_, -1)));
        } else if (push_field(lua_, table, kDouble, LUA_TNUMBER)) {
            sink_.real(lua_tonumber(lua_, -1));
        } else if (push_field(lua_, table, kMap, LUA_TTABLE)) {
            send_pairs(lua_gettop(lua_), depth, true);
        } else if (push_field(lua_, table, kSet, LUA_TTABLE)) {
            send_pairs(lua_gettop(lua_), depth, false);
        } else if (push_field(lua_, table, kValueOf, LUA_TSTRING)) {
            send_value_of(table, lua_gettop(lua_));
        } else {
            send_array(table, depth);
            return;
        }
        lua_pop(lua_, 1);
    }

    /// `first` is the begin of a key, of which the table may hold the rest.
    void send_value_of(int table, int first) {
        lua_rawgeti(lua_, table, 1);
        lua_rawgeti(lua_, table, 2);
        const auto text = [this](int index) {
            return lua_type(lua_, index) == LUA_TSTRING ? view_at(lua_, index) : std::string_view();
        };
        values_.send_value_of(text(first), text(-2), text(-1), sink_);
        lua_pop(lua_, 2);
    }

    lua_State* lua_;
    keyspace::ReplySink& sink_;
    ValueSource& values_;
};

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
    lua_newtable(lua);
    kept_ = luaL_ref(lua, LUA_REGISTRYINDEX);
}

void LuaRecordSink::forget_names() {
    filled_ = nullptr;
    lua_newtable(lua_);
    lua_rawseti(lua_, LUA_REGISTRYINDEX, names_);
}

void LuaRecordSink::reset(int into) {
    is_field_ = true;
    into_ = into;
    field_ = kNoField;
    lua_rawgeti(lua_, LUA_REGISTRYINDEX, names_);
    names_at_ = lua_gettop(lua_);
    if (into == 0) return;
    former_numbers_.swap(numbers_);
    former_others_.swap(others_);
    numbers_.clear();
    others_.clear();
    ++filling_;
    if (const void* table = lua_topointer(lua_, into); table != filled_) {
        former_numbers_.clear();
        former_others_.clear();
        empty(into);
        filled_ = table;
        lua_pushvalue(lua_, into);
        lua_rawseti(lua_, LUA_REGISTRYINDEX, kept_);
        // Nothing is left of the filling before this one.
        ++filling_;
    }
}

void LuaRecordSink::empty(int table) {
    lua_pushnil(lua_);
    while (lua_next(lua_, table) != 0) {
        lua_pop(lua_, 1);
        lua_pushvalue(lua_, -1);
        lua_pushnil(lua_);
        lua_rawset(lua_, table);
    }
}

void LuaRecordSink::settle() {
    if (into_ == 0) return;
    if (!others_.empty() || !former_others_.empty()) return settle_by_name();
    for (const std::uint16_t number : former_numbers_) {
        if (held_[number].filling == filling_) continue;
        lua_rawgeti(lua_, names_at_, number + 1);
        lua_pushnil(lua_);
        lua_rawset(lua_, into_);
    }
}

/// A field may have had a number the last time and have none now.
void LuaRecordSink::settle_by_name() {
    std::set<std::string, std::less<>> present(others_.begin(), others_.end());
    for (const std::uint16_t number : numbers_) {
        lua_rawgeti(lua_, names_at_, number + 1);
        present.emplace(view_at(lua_, -1));
        lua_pop(lua_, 1);
    }
    lua_pushnil(lua_);
    while (lua_next(lua_, into_) != 0) {
        lua_pop(lua_, 1);
        if (lua_type(lua_, -1) == LUA_TSTRING && present.contains(view_at(lua_, -1))) continue;
        lua_pushvalue(lua_, -1);
        lua_pushnil(lua_);
        lua_rawset(lua_, into_);
    }
}

void LuaRecordSink::name(std::string_view bytes, std::uint16_t number) {
    is_field_ = false;
    if (into_ == 0) return push_name(bytes, number);
    field_ = number;
    field_name_ = bytes;
    numbers_.push_back(number);
}

void LuaRecordSink::push_name(std::string_view bytes, std::uint16_t number) {
    const int place = number + 1;
    lua_rawgeti(lua_, names_at_, place);
    if (lua_isnil(lua_, -1)) {
        lua_pop(lua_, 1);
        lua_pushlstring(lua_, bytes.data(), bytes.size());
        lua_pushvalue(lua_, -1);
        lua_rawseti(lua_, names_at_, place);
    }
}

/// The value of a field that has a number, into a table that may have it already.
void LuaRecordSink::fill(std::string_view bytes) {
    const std::uint16_t number = std::exchange(field_, kNoField);
    if (held_.size() <= number) held_.resize(number + 1U);
    Held& held = held_[number];
    const bool is_there = held.filling == filling_ - 1 && held.is(bytes);
    held.filling = filling_;
    if (is_there) return;
    push_name(field_name_, number);
    lua_pushlstring(lua_, bytes.data(), bytes.size());
    lua_rawset(lua_, -3);
    held.set(bytes);
}

void LuaRecordSink::null() {
    lua_pushnil(lua_);
    if (into_ == 0) return;
    // The table is as it was.
    --filling_;
    numbers_.swap(former_numbers_);
    others_.swap(former_others_);
    former_numbers_.clear();
    former_others_.clear();
}

void LuaRecordSink::array(std::size_t size) {
    if (size == 0) return null();
    // Functions mark what they have changed at the first place.
    if (into_ == 0) {
        lua_createtable(lua_, 1, static_cast<int>(size / 2));
        return;
    }
    lua_pushvalue(lua_, into_);
    lua_pushnil(lua_);
    lua_rawseti(lua_, -2, 1);
}

void LuaRecordSink::bulk(std::string_view bytes) {
    if (field_ != kNoField) {
        is_field_ = true;
        return fill(bytes);
    }
    lua_pushlstring(lua_, bytes.data(), bytes.size());
    if (!is_field_)
        lua_rawset(lua_, -3);
    else if (into_ != 0)
        others_.emplace_back(bytes);
    is_field_ = !is_field_;
}

void push_reply_names(lua_State* lua) {
    FF_ASSERT(lua_gettop(lua) == kErr - 1);
    for (const char* name : {"err", "ok", "double", "map", "set", "ff_value_of"})
        lua_pushstring(lua, name);
}

void send_lua_value(lua_State* lua, int index, keyspace::ReplySink& sink, ValueSource& values) {
    Sender(lua, sink, values).send(index, 0);
}

std::int64_t truncate_to_integer(double value) {
    constexpr double kLimit = 9223372036854775808.0;
    if (!(value >= -kLimit && value < kLimit)) return INT64_MIN;
    return static_cast<std::int64_t>(value);
}

}  // namespace ff::host
