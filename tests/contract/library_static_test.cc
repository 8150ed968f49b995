#include <regex>
#include <set>

#include <gtest/gtest.h>
#include <lua.hpp>

#include "model/library.h"

namespace ff::contract {
namespace {

/// Walks the bytecode of a chunk and all its functions. Answers the names of globals set and read,
/// and the number of loops that use the special instructions for `pairs` and `next`.
/// The numbers of the instructions are found by compiling a line that has them.
constexpr const char* kWalker = R"lua(
local util = require("jit.util")
local band = require("bit").band
local function code(f, pc)
    local instruction = util.funcbc(f, pc)
    return instruction and band(instruction, 0xff), instruction and math.floor(instruction / 65536)
end
local function first_op(text)
    return (code(loadstring(text), 1))
end
local get, set = first_op("return x"), nil
do
    local f = loadstring("local a = ...; x = a")
    set = code(f, 2)
end
local function operations(text)
    local f, out, pc = loadstring(text), {}, 1
    while code(f, pc) do
        out[code(f, pc)] = true
        pc = pc + 1
    end
    return out
end
local plain = operations("local t, each = ...; for k in each(t) do end")
local special = {}
for operation in pairs(operations("local t, pairs = ...; for k in pairs(t) do end")) do
    if not plain[operation] then special[operation] = true end
end
local reads, writes, special_loops = {}, {}, 0
local function walk(f)
    local pc = 1
    while true do
        local op, operand = code(f, pc)
        if not op then break end
        if op == get then reads[util.funck(f, -operand - 1)] = true end
        if op == set then writes[util.funck(f, -operand - 1)] = true end
        if special[op] then special_loops = special_loops + 1 end
        pc = pc + 1
    end
    local k = -1
    while true do
        local constant = util.funck(f, k)
        if constant == nil then break end
        if type(constant) == "proto" then walk(constant) end
        k = k - 1
    end
end
local chunk, failure = loadstring((string.gsub(LIBRARY, "^#![^\n]*", "")))
if not chunk then error(failure) end
walk(chunk)
local function list(names)
    local out = {}
    for name in pairs(names) do out[#out + 1] = name end
    return table.concat(out, " ")
end
return list(reads), list(writes), special_loops
)lua";

struct Globals {
    std::set<std::string> read{};
    std::set<std::string> written{};
    int special_loops = 0;
};

std::set<std::string> split(const std::string& text) {
    std::set<std::string> out;
    static const std::regex word("\\S+");
    for (std::sregex_iterator it(text.begin(), text.end(), word), end; it != end; ++it) {
        out.insert(it->str());
    }
    return out;
}

Globals globals_of(const std::string& library) {
    Globals found;
    lua_State* lua = luaL_newstate();
    luaL_openlibs(lua);
    lua_pushlstring(lua, library.data(), library.size());
    lua_setglobal(lua, "LIBRARY");
    if (luaL_loadstring(lua, kWalker) != 0 || lua_pcall(lua, 0, 3, 0) != 0) {
        ADD_FAILURE() << lua_tostring(lua, -1);
    } else {
        found.read = split(lua_tostring(lua, -3));
        found.written = split(lua_tostring(lua, -2));
        found.special_loops = static_cast<int>(lua_tointeger(lua, -1));
    }
    lua_close(lua);
    return found;
}

/// Section 6.1 of chapter 01.
const std::set<std::string>& commands_of_functions() {
    static const std::set<std::string> names{"TIME",
                                             "EXISTS",
                                             "DEL",
                                             "PERSIST",
                                             "COPY",
                                             "PEXPIRE",
                                             "PEXPIREAT",
                                             "GET",
                                             "SET",
                                             "STRLEN",
                                             "INCR",
                                             "DECR",
                                             "HGET",
                                             "HMGET",
                                             "HGETALL",
                                             "HKEYS",
                                             "HLEN",
                                             "HEXISTS",
                                             "HSET",
                                             "HDEL",
                                             "HINCRBY",
                                             "SADD",
                                             "SREM",
                                             "SISMEMBER",
                                             "SMEMBERS",
                                             "SCARD",
                                             "SSCAN",
                                             "RPUSH",
                                             "LRANGE",
                                             "ZADD",
                                             "ZREM",
                                             "ZSCORE",
                                             "ZCARD",
                                             "ZCOUNT",
                                             "ZRANGE",
                                             "ZRANGEBYSCORE",
                                             "ZREMRANGEBYSCORE",
                                             "XADD",
                                             "XTRIM",
                                             "XRANGE",
                                             "XREVRANGE",
                                             "XLEN",
                                             "PUBLISH"};
    return names;
}

/// The library without its comments.
std::string code_of(const std::string& text) {
    return std::regex_replace(text, std::regex("(^|\n)\\s*--[^\n]*"), "$1");
}

TEST(Ch01Library, S50_OnlyListedCommandsAreUsed) {
    const std::string code = code_of(model::library_text());
    // `call("NAME"`, `try("NAME"`, and the commands that a unit collects: {"NAME", ...}.
    static const std::regex use("\\b(?:call|try)\\(\\s*\"([A-Za-z]+)\"|\\{\\s*\"([A-Z]{3,})\",");
    static const std::regex gathered("\\bgather_(?:early|late)\\(u, \"([A-Z]+)\"");
    static const std::regex in_pieces("\\badd_text\\(\"([A-Z]{3,})\"\\)");
    std::set<std::string> used;
    for (const std::regex& pattern : {use, gathered, in_pieces}) {
        for (std::sregex_iterator it(code.begin(), code.end(), pattern), end; it != end; ++it) {
            used.insert((*it)[1].matched ? (*it)[1].str() : (*it)[2].str());
        }
    }
    EXPECT_GT(used.size(), 20U);
    for (const std::string& name : used) {
        EXPECT_TRUE(commands_of_functions().contains(name)) << name;
    }
    // A command whose name is not a literal is issued in one place only, for the unit's commit.
    static const std::regex dynamic("\\b(?:call|try)\\(\\s*[^\"\\s)][^)]*\\)");
    const std::size_t issue = code.find("\nissue = (function()");
    const std::size_t issue_end = code.find("\nend)()", issue);
    ASSERT_NE(issue, std::string::npos);
    for (std::sregex_iterator it(code.begin(), code.end(), dynamic), end; it != end; ++it) {
        const auto at = static_cast<std::size_t>(it->position());
        const bool in_prelude = it->str().find("(...)") != std::string::npos;
        EXPECT_TRUE(in_prelude || (at > issue && at < issue_end)) << it->str();
    }
}

TEST(Ch01Library, S50_NothingForbiddenIsUsed) {
    const std::string code = code_of(model::library_text());
    for (const char* name : {"math.random", "os.", "io.", "loadstring", "setmetatable", "redis.log",
                             "redis.setresp"}) {
        EXPECT_EQ(code.find(name), std::string::npos) << name;
    }
    const Globals globals = globals_of(model::library_text());
    EXPECT_EQ(globals.written, std::set<std::string>{});
    const std::set<std::string> allowed{"redis", "cjson",  "bit",    "string",   "table",    "math",
                                        "pcall", "error",  "assert", "tonumber", "tostring", "type",
                                        "pairs", "ipairs", "next",   "select",   "unpack"};
    EXPECT_TRUE(globals.read.contains("redis"));
    for (const std::string& name : globals.read) EXPECT_TRUE(allowed.contains(name)) << name;
}

/// The instruction has lost entries in every LuaJIT up to that of 2026 (cmake/luajit has programs);
/// `each` is pairs by a name for which it is not used.
TEST(Ch01Library, LoopsOverTablesDoNotUseTheInstructionForPairs) {
    EXPECT_EQ(globals_of(model::library_text()).special_loops, 0);
    for (const char* loop : {"pairs(t)", "next, t", "next, t, nil"}) {
        const std::string text =
            "#!lua name=x\nlocal t = {}\nfor k in " + std::string(loop) + " do end\n";
        EXPECT_GT(globals_of(text).special_loops, 0) << loop;
    }
}

TEST(Ch01Library, S50_TheCheckItselfSeesGlobals) {
    const Globals globals =
        globals_of("#!lua name=x\nlocal function f() return function() leak = other end end\n");
    EXPECT_EQ(globals.written, std::set<std::string>{"leak"});
    EXPECT_EQ(globals.read, std::set<std::string>{"other"});
}

}  // namespace
}  // namespace ff::contract
