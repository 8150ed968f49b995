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
    int published_ = 0;
    LuaHost host_{keyspace_, {.memory_max = kMemoryMax, .publish = [this](auto, auto) {
                                  return ++published_;
                              }}};
};

TEST_F(Functions, MayNotHoldMoreMemoryThanTheyAreGiven) {
    load(
        "redis.register_function('hoard', function(keys) redis.call('SET', keys[1], 'written') "
        "local all = {} for i = 1, 10000000 do all[i] = {i} end return #all end)\n"
        "redis.register_function('get', function(keys) return redis.call('GET', keys[1]) end)");
    EXPECT_EQ(call("hoard"),
              "(error) \"ERR not enough memory script: hoard, on @user_function:2.\"");
    EXPECT_LT(host_.memory_bytes(), kMemoryMax);
    EXPECT_EQ(call("get"), "null") << "a call that fails leaves nothing behind";
}

TEST_F(Functions, LeaveNothingBehindWhenTheyRaise) {
    load(R"(
redis.register_function('put', function(keys, args)
    redis.call('HSET', keys[1], 'a', args[1])
    redis.call('XADD', keys[1] .. 's', '*', 'a', args[1])
    return 'done'
end)
redis.register_function('raise', function(keys, args)
    redis.call('HSET', keys[1], 'a', 'lost', 'b', 'lost')
    redis.call('DEL', keys[1] .. 's')
    redis.call('SET', keys[1] .. 'n', 'lost')
    error('after the third write')
end)
redis.register_function('caught', function(keys)
    redis.call('HSET', keys[1], 'a', 'kept')
    local fine = pcall(redis.call, 'INCR', keys[1])
    return tostring(fine)
end)
redis.register_function('refuse', function(keys)
    redis.call('HSET', keys[1], 'a', 'said')
    return redis.error_reply('NO not today')
end)
redis.register_function('all', function(keys)
    return {redis.call('HGETALL', keys[1]), redis.call('XRANGE', keys[1] .. 's', '-', '+'),
            redis.call('GET', keys[1] .. 'n')}
end))");
    const std::string_view args[] = {"first"};
    EXPECT_EQ(call("put", args), "\"done\"");
    const std::string before = call("all");
    const std::string effects(keyspace_.effects());
    EXPECT_NE(call("raise").find("after the third write"), std::string::npos);
    EXPECT_EQ(call("all"), before);
    EXPECT_EQ(keyspace_.key_count(), 2U);
    EXPECT_EQ(keyspace_.effects(), effects);
    EXPECT_EQ(call("caught"), "\"false\"") << "an error that was caught is no failure of the call";
    EXPECT_NE(call("all"), before);
    EXPECT_EQ(call("refuse"), "(error) \"NO not today\"");
    EXPECT_NE(keyspace_.effects().find("said"), std::string::npos) << "an answer is no failure";
    for (const FunctionCount& count : host_.counts())
        EXPECT_EQ(count.undone, count.name == "raise" ? 1U : 0U) << count.name;
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

TEST_F(Functions, AProtectedCallTellsErrorTablesAsText) {
    load(R"(
local function outcome(done, raised, more)
    return {tostring(done), type(raised), tostring(type(raised) == 'table' and raised.code or raised), tostring(more)}
end
redis.register_function('fine', function() return outcome(pcall(function(a, b) return a, b end, 1, 2)) end)
redis.register_function('text', function() return outcome(pcall(error, {err = 'ERR told'})) end)
redis.register_function('number', function() return outcome(pcall(error, {err = 7})) end)
redis.register_function('other', function() return outcome(pcall(error, {code = 'mine'})) end)
redis.register_function('command', function(keys) return outcome(pcall(redis.call, 'HGET', keys[1])) end)
redis.register_function('count', function() return {select('#', pcall(function() end)), select('#', pcall(function() return nil, nil end))} end)
redis.register_function('nothing', function() return outcome(pcall()) end))");
    EXPECT_EQ(call("count"), "[1, 3]");
    EXPECT_EQ(call("fine"), R"(["true", "number", "1", "2"])");
    EXPECT_EQ(call("text"), R"(["false", "string", "ERR told", "nil"])");
    EXPECT_EQ(call("number"), R"(["false", "number", "7", "nil"])");
    EXPECT_EQ(call("other"), R"(["false", "table", "mine", "nil"])");
    EXPECT_EQ(
        call("command"),
        R"(["false", "string", "ERR Wrong number of args calling command from script", "nil"])");
    EXPECT_NE(call("nothing").find("bad argument #1"), std::string::npos) << call("nothing");
}

TEST_F(Functions, AHashComesAsATable) {
    load(R"(
redis.register_function('read', function(keys)
    redis.call('HSET', keys[1], 'a', '1', 'b', '')
    redis.call('SET', 'text{x}', 'v')
    local hash = redis.ff_hash(keys[1])
    return {hash.a, hash.b, tostring(hash.c), tostring(redis.ff_hash('none{x}')), tostring(redis.ff_hash('text{x}'))}
end)
redis.register_function('elsewhere', function(keys) return redis.ff_hash('k{y}') end)
redis.register_function('two', function(keys) return redis.ff_hash(keys[1], keys[1]) end))");
    EXPECT_EQ(call("read"), R"(["1", "", "nil", "nil", "nil"])");
    EXPECT_NE(call("elsewhere").find("do not hash to the same slot"), std::string::npos);
    EXPECT_NE(call("two").find("ERR wrong number or type of arguments"), std::string::npos);
}

TEST_F(Functions, ACommandMayComeInPieces) {
    load(R"(
local function run(...)
    for i = 1, select('#', ...) do
        local piece = select(i, ...)
        if type(piece) == 'number' then redis.ff_number(piece) else redis.ff_text(piece) end
    end
    if not redis.ff_run() then redis.ff_raise() end
    return 'done'
end
redis.register_function('set', function(keys, args) return run('HSET', keys[1], 'text', args[1], 'number', 12, 'half', 0.5) end)
redis.register_function('get', function(keys) return redis.call('HGETALL', keys[1]) end)
redis.register_function('wrong_type', function(keys) return run('SADD', keys[1], 'm') end)
redis.register_function('wrong_count', function(keys) return run('HSET', keys[1]) end)
redis.register_function('wrong_slot', function(keys) return run('SADD', 'k{y}', 'm') end)
redis.register_function('unknown', function(keys) return run('NONSENSE', keys[1]) end)
redis.register_function('publish', function(keys) return run('publish', keys[1], 'm') end)
redis.register_function('nothing', function(keys) return run() end)
redis.register_function('left', function(keys) redis.ff_text('HSET') redis.ff_text(keys[1]) return 'left' end)
redis.register_function('many', function(keys)
    redis.ff_text('SADD')
    for i = 1, 2000 do redis.ff_text(keys[1]) end
    return tostring(redis.ff_run())
end)
redis.register_function{function_name = 'reader', flags = {'no-writes'}, callback = function(keys) return run('SADD', keys[1], 'm') end})");
    const std::string bytes("a\0\xff", 3);
    const std::string_view args[] = {bytes};
    EXPECT_EQ(call("set", args), "\"done\"");
    const std::string stored = call("get");
    EXPECT_EQ(stored, R"(["text", "a\x00\xff", "number", "12", "half", "0.5"])");
    for (const auto& [name, text] :
         {std::pair("wrong_type", "WRONGTYPE"), std::pair("wrong_count", "Wrong number of args"),
          std::pair("wrong_slot", "same slot"), std::pair("unknown", "Unknown command"),
          std::pair("publish", "does not come in pieces"),
          std::pair("nothing", "no or of too many"),
          std::pair("reader", "not allowed from read-only")}) {
        EXPECT_NE(call(name).find(text), std::string::npos) << name << ": " << call(name);
    }
    EXPECT_EQ(call("many"), "\"false\"");
    EXPECT_EQ(call("left"), "\"left\"");
    EXPECT_EQ(call("set", args), "\"done\"") << "what the call before left is forgotten";
    EXPECT_EQ(call("get"), stored);
}

TEST_F(Functions, AHashMayFillTheSameTableAgainAndAgain) {
    load(R"(
local kept = {}
redis.register_function('set', function(keys, args) return redis.call('HSET', keys[1], unpack(args)) end)
redis.register_function('del', function(keys) return redis.call('DEL', keys[1]) end)
redis.register_function('fill', function(keys)
    local hash = redis.ff_hash(keys[1], kept)
    local found = {}
    for name, value in pairs(hash or {}) do
        -- Of a hash with many fields only their number counts.
        if #name < 4 then found[#found + 1] = name .. '=' .. value else found.many = (found.many or 0) + 1 end
    end
    table.sort(found)
    local text = table.concat(found, ' ') .. ' ' .. tostring(found.many) .. ' ' .. tostring(hash == kept)
    kept[1] = true
    return text
end))");
    const auto set = [&](std::vector<std::string_view> fields) {
        call("del");
        call("set", fields);
        return call("fill");
    };
    EXPECT_EQ(set({"a", "1", "b", "2"}), "\"a=1 b=2 nil true\"");
    EXPECT_EQ(set({"c", "3", "b", "4"}), "\"b=4 c=3 nil true\"") << "a is gone, and the mark";
    std::vector<std::string> names;
    for (int i = 0; i < 200; ++i) names.push_back("many" + std::to_string(i));
    std::vector<std::string_view> many{"b", "5"};
    for (const std::string& name : names) many.insert(many.end(), {name, "v"});
    EXPECT_EQ(set(many), "\"b=5 200 true\"");
    EXPECT_EQ(set({"b", "6"}), "\"b=6 nil true\"");
    call("del");
    EXPECT_EQ(call("fill"), "\" nil false\"");
    EXPECT_EQ(set({"a", "7"}), "\"a=7 nil true\"");
}

TEST_F(Functions, AFilledTableHasWhatStaysTheSameWhoeverFilledItBefore) {
    load(R"(
local one, other = {}, {}
local function shown(h) return h and (h.a or '-') .. ' ' .. (h.b or '-') .. ' ' .. (h.c or '-') or 'none' end
redis.register_function('fill', function(keys, args)
    redis.call('DEL', keys[1])
    if args[2] then redis.call('HSET', keys[1], unpack(args, 2)) end
    return shown(redis.ff_hash(keys[1], args[1] == 'one' and one or other))
end))");
    const auto fill = [&](std::vector<std::string_view> args) { return call("fill", args); };
    EXPECT_EQ(fill({"one", "a", "1", "b", "2"}), "\"1 2 -\"");
    EXPECT_EQ(fill({"one", "a", "1", "b", "2"}), "\"1 2 -\"");
    EXPECT_EQ(fill({"other", "a", "1", "b", "2"}), "\"1 2 -\"");
    EXPECT_EQ(fill({"one", "a", "1", "c", "3"}), "\"1 - 3\"");
    EXPECT_EQ(fill({"one"}), "\"none\"");
    EXPECT_EQ(fill({"one", "a", "1", "b", "2"}), "\"1 2 -\"") << "b was there two fillings ago";
    EXPECT_EQ(fill({"one", "a", "1", "b", "3", "c", "3"}), "\"1 3 3\"");
    EXPECT_EQ(fill({"other"}), "\"none\"");
    EXPECT_EQ(fill({"other", "a", "1", "b", "3"}), "\"1 3 -\"");
    const std::string long_one(100, 'x');
    const std::string long_two = long_one.substr(1) + "y";
    EXPECT_EQ(fill({"one", "a", long_one}), "\"" + long_one + " - -\"");
    EXPECT_EQ(fill({"one", "a", long_two}), "\"" + long_two + " - -\"");
    const std::string longer(255, 'z');
    for (int i = 0; i < 2; ++i) EXPECT_EQ(fill({"one", "a", longer}), "\"" + longer + " - -\"");
}

TEST_F(Functions, LongArgumentsComeOnDemandToAFunctionThatCanDoWithIt) {
    load(R"(
redis.register_function('promise', function(keys, args)
    redis.ff_arguments_on_demand('store')
    redis.ff_arguments_on_demand('read')
    return {#args, tostring(args[0])}
end)
redis.register_function('store', function(keys, args)
    redis.ff_text('SET') redis.ff_text(keys[1]) redis.ff_argument(2)
    return {args[0], args[1], redis.ff_argument_size(1), redis.ff_argument_size(2), redis.ff_argument_size(4), tostring(redis.ff_run())}
end)
redis.register_function('read', function(keys, args)
    return {args[0], args[1], #args[2], args[2] == redis.call('GET', keys[1]) and 'same' or 'other', args[3], tostring(args[4])}
end)
redis.register_function('beyond', function(keys) redis.ff_text('SET') redis.ff_text(keys[1]) redis.ff_argument(9) return tostring(redis.ff_run()) end)
redis.register_function('other', function(keys, args) return {#args, tostring(args[0])} end))");
    std::string bytes(5000, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 7);
    const std::string_view args[] = {"short", bytes, ""};
    EXPECT_EQ(call("promise", args), R"([3, "nil"])");
    EXPECT_EQ(call("store", args), R"([3, "short", 5, 5000, 0, "true"])");
    EXPECT_EQ(call("read", args), R"([3, "short", 5000, "same", "", "nil"])");
    EXPECT_EQ(call("other", args), R"([3, "nil"])") << "a function that has not said so";
    EXPECT_EQ(call("beyond"), "\"true\"") << "an argument that is not there is empty";
}

TEST_F(Functions, AReplyMayStandForWhatAKeyHolds) {
    load(R"(
redis.register_function('reply', function(keys)
    redis.call('SET', keys[1], 'bytes\0')
    redis.call('HSET', 'hash{x}', 'a', '1')
    return {redis.ff_value_of(keys[1]), redis.ff_value_of('none{x}'), redis.ff_value_of('hash{x}'), redis.ff_value_of('k{y}'), 'end'}
end))");
    EXPECT_EQ(call("reply"), R"(["bytes\x00", "", "", "", "end"])");
    ASSERT_EQ(host_.counts().size(), 1U);
    EXPECT_EQ(host_.counts()[0].last_store_calls, 6U) << "each of them is a call";
}

TEST_F(Functions, KeysMayComeInThreeTexts) {
    load(R"(
local kept = {}
redis.register_function('write', function(keys, args)
    redis.ff_text('HSET') redis.ff_joined('h', '{x}', args[1]) redis.ff_text('a') redis.ff_joined('1', '', '2')
    local done = redis.ff_run()
    redis.call('DEL', 's{x}')
    redis.ff_text('XADD') redis.ff_joined('s{', 'x', '}') redis.ff_entry_id(1700000000000, 9007199254740991)
    redis.ff_text('f') redis.ff_text('v')
    done = done and redis.ff_run()
    return {tostring(done), redis.call('HGET', 'h{x}' .. args[1], 'a'), redis.call('XRANGE', 's{x}', '-', '+')[1][1]}
end)
redis.register_function('read', function(keys, args)
    local hash = redis.ff_hash('h', kept, '{x}', args[1])
    return {tostring(hash == kept), kept.a, tostring(redis.ff_hash('no', kept, '{x}', args[1])),
        tostring(redis.ff_exists('h', '{x}', args[1])), tostring(redis.ff_exists('no', '{x}', ''))}
end)
redis.register_function('value', function(keys, args)
    redis.call('SET', 'text{x}' .. args[1], 'held')
    return {redis.ff_value_of('text', '{x}', args[1]), redis.ff_value_of('none', '{x}', args[1]), redis.ff_value_of('text', '{y}', '')}
end)
redis.register_function('foreign', function(keys)
    redis.ff_text('SET') redis.ff_joined('a', '{y}', '') redis.ff_text('v')
    return tostring(redis.ff_run())
end))");
    // The second one is longer than what is usually joined.
    for (const std::string& tail : {std::string(":tail"), std::string(3000, 't')}) {
        const std::string_view args[] = {tail};
        EXPECT_EQ(call("write", args), R"(["true", "12", "1700000000000-9007199254740991"])");
        EXPECT_EQ(call("read", args), R"(["true", "12", "nil", "true", "false"])");
        EXPECT_EQ(call("value", args), R"(["held", "", ""])");
    }
    EXPECT_EQ(call("foreign"), "\"false\"") << "another slot";
}

TEST_F(Functions, ARehearsalLeavesNothing) {
    load(R"(
local kept = {}
redis.register_function('write', function(keys, args)
    redis.call('HSET', keys[1], unpack(args))
    redis.call('PUBLISH', 'channel', 'message')
    local hash, filled = redis.ff_hash(keys[1]), redis.ff_hash(keys[1], kept)
    return {hash.a or '', hash.b or '', hash.c or '', filled.a or '', filled.b or '', filled.c or ''}
end)
redis.register_function('exists', function(keys) return redis.call('EXISTS', keys[1]) end))");
    const std::string_view rehearsed[] = {"a", "1", "b", "2"};
    const std::string_view real[] = {"c", "3", "b", "4"};
    keyspace::Keyspace stage;
    host_.rehearse(stage, [&] {
        EXPECT_EQ(call("write", rehearsed), R"(["1", "2", "", "1", "2", ""])");
        EXPECT_EQ(call("exists"), "1");
    });
    EXPECT_EQ(stage.key_count(), 1U);
    EXPECT_EQ(keyspace_.key_count(), 0U);
    EXPECT_EQ(call("exists"), "0");
    // The fields have other numbers here than they had on the stage.
    EXPECT_EQ(call("write", real), R"(["", "4", "3", "", "4", "3"])");
    for (const FunctionCount& count : host_.counts()) EXPECT_EQ(count.calls, 1U) << count.name;
    EXPECT_EQ(published_, 1);
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
