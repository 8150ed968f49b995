// One suite of Lua functions, run on Valkey and on the embedded store: every reply must be the
// same.
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "host/embedded_store.h"
#include "resp/writer.h"
#include "support/valkey_server.h"

namespace ff::host {
namespace {

using testing::RespValue;
using testing::ValkeyServer;
using List = std::vector<std::string>;

std::string source(const std::string& name) {
    std::ifstream file(std::string(FF_SUITE_FOLDER) + "/" + name);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

/// The names that a library registers, in order.
List names_in(const std::string& text) {
    static const std::regex kName(R"((?:^suite\('|function_name = ')(\w+)')",
                                  std::regex::ECMAScript | std::regex::multiline);
    List names;
    for (std::sregex_iterator at(text.begin(), text.end(), kName), end; at != end; ++at)
        names.push_back((*at)[1]);
    return names;
}

RespValue as_seen(const resp::Value& value);

RespValue with_items(RespValue::Kind kind, const resp::Value& value) {
    RespValue seen{.kind = kind};
    for (const resp::Value& item : value.items()) seen.items.push_back(as_seen(item));
    return seen;
}

/// The value as the independent client of the tests would have read it.
RespValue as_seen(const resp::Value& value) {
    using Kind = RespValue::Kind;
    switch (value.type()) {
        case resp::Type::Integer:
            return {.kind = Kind::Integer, .integer = *value.as_integer()};
        case resp::Type::Boolean:
            return {.kind = Kind::Bool, .integer = *value.as_boolean() ? 1 : 0};
        case resp::Type::Double: {
            std::string text(resp::kDoubleTextMax, '\0');
            text.resize(resp::format_double(*value.as_double(), text.data()));
            return {.kind = Kind::Double, .text = text};
        }
        case resp::Type::SimpleString:
            return {.kind = Kind::Simple, .text = std::string(*value.text())};
        case resp::Type::BulkString:
            return {.kind = Kind::Bulk, .text = std::string(*value.text())};
        case resp::Type::Error:
            return {.kind = Kind::Error, .text = std::string(value.error_text())};
        case resp::Type::Array:
            return with_items(Kind::Array, value);
        case resp::Type::Map:
            return with_items(Kind::Map, value);
        case resp::Type::Set:
            return with_items(Kind::Set, value);
        case resp::Type::Null:
        case resp::Type::VerbatimString:
        case resp::Type::BigNumber:
        case resp::Type::Push:
            break;
    }
    return {};
}

/// Runs commands on both hosts.
class Conversion : public ::testing::Test {
  protected:
    Conversion() : valkey_(ValkeyServer::start()), connection_(valkey_.connect()) {
        auto opened = EmbeddedStore::open({.shards = 1});
        store_ = std::move(opened).value();
        connection_("HELLO", "3");
    }

    RespValue on_valkey(const List& args) { return connection_.command(args); }

    RespValue embedded(const List& args) {
        store::Call call;
        for (const std::string& arg : args) call.command.arg(arg);
        Result<store::Reply> reply = store_->call_and_wait(call);
        if (reply.has_value()) return as_seen(*reply);
        return {.kind = RespValue::Kind::Error, .text = reply.error().message};
    }

    void expect_equal(const List& args) {
        const std::string wanted = to_string(on_valkey(args));
        EXPECT_EQ(to_string(embedded(args)), wanted)
            << (args.size() > 1 ? args[1] : args[0]) << ": " << args.back().substr(0, 200);
    }

    void load(const std::string& text) { expect_equal({"FUNCTION", "LOAD", "REPLACE", text}); }

    void call(const std::string& name, const List& args, const std::string& how = "FCALL") {
        List words = {how, name, "2", name + "{x}", name + ":2{x}"};
        words.insert(words.end(), args.begin(), args.end());
        expect_equal(words);
    }

    ValkeyServer valkey_;
    testing::RespConnection connection_;
    std::unique_ptr<EmbeddedStore> store_;
};

TEST_F(Conversion, EveryFunctionOfTheSuiteAnswersTheSame) {
    for (const char* file : {"conversion_suite.lua", "conversion_values.lua"}) {
        const std::string text = source(file);
        load(text);
        ASSERT_FALSE(on_valkey({"FUNCTION", "LOAD", "REPLACE", text}).is_error());
        const List names = names_in(text);
        ASSERT_GT(names.size(), 30U);
        for (const std::string& name : names) call(name, {"My Error", "2"});
    }
}

TEST_F(Conversion, ErrorTextsAreCompletedAlike) {
    load(source("conversion_suite.lua"));
    for (const char* text : {"", "-", "X", "-X", "My Err", "-My Err", "a\r\nb c", " x"}) {
        for (const char* name :
             {"error_reply", "error_reply_is_a_table", "error_table_given", "status_reply", "sha1"})
            call(name, {text});
    }
}

TEST_F(Conversion, ReadOnlyCallsAreRefusedAlike) {
    load(source("conversion_suite.lua"));
    for (const char* name :
         {"read_only", "read_only_writes", "return_text", "reply_types", "nosuch"}) {
        call(name, {}, "FCALL_RO");
        call(name, {}, "FCALL");
    }
}

const char* const kJsonTexts[] = {"1",
                                  "-1",
                                  "0",
                                  "-0",
                                  "1.5",
                                  "1e3",
                                  "1E-3",
                                  "12345678901234567890",
                                  "0.1e1",
                                  "9007199254740993",
                                  "true",
                                  "false",
                                  "null",
                                  "\"x\"",
                                  "\"\"",
                                  "[]",
                                  "{}",
                                  "[1,2,[3]]",
                                  "{\"a\":1}",
                                  "{\"a\":{\"b\":[1,null]},\"c\":\"d\"}",
                                  " [ 1 , 2 ] ",
                                  "\"\\u0041\\u00e9\\u20ac\\ud83d\\ude00\"",
                                  "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
                                  "{\"1\":2}",
                                  "[1,2",
                                  "[1 2]",
                                  "{\"a\"}",
                                  "{\"a\":}",
                                  "{a:1}",
                                  "tru",
                                  "nul",
                                  "01",
                                  "1.",
                                  "-",
                                  "+1",
                                  ".5",
                                  "\"abc",
                                  "\"\\x\"",
                                  "\"\\ud800\"",
                                  "\"\\u12\"",
                                  "",
                                  " ",
                                  "[1,]",
                                  "{\"a\":1,}",
                                  "{\"a\":1,\"a\":2}",
                                  "1 2",
                                  "[",
                                  "]",
                                  "}",
                                  ":",
                                  ",",
                                  "inf",
                                  "nan",
                                  "Infinity",
                                  "0x1F",
                                  "\xff",
                                  "\"\xff\"",
                                  "\"\n\"",
                                  "'a'",
                                  "1e",
                                  "1e+",
                                  "--1",
                                  "/* c */ 1"};

TEST_F(Conversion, JsonIsReadAlike) {
    load(source("conversion_values.lua"));
    for (const char* text : kJsonTexts) call("decode", {text});
    for (const char* text : {"[1,2.5,\"x\",null,true]", "{\"a\":[]}", "[[],{}]", "[1e15,1e16]",
                             "{\"a\":\"\\u20ac/\"}"})
        call("decode_encode", {text});
}

TEST_F(Conversion, LibrariesAreRefusedAlike) {
    const std::string other = "#!lua name=other\nredis.register_function('taken', function() end)";
    load(other);
    expect_equal({"FUNCTION", "LOAD", other});
    const std::string head = "#!lua name=a\n";
    for (const char* body :
         {"local c = redis.call",
          "redis.call('GET', 'x')",
          "foo = 1",
          "local x = foo",
          "local x = 1",
          "local x = = 1",
          "local x = string",
          "local x = tonumber",
          "redis.register_function('f1', function() end)\nredis.register_function('f1', function() "
          "end)",
          "redis.register_function('taken', function() end)",
          "redis.register_function('e-call', function() end)",
          "redis.register_function('x')",
          "redis.register_function()",
          "redis.register_function(1, 2)",
          "redis.register_function('x', 2)",
          "redis.register_function({}, function() end)",
          "redis.register_function{}",
          "redis.register_function{function_name = 'x'}",
          "redis.register_function{function_name = 'x', callback = 1}",
          "redis.register_function{function_name = 'x', callback = function() end, flags = 1}",
          "redis.register_function{function_name = 'x', callback = function() end, flags = {'zz'}}",
          "redis.register_function{function_name = 'x', callback = function() end, foo = 1}",
          "redis.register_function{[1] = 'x'}",
          "redis.register_function('x', function() end, 3)",
          "redis.register_function{function_name = 5, callback = function() end}",
          "redis.log(redis.LOG_DEBUG, 'loading') redis.register_function('fine', function() end)"})
        load(head + body);
    for (const char* text :
         {"", "nothing", "#!lua name=a", "#!lua name=a-b\n", "#!lua name=\n", "#!lua\n",
          "#!lua foo=1\n", "#!lua name=a name=b\n", "#!lua name=a foo=b\n", "#!js name=a\n",
          "#!  lua name=a\n",
          "#!lua   name=\"quoted\"  \nredis.register_function('fq', function() end)",
          "#!LUA NAME=upper\nredis.register_function('fu', function() end)"})
        load(text);
}

TEST_F(Conversion, CommandsAboutFunctionsAreRefusedAlike) {
    load(
        "#!lua name=one\nredis.register_function{function_name='f1', description='d', "
        "callback=function() end, "
        "flags={'no-writes'}}");
    for (const List& args :
         {List{"FUNCTION", "LIST"}, List{"FUNCTION", "LIST", "LIBRARYNAME", "one"},
          List{"FUNCTION", "LIST", "LIBRARYNAME", "o*", "WITHCODE"},
          List{"function", "list", "libraryname", "none"}, List{"FUNCTION", "LIST", "LIBRARYNAME"},
          List{"FUNCTION", "LIST", "NOSUCH"}, List{"FUNCTION"}, List{"FUNCTION", "NOSUCH"},
          List{"FUNCTION", "LOAD"}, List{"FUNCTION", "LOAD", "NOSUCH", "x"},
          List{"FUNCTION", "LOAD", "REPLACE"}, List{"FCALL", "nosuch", "0"}, List{"PING"},
          List{"PING", "x"}, List{"PING", "x", "y"}, List{"PUBLISH", "c", "m"},
          List{"PUBLISH", "c"}, List{"nosuch", "a", "b"}, List{"nosuch"}})
        expect_equal(args);
}

using Ch01 = Conversion;

TEST_F(Ch01, S43_CommandsBeyondTheListAreUnknown) {
    // Whatever Valkey knows and chapter 01 section 6 does not name; connections have their own.
    const std::set<std::string> listed = {
        "time",     "exists",    "del",      "pexpire",   "strlen",    "get",           "set",
        "hget",     "hmget",     "hgetall",  "hset",      "hsetnx",    "hdel",          "sadd",
        "srem",     "scard",     "smembers", "sismember", "sscan",     "zadd",          "zrem",
        "zcard",    "zcount",    "zscore",   "zrange",    "zrevrange", "zrangebyscore", "xadd",
        "xrange",   "xrevrange", "xlen",     "xread",     "publish",   "ping",          "info",
        "function", "fcall",     "fcall_ro"};
    std::size_t unknown = 0;
    for (const RespValue& name : on_valkey({"COMMAND", "LIST"}).items) {
        if (listed.contains(name.text)) continue;
        ++unknown;
        EXPECT_EQ(
            embedded({name.text, "a{x}", "b{x}"}).text,
            "ERR unknown command '" + name.text + "', with args beginning with: 'a{x}' 'b{x}' ");
    }
    EXPECT_GT(unknown, 150U);
    for (const std::string& name : listed)
        EXPECT_EQ(embedded({name}).text.find("unknown command"), std::string::npos) << name;
}

TEST_F(Ch01, S44_PayloadsOfEveryByteAreKept) {
    std::string payload(1U << 20, '\0');
    for (std::size_t i = 0; i < payload.size(); ++i)
        payload[i] = static_cast<char>(i * 7 + i / 256);
    load(
        "#!lua name=copy\nredis.register_function('copy', function(keys, args) "
        "redis.call('SET', keys[1], args[1]) redis.call('HSET', keys[2], args[1], args[1]) "
        "return redis.call('GET', keys[1]) end)");
    const List write = {"FCALL", "copy", "2", "a{x}", "b{x}", payload};
    for (const RespValue& reply : {on_valkey(write), embedded(write)})
        EXPECT_EQ(reply.text, payload);
    for (const List& read : {List{"GET", "a{x}"}, List{"HGET", "b{x}", payload}})
        for (const RespValue& reply : {on_valkey(read), embedded(read)})
            EXPECT_EQ(reply.text, payload);
}

TEST_F(Ch01, S45_TimeStandsStillDuringACall) {
    const std::string text =
        "#!lua name=clock\nredis.register_function('clock', function(keys, args) "
        "local first = redis.call('TIME') redis.call('SET', keys[1], 'v', 'PX', 5) "
        "local spin = 0 for i = 1, tonumber(args[1]) do spin = spin + i % 7 end "
        "local second = redis.call('TIME') "
        "return {first[1] == second[1], first[2] == second[2], redis.call('EXISTS', keys[1]), "
        "spin} "
        "end)";
    load(text);
    const auto begin = std::chrono::steady_clock::now();
    const RespValue reply = embedded({"FCALL", "clock", "1", "k", "60000000"});
    EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(20));
    ASSERT_EQ(reply.items.size(), 4U) << to_string(reply);
    EXPECT_EQ(reply.items[0].integer, 1);
    EXPECT_EQ(reply.items[1].integer, 1);
    EXPECT_EQ(reply.items[2].integer, 1);
    EXPECT_EQ(embedded({"EXISTS", "k"}).integer, 0);
}

TEST_F(Ch01, S46_LargeScoresAreExact) {
    expect_equal({"ZADD", "k", "-8998300000000000", "m"});
    expect_equal({"ZSCORE", "k", "m"});
    load(
        "#!lua name=scores\nredis.register_function('score', function(keys) "
        "redis.call('ZADD', keys[1], -8998300000000000, 'n') return redis.call('ZSCORE', keys[1], "
        "'n') "
        "end)");
    EXPECT_EQ(embedded({"FCALL", "score", "1", "k"}).text, "-8998300000000000");
    expect_equal({"FCALL", "score", "1", "k"});
}

}  // namespace
}  // namespace ff::host
