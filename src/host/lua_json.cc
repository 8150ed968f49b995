#include "host/lua_json.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include <lua.hpp>

#include "host/lua_json_decode.h"
#include "host/lua_state.h"

namespace ff::host {
namespace {

constexpr int kDepthMax = 1000;
/// An array may be mostly empty up to this index; beyond it half of the places must be filled.
constexpr int kSparseSafe = 10;
constexpr int kSparseRatio = 2;

/// Walks a Lua value and gathers its JSON text. It never raises: a Lua error would jump over the
/// string it owns, so the first refusal is kept and raised by the caller.
class Encoder {
  public:
    explicit Encoder(lua_State* lua) : lua_(lua) {}

    bool value(int depth);
    const std::string& text() const { return out_; }
    const std::string& refusal() const { return refusal_; }

  private:
    bool refuse(std::string why) {
        refusal_ = std::move(why);
        return false;
    }
    bool table(int depth);
    bool array(int length, int depth);
    bool object(int depth);
    bool number();
    void string(std::string_view bytes);
    /// The highest index if the keys are positive integers only, 0 for an empty table, -1 for an
    /// object, -2 for an array that is too sparse.
    int array_length();

    lua_State* lua_;
    std::string out_{};
    std::string refusal_{};
};

bool Encoder::value(int depth) {
    switch (lua_type(lua_, -1)) {
        case LUA_TSTRING: {
            std::size_t length = 0;
            const char* bytes = lua_tolstring(lua_, -1, &length);
            string({bytes, length});
            return true;
        }
        case LUA_TNUMBER:
            return number();
        case LUA_TBOOLEAN:
            out_ += lua_toboolean(lua_, -1) != 0 ? "true" : "false";
            return true;
        case LUA_TNIL:
            out_ += "null";
            return true;
        case LUA_TLIGHTUSERDATA:
            if (lua_touserdata(lua_, -1) != nullptr) break;
            out_ += "null";
            return true;
        case LUA_TTABLE:
            return table(depth + 1);
        default:
            break;
    }
    return refuse(std::string("Cannot serialise ") + luaL_typename(lua_, -1) +
                  ": type not supported");
}

bool Encoder::number() {
    const double number = lua_tonumber(lua_, -1);
    if (!std::isfinite(number)) return refuse("Cannot serialise number: must not be NaN or Inf");
    std::array<char, 40> buffer{};
    const int length = std::snprintf(buffer.data(), buffer.size(), "%.14g", number);
    out_.append(buffer.data(), static_cast<std::size_t>(length));
    return true;
}

void Encoder::string(std::string_view bytes) {
    static constexpr std::string_view kDigits = "0123456789abcdef";
    static constexpr std::string_view kPlain = "\"\\/\b\f\n\r\t";
    static constexpr std::string_view kEscaped = "\"\\/bfnrt";
    out_.push_back('"');
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        const std::size_t place = kPlain.find(c);
        if (place != std::string_view::npos) {
            out_.push_back('\\');
            out_.push_back(kEscaped[place]);
        } else if (byte < 0x20 || byte == 0x7f) {
            out_ += "\\u00";
            out_.push_back(kDigits[byte >> 4]);
            out_.push_back(kDigits[byte & 0xf]);
        } else {
            out_.push_back(c);
        }
    }
    out_.push_back('"');
}

int Encoder::array_length() {
    double highest = 0;
    int items = 0;
    lua_pushnil(lua_);
    while (lua_next(lua_, -2) != 0) {
        const double key = lua_type(lua_, -2) == LUA_TNUMBER ? lua_tonumber(lua_, -2) : 0;
        lua_pop(lua_, 1);
        if (key < 1 || key != std::floor(key) || key > 1e9) {
            lua_pop(lua_, 1);
            return -1;
        }
        highest = std::max(highest, key);
        ++items;
    }
    if (highest > static_cast<double>(items) * kSparseRatio && highest > kSparseSafe) return -2;
    return static_cast<int>(highest);
}

bool Encoder::table(int depth) {
    if (depth > kDepthMax || lua_checkstack(lua_, 4) == 0)
        return refuse("Cannot serialise, excessive nesting (" + std::to_string(depth) + ")");
    const int length = array_length();
    if (length == -2) return refuse("Cannot serialise table: excessively sparse array");
    return length > 0 ? array(length, depth) : object(depth);
}

bool Encoder::array(int length, int depth) {
    out_.push_back('[');
    for (int i = 1; i <= length; ++i) {
        if (i > 1) out_.push_back(',');
        lua_rawgeti(lua_, -1, i);
        if (!value(depth)) return false;
        lua_pop(lua_, 1);
    }
    out_.push_back(']');
    return true;
}

bool Encoder::object(int depth) {
    out_.push_back('{');
    bool first = true;
    lua_pushnil(lua_);
    while (lua_next(lua_, -2) != 0) {
        if (!first) out_.push_back(',');
        first = false;
        if (lua_type(lua_, -2) == LUA_TNUMBER) {
            out_.push_back('"');
            lua_pushvalue(lua_, -2);
            const bool fine = number();
            lua_pop(lua_, 1);
            if (!fine) return false;
            out_.push_back('"');
        } else if (lua_type(lua_, -2) == LUA_TSTRING) {
            std::size_t size = 0;
            const char* bytes = lua_tolstring(lua_, -2, &size);
            string({bytes, size});
        } else {
            return refuse(std::string("Cannot serialise ") + luaL_typename(lua_, -2) +
                          ": table key must be a number or string");
        }
        out_.push_back(':');
        if (!value(depth)) return false;
        lua_pop(lua_, 1);
    }
    out_.push_back('}');
    return true;
}

LuaState& state_of(lua_State* lua) {
    return *static_cast<LuaState*>(lua_touserdata(lua, lua_upvalueindex(1)));
}

/// True with the text on the stack, or false with the refusal. The encoder owns memory, so no Lua
/// error may happen in here.
bool encode_top(lua_State* lua) {
    const LuaState::Unlimited unlimited(state_of(lua));
    Encoder encoder(lua);
    const bool fine = encoder.value(0);
    const std::string& answer = fine ? encoder.text() : encoder.refusal();
    lua_pushlstring(lua, answer.data(), answer.size());
    return fine;
}

bool decode_text(lua_State* lua, std::string_view text) {
    const LuaState::Unlimited unlimited(state_of(lua));
    return push_decoded_json(lua, text);
}

/// Raises the text at the top, with the place of the calling code in front.
int raise_with_position(lua_State* lua) {
    luaL_where(lua, 1);
    lua_insert(lua, -2);
    lua_concat(lua, 2);
    return lua_error(lua);
}

int finish(lua_State* lua, bool fine) {
    if (!fine) return raise_with_position(lua);
    if (state_of(lua).over_limit()) return luaL_error(lua, "not enough memory");
    return 1;
}

int json_encode(lua_State* lua) {
    luaL_argcheck(lua, lua_gettop(lua) == 1, 1, "expected 1 argument");
    return finish(lua, encode_top(lua));
}

int json_decode(lua_State* lua) {
    luaL_argcheck(lua, lua_gettop(lua) == 1, 1, "expected 1 argument");
    std::size_t length = 0;
    const char* text = luaL_checklstring(lua, 1, &length);
    return finish(lua, decode_text(lua, {text, length}));
}

}  // namespace

void push_json_library(LuaState& state) {
    lua_State* lua = state.get();
    lua_createtable(lua, 0, 3);
    lua_pushlightuserdata(lua, &state);
    lua_pushcclosure(lua, json_encode, 1);
    lua_setfield(lua, -2, "encode");
    lua_pushlightuserdata(lua, &state);
    lua_pushcclosure(lua, json_decode, 1);
    lua_setfield(lua, -2, "decode");
    lua_pushlightuserdata(lua, nullptr);
    lua_setfield(lua, -2, "null");
}

}  // namespace ff::host
