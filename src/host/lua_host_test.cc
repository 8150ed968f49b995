#include "host/lua_host.h"

#include <gtest/gtest.h>

#include "host/value_sink.h"

namespace ff::host {
namespace {

class Functions : public ::testing::Test {
  protected:
    void load(std::string_view body) {
        const auto loaded = host_.load("#!lua name=test\n" + std::string(body), true);
        ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
    }
    std::string call(std::string_view name, std::span<const std::string_view> args = {}) {
        const std::string_view keys[] = {"k{x}"};
        ValueSink sink;
        host_.call({.name = name, .keys = keys, .args = args, .now = std::chrono::seconds(1000)},
                   sink);
        return sink.take().to_debug_text();
    }

    static constexpr std::size_t kMemoryMax = 8U << 20;
    keyspace::Keyspace keyspace_{};
    LuaHost host_{keyspace_, {.memory_max = kMemoryMax}};
};

TEST_F(Functions, MayNotHoldMoreMemoryThanTheyAreGiven) {
    load(
        "redis.register_function('hoard', function(keys) redis.call('SET', keys[1], 'kept') "
        "local all = {} for i = 1, 10000000 do all[i] = {i} end return #all end)\n"
        "redis.register_function('get', function(keys) return redis.call('GET', keys[1]) end)");
    EXPECT_EQ(call("hoard"),
              "(error) \"ERR not enough memory script: hoard, on @user_function:2.\"");
    EXPECT_LT(host_.memory_bytes(), kMemoryMax);
    EXPECT_EQ(call("get"), "\"kept\"");
}

TEST_F(Functions, ALargeAnswerIsCompletedBeforeMemoryIsFoundToBeOver) {
    load(
        "redis.register_function('grow', function(keys, args) "
        "for i = 1, 100 do redis.call('RPUSH', keys[1], args[1] .. i) end "
        "return #redis.call('LRANGE', keys[1], 0, -1) end)\n"
        "redis.register_function('small', function() return 'fine' end)");
    const std::string large(200'000, 'v');
    const std::string_view args[] = {large};
    const std::string answer = call("grow", args);
    EXPECT_EQ(answer.substr(0, 28), "(error) \"ERR not enough memo") << answer.substr(0, 100);
    EXPECT_EQ(call("small"), "\"fine\"");
}

TEST_F(Functions, AnErrorInTailPositionIsPlacedWhereTheFunctionBegins) {
    load(
        "\n\nredis.register_function('tail', function(keys)\n"
        "    return redis.call('HGET', keys[1])\nend)");
    EXPECT_EQ(call("tail"),
              "(error) \"ERR Wrong number of args calling command from script script: tail, on "
              "@user_function:4.\"");
}

TEST_F(Functions, AFailedReplacementLeavesTheOldOnes) {
    load("redis.register_function('f', function() return 'old' end)");
    for (const char* text :
         {"#!lua name=test\nnonsense",
          "#!lua name=test\nredis.register_function('f', function() end) error()",
          "#!lua name=test\nredis.register_function('g h', function() end)"})
        EXPECT_FALSE(host_.load(text, true).has_value());
    EXPECT_EQ(call("f"), "\"old\"");
    load("redis.register_function('g', function() return 'new' end)");
    EXPECT_EQ(call("f"), "(error) \"ERR Function not found\"");
    EXPECT_EQ(call("g"), "\"new\"");
}

TEST_F(Functions, LibrariesDoNotSeeEachOther) {
    load("local shared = 1 redis.register_function('one', function() return shared end)");
    ASSERT_TRUE(host_
                    .load("#!lua name=other\nredis.register_function('two', function() "
                          "local v = shared return v end)",
                          false)
                    .has_value());
    EXPECT_EQ(call("one"), "1");
    EXPECT_NE(call("two").find("nonexistent global variable 'shared'"), std::string::npos);
}

TEST_F(Functions, StateInUpvaluesStaysBetweenCalls) {
    load("local n = 0 redis.register_function('count', function() n = n + 1 return n end)");
    EXPECT_EQ(call("count"), "1");
    EXPECT_EQ(call("count"), "2");
}

TEST_F(Functions, ATableInsideItselfIsNoEndlessAnswer) {
    load("redis.register_function('ring', function() local t = {} t[1] = t return t end)");
    EXPECT_NE(call("ring").find("reached lua stack limit"), std::string::npos);
}

TEST_F(Functions, ManyNamesOfOneCommandAreAllUnderstood) {
    load(
        "redis.register_function('spell', function(keys) local n = 0 "
        "for i = 0, 4095 do local name = '' local bits = i "
        "for _, letter in ipairs({'e', 'x', 'i', 's', 't', 's'}) do "
        "if bits % 2 == 1 then letter = string.upper(letter) end bits = math.floor(bits / 2) "
        "name = name .. letter end n = n + redis.call(name, keys[1]) end return n end)");
    EXPECT_EQ(call("spell"), "0");
}

TEST_F(Functions, TheRestOfLuaIsNotThere) {
    for (const char* name :
         {"os",           "io",           "ffi",        "jit",    "debug",     "package",
          "require",      "load",         "loadstring", "dofile", "setfenv",   "getfenv",
          "setmetatable", "getmetatable", "rawset",     "rawget", "coroutine", "collectgarbage",
          "print",        "_G",           "newproxy",   "gcinfo", "server"}) {
        load("redis.register_function('look', function() local v = " + std::string(name) +
             " return type(v) end)");
        EXPECT_NE(call("look").find("nonexistent global variable"), std::string::npos) << name;
    }
    load(
        "redis.register_function('look', function() return {type(math.random), "
        "type(math.randomseed), type(string.dump), type(table.new), type(bit.tohex), "
        "type(cjson.new), type(redis.setresp), type(('x').dump)} end)");
    EXPECT_EQ(call("look"), R"(["nil", "nil", "nil", "nil", "nil", "nil", "nil", "nil"])");
}

}  // namespace
}  // namespace ff::host
