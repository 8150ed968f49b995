#include "host/resp_door.h"

#include <csignal>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "host/embedded_store.h"
#include "store_process.h"
#include "support/temp_dir.h"
#include "support/valkey_server.h"

// The RESP door over real sockets: clients of Valkey cannot tell it from one.

namespace ff::fault {
namespace {

using ff::testing::RespConnection;
using ff::testing::RespValue;
using ff::testing::TempDir;
using ff::testing::ValkeyServer;
using Commands = std::vector<std::vector<std::string>>;

constexpr const char* kLibrary =
    "#!lua name=door\n"
    "redis.register_function('put', function(keys, args)\n"
    "  redis.call('SET', keys[1], args[1]); redis.call('PUBLISH', 'news', args[1])\n"
    "  return redis.status_reply('STORED')\n"
    "end)\n"
    "redis.register_function{function_name='peek', callback=function(keys, args)\n"
    "  return redis.call('GET', keys[1])\n"
    "end, flags={'no-writes'}}\n";

class RespDoorTest : public ::testing::Test {
  protected:
    TempDir folder_;
    StoreProcess store_{folder_.path().string(), {"shards=2", "fsync=off"}};
};

/// Every kind of reply, refusals included, and keys on both shards.
Commands conversation() {
    Commands list = {{"PING"},
                     {"PING", "hello"},
                     {"ECHO", "hello"},
                     {"SELECT", "0"},
                     {"SELECT", "99"},
                     {"CLIENT", "SETNAME", "door"},
                     {"CLIENT", "GETNAME"},
                     {"SET", "text", "value"},
                     {"GET", "text"},
                     {"GET", "absent"},
                     {"GET"},
                     {"GET", "text", "more"},
                     {"set", "bytes", std::string("\0\r\n\xff", 4)},
                     {"GeT", "bytes"},
                     {"HSET", "hash", "a", "1", "b", "2"},
                     {"HGETALL", "hash"},
                     {"HGETALL", "absent"},
                     {"HMGET", "hash", "a", "x"},
                     {"GET", "hash"},
                     {"ZADD", "scores", "1.5", "x", "2", "y"},
                     {"ZRANGE", "scores", "0", "-1", "WITHSCORES"},
                     {"ZSCORE", "scores", "x"},
                     {"SADD", "set", "one"},
                     {"SMEMBERS", "set"},
                     {"XADD", "stream", "5-1", "f", "v"},
                     {"XRANGE", "stream", "-", "+"},
                     {"XREAD", "COUNT", "10", "STREAMS", "stream", "0"},
                     {"XREAD", "STREAMS", "stream", "9"},
                     {"XREAD", "BLOCK", "1", "STREAMS", "stream", "$"},
                     {"EXISTS", "text"},
                     {"DEL", "text"},
                     {"NOSUCH", "a", "b"},
                     {"FUNCTION", "LOAD", kLibrary},
                     {"FUNCTION", "LOAD", kLibrary},
                     {"FCALL", "put", "1", "k", "v"},
                     {"FCALL_RO", "peek", "1", "k"},
                     {"FCALL_RO", "put", "1", "k", "v"},
                     {"FCALL", "absent", "0"},
                     {"FCALL", "put", "9", "k"},
                     {"PUBLISH", "nobody", "listens"}};
    for (int i = 0; i < 50; ++i) {
        list.push_back({"SET", "key" + std::to_string(i), std::to_string(i)});
        list.push_back({"GET", "key" + std::to_string(i)});
    }
    return list;
}

TEST_F(RespDoorTest, AnswersAsValkeyInBothProtocolsOneByOneAndPipelined) {
    for (const char* protocol : {"2", "3"}) {
        for (const bool pipelined : {false, true}) {
            SCOPED_TRACE(std::string("RESP") + protocol + (pipelined ? " pipelined" : ""));
            ValkeyServer valkey = ValkeyServer::start();
            const TempDir folder;
            StoreProcess store(folder.path().string(), {"shards=2", "fsync=off"});
            RespConnection ours = store.connect();
            RespConnection theirs = valkey.connect();
            ASSERT_FALSE(ours("HELLO", protocol).is_error());
            ASSERT_FALSE(theirs("HELLO", protocol).is_error());
            const Commands list = conversation();
            if (pipelined) {
                const std::vector<RespValue> a = ours.commands(list);
                const std::vector<RespValue> b = theirs.commands(list);
                for (std::size_t i = 0; i < list.size(); ++i) {
                    EXPECT_EQ(to_string(a[i]), to_string(b[i])) << list[i][0] << " at " << i;
                }
            } else {
                for (const std::vector<std::string>& command : list) {
                    EXPECT_EQ(to_string(ours.command(command)), to_string(theirs.command(command)))
                        << command[0];
                }
            }
        }
    }
}

TEST_F(RespDoorTest, KeepsTheOrderOfAPipelineThatArrivesInPieces) {
    RespConnection connection = store_.connect();
    std::string bytes;
    for (int i = 0; i < 300; ++i) {
        bytes += RespConnection::encode({"SET", "k" + std::to_string(i % 7), std::to_string(i)});
        bytes += RespConnection::encode({"GET", "k" + std::to_string(i % 7)});
        bytes += RespConnection::encode({"PING", std::to_string(i)});
    }
    for (std::size_t at = 0; at < bytes.size(); at += 997) {
        ASSERT_TRUE(connection.send_raw(std::string_view(bytes).substr(at, 997)));
    }
    for (int i = 0; i < 300; ++i) {
        ASSERT_EQ(connection.read()->text, "OK");
        ASSERT_EQ(connection.read()->text, std::to_string(i));
        ASSERT_EQ(connection.read()->text, std::to_string(i));
    }
}

TEST_F(RespDoorTest, TakesInlineCommandsAndAnswersNonsenseWithAnError) {
    RespConnection connection = store_.connect();
    ASSERT_TRUE(connection.send_raw("SET a \"two words\"\r\nGET a\r\n\r\nPING\r\n"));
    EXPECT_EQ(connection.read()->text, "OK");
    EXPECT_EQ(connection.read()->text, "two words");
    EXPECT_EQ(connection.read()->text, "PONG");
    ASSERT_TRUE(connection.send_raw("*1\r\n!bad\r\n"));
    const Result<RespValue> refusal = connection.read();
    ASSERT_TRUE(refusal);
    EXPECT_TRUE(refusal->is_error());
    EXPECT_FALSE(connection.read());
}

TEST_F(RespDoorTest, CarriesLargeValues) {
    RespConnection connection = store_.connect();
    const std::string large(5U << 20, 'x');
    EXPECT_EQ(connection("SET", "large", large).text, "OK");
    EXPECT_EQ(connection("GET", "large").text, large);
    EXPECT_EQ(connection("STRLEN", "large").integer, 5 << 20);
}

TEST_F(RespDoorTest, RefusesKeysOfSeveralSlotsAtTheirPlace) {
    RespConnection connection = store_.connect();
    const std::vector<RespValue> replies =
        connection.commands({{"SET", "a", "1"}, {"DEL", "a", "b"}, {"GET", "a"}});
    EXPECT_EQ(replies[0].text, "OK");
    EXPECT_TRUE(replies[1].text.starts_with("CROSSSLOT")) << replies[1].text;
    EXPECT_EQ(replies[2].text, "1");
}

TEST_F(RespDoorTest, ABlockedReadIsWokenByAnotherConnection) {
    RespConnection reader = store_.connect();
    RespConnection writer = store_.connect();
    ASSERT_TRUE(reader.send({"XREAD", "BLOCK", "0", "STREAMS", "s", "0"}));
    ASSERT_FALSE(writer("XADD", "s", "7-1", "n", "1").is_error());
    Result<RespValue> entries = reader.read();
    ASSERT_TRUE(entries);
    EXPECT_EQ(to_string(*entries), R"([["s", [["7-1", ["n", "1"]]]]])");
}

TEST_F(RespDoorTest, DeliversMessagesInBothProtocols) {
    for (const char* protocol : {"2", "3"}) {
        SCOPED_TRACE(protocol);
        RespConnection listener = store_.connect();
        RespConnection writer = store_.connect();
        ASSERT_FALSE(listener("HELLO", protocol).is_error());
        ASSERT_TRUE(listener.send({"SUBSCRIBE", "news", "more"}));
        EXPECT_EQ(listener.read()->items[1].text, "news");
        EXPECT_EQ(listener.read()->items[2].integer, 2);
        ASSERT_TRUE(listener.send({"PSUBSCRIBE", "wea*"}));
        EXPECT_EQ(listener.read()->items[0].text, "psubscribe");
        writer("FUNCTION", "LOAD", "REPLACE", kLibrary);
        EXPECT_EQ(writer("FCALL", "put", "1", "k", "first").text, "STORED");
        writer("PUBLISH", "weather", "rain");
        const Result<RespValue> message = listener.read();
        ASSERT_TRUE(message);
        EXPECT_EQ(message->items[0].text, "message");
        EXPECT_EQ(message->items[1].text, "news");
        EXPECT_EQ(message->items[2].text, "first");
        const Result<RespValue> pattern = listener.read();
        ASSERT_TRUE(pattern);
        EXPECT_EQ(pattern->items[0].text, "pmessage");
        EXPECT_EQ(pattern->items[3].text, "rain");
        ASSERT_TRUE(listener.send({"UNSUBSCRIBE", "news"}));
        EXPECT_EQ(listener.read()->items[2].integer, 2);
        ASSERT_TRUE(listener.send({"UNSUBSCRIBE"}));
        EXPECT_EQ(listener.read()->items[2].integer, 1);
        ASSERT_TRUE(listener.send({"PUNSUBSCRIBE"}));
        EXPECT_EQ(listener.read()->items[2].integer, 0);
        EXPECT_EQ(listener("GET", "k").text, "first");
    }
}

TEST(RespDoor, AClientThatLeavesEndsItsBlockedRead) {
    auto store = host::EmbeddedStore::open({.shards = 1});
    ASSERT_TRUE(store);
    boost::asio::io_context loop(1);
    auto door = host::RespDoor::open(loop.get_executor(), **store, **store, {.port = 0});
    ASSERT_TRUE(door);
    std::thread thread([&] { loop.run(); });
    const auto waiting = [&] { return (*store)->facts()[0].waiting_reads; };
    {
        RespConnection leaving = RespConnection::connect((*door)->port());
        ASSERT_TRUE(leaving.send({"XREAD", "BLOCK", "0", "STREAMS", "s", "$"}));
        EXPECT_TRUE(ff::testing::wait_until([&] { return waiting() == 1; }));
    }
    EXPECT_TRUE(ff::testing::wait_until([&] { return waiting() == 0; }));
    boost::asio::co_spawn(loop, (*door)->stop(), [](const std::exception_ptr&) {});
    thread.join();
}

TEST(RespDoor, AsksForThePassword) {
    const TempDir folder;
    StoreProcess store(folder.path().string(), {"shards=1", "password=secret"});
    RespConnection connection = store.connect();
    EXPECT_TRUE(connection("GET", "a").text.starts_with("NOAUTH"));
    EXPECT_TRUE(connection("PING").text.starts_with("NOAUTH"));
    EXPECT_TRUE(connection("AUTH", "wrong").text.starts_with("WRONGPASS"));
    EXPECT_TRUE(connection("HELLO", "3").text.starts_with("NOAUTH"));
    const std::vector<RespValue> replies =
        connection.commands({{"SET", "a", "1"}, {"AUTH", "secret"}, {"SET", "a", "2"}});
    EXPECT_TRUE(replies[0].text.starts_with("NOAUTH"));
    EXPECT_EQ(replies[1].text, "OK");
    EXPECT_EQ(replies[2].text, "OK");
    RespConnection second = store.connect();
    EXPECT_FALSE(second("HELLO", "3", "AUTH", "default", "secret", "SETNAME", "me").is_error());
    EXPECT_EQ(second("GET", "a").text, "2");
}

TEST_F(RespDoorTest, ServesTheToolsOfValkey) {
    const std::string port = std::to_string(store_.port());
    const std::string tools = FF_TOOLS_FOLDER "/valkey/";
    for (const char* protocol : {"-2", "-3"}) {
        const auto said = ff::testing::run_command(
            {tools + "valkey-cli", "-p", port, protocol, "SET", "from", "cli"});
        EXPECT_EQ(said.exit_code, 0);
        EXPECT_EQ(said.out, "OK\n") << said.err;
    }
    const auto info =
        ff::testing::run_command({tools + "valkey-cli", "-p", port, "INFO", "server"});
    EXPECT_NE(info.out.find("valkey_version:"), std::string::npos) << info.out;
    const auto measured =
        ff::testing::run_command({tools + "valkey-benchmark", "-p", port, "-n", "2000", "-P", "16",
                                  "-c", "10", "-q", "-t", "ping,set,get,hset,zadd"});
    EXPECT_EQ(measured.exit_code, 0) << measured.err;
    EXPECT_NE(measured.out.find("SET: "), std::string::npos) << measured.out;
    EXPECT_EQ(measured.out.find("rror"), std::string::npos) << measured.out;
}

TEST_F(RespDoorTest, Repair_34_TellsClientsThatItTakesWrites) {
    RespConnection client = store_.connect();
    const std::string replication = client("INFO", "replication").text;
    EXPECT_NE(replication.find("# Replication\r\nrole:master\r\n"), std::string::npos)
        << replication;
    EXPECT_EQ(replication.find("valkey_version"), std::string::npos) << replication;
    EXPECT_NE(client("INFO").text.find("role:master"), std::string::npos);
    const std::string two = client("INFO", "SERVER", "Replication").text;
    EXPECT_NE(two.find("valkey_version"), std::string::npos) << two;
    EXPECT_NE(two.find("role:master"), std::string::npos) << two;
    EXPECT_EQ(client("INFO", "nonsense").text, "");
    const RespValue role = client("ROLE");
    ASSERT_EQ(role.items.size(), 3U);
    EXPECT_EQ(role.items[0].text, "master");
}

TEST_F(RespDoorTest, EndsCleanlyWhileConnectionsWait) {
    RespConnection idle = store_.connect();
    EXPECT_EQ(idle("PING").text, "PONG");
    RespConnection blocked = store_.connect();
    ASSERT_TRUE(blocked.send({"XREAD", "BLOCK", "0", "STREAMS", "s", "$"}));
    RespConnection listener = store_.connect();
    ASSERT_TRUE(listener.send({"SUBSCRIBE", "news"}));
    ASSERT_TRUE(listener.read());
    store_.process().signal(SIGTERM);
    EXPECT_EQ(store_.process().wait_for_exit(), 0) << store_.process().err();
}

}  // namespace
}  // namespace ff::fault
