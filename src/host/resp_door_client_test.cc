#include "host/resp_door_client.h"

#include <gtest/gtest.h>

namespace ff::host {
namespace {

using Args = std::vector<std::string_view>;

std::string answer(DoorClient& client, const Args& argv) {
    std::string out;
    if (client.admit(argv, out)) client.answer(argv, out);
    return out;
}

TEST(DoorCommand, KnowsTheWayOfEveryCommandInAnyCase) {
    EXPECT_EQ(door_command("get").path, DoorPath::Shard);
    EXPECT_EQ(door_command("HsEt").path, DoorPath::Shard);
    EXPECT_EQ(door_command("zRANGEbyscore").path, DoorPath::Shard);
    EXPECT_EQ(door_command("FCALL").path, DoorPath::Shard);
    EXPECT_EQ(door_command("Function").path, DoorPath::Store);
    EXPECT_EQ(door_command("PUBLISH").path, DoorPath::Store);
    EXPECT_EQ(door_command("time").path, DoorPath::Store);
    EXPECT_EQ(door_command("XREAD").path, DoorPath::Read);
    EXPECT_EQ(door_command("PUNSUBSCRIBE").path, DoorPath::Subscribe);
    EXPECT_EQ(door_command("PING").path, DoorPath::Local);
    EXPECT_EQ(door_command("").path, DoorPath::Local);
    EXPECT_EQ(door_command("no such command at all").path, DoorPath::Local);
    EXPECT_TRUE(door_command("get").one_key);
    EXPECT_TRUE(door_command("hset").one_key);
    EXPECT_FALSE(door_command("del").one_key);
    EXPECT_FALSE(door_command("fcall").one_key);
}

TEST(DoorClient, AdmitsOnlyWithThePassword) {
    DoorClient client(1, "secret");
    EXPECT_EQ(answer(client, {"PING"}), "-NOAUTH Authentication required.\r\n");
    EXPECT_TRUE(answer(client, {"AUTH", "secre"}).starts_with("-WRONGPASS"));
    EXPECT_TRUE(answer(client, {"AUTH", "other", "secret"}).starts_with("-WRONGPASS"));
    EXPECT_TRUE(answer(client, {"HELLO", "3"}).starts_with("-NOAUTH"));
    EXPECT_FALSE(client.admitted());
    EXPECT_EQ(answer(client, {"AUTH", "default", "secret"}), "+OK\r\n");
    EXPECT_TRUE(client.admitted());
    EXPECT_EQ(answer(client, {"PING"}), "+PONG\r\n");
    EXPECT_EQ(answer(client, {"RESET"}), "+RESET\r\n");
    EXPECT_FALSE(client.admitted());
}

TEST(DoorClient, Repair_34_IsAPrimaryWithoutReplicas) {
    DoorClient client(1, "");
    EXPECT_EQ(answer(client, {"ROLE"}), "*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n");
    EXPECT_TRUE(answer(client, {"role", "more"}).starts_with("-ERR wrong number"));
}

TEST(DoorClient, ChangesTheProtocolOnlyWhenHelloSucceeds) {
    DoorClient client(7, "");
    EXPECT_TRUE(answer(client, {"HELLO", "4"}).starts_with("-NOPROTO"));
    EXPECT_TRUE(answer(client, {"HELLO", "x"}).starts_with("-ERR Protocol version"));
    EXPECT_TRUE(answer(client, {"HELLO", "3", "NONSENSE"}).starts_with("-ERR Syntax error"));
    EXPECT_EQ(client.protocol(), resp::Protocol::Resp2);
    EXPECT_TRUE(answer(client, {"HELLO", "3", "SETNAME", "me"}).starts_with("%7\r\n"));
    EXPECT_EQ(client.protocol(), resp::Protocol::Resp3);
    EXPECT_EQ(answer(client, {"CLIENT", "GETNAME"}), "$2\r\nme\r\n");
    EXPECT_EQ(answer(client, {"CLIENT", "ID"}), ":7\r\n");
    EXPECT_TRUE(answer(client, {"HELLO"}).starts_with("%7\r\n"));
    EXPECT_TRUE(answer(client, {"HELLO", "2"}).starts_with("*14\r\n"));
}

TEST(DoorClient, RefusesWhatItDoesNotKnowWithoutEchoingAllOfIt) {
    DoorClient client(1, "");
    const std::string long_word(10'000, 'x');
    const std::string refusal = answer(client, {"nosuch", long_word, long_word});
    EXPECT_TRUE(refusal.starts_with("-ERR unknown command 'nosuch', with args beginning with: 'x"));
    EXPECT_LT(refusal.size(), 400U);
}

TEST(DoorClient, KeepsTheWordsOfTheStoreInErrors) {
    EXPECT_EQ(error_line({.code = "storage_error", .message = "WRONGTYPE no"}), "WRONGTYPE no");
    EXPECT_EQ(error_line({.code = "storage_error", .message = "not stored: x"}),
              "ERR not stored: x");
    EXPECT_EQ(error_line({.code = "shutting_down"}), "ERR shutting_down");
}

}  // namespace
}  // namespace ff::host
